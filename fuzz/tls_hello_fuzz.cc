// What a client sends first, to a server layer: no crash, no plain bytes, bounded memory; in one
// piece and in two.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "tls/server_layer.h"
#include "tls/test_certificates.h"

namespace {

std::shared_ptr<const tls::ServerContext> make_context() {
  const tls::testing::Folder folder;
  const tls::testing::Authority authority;
  const tls::testing::Wanted wanted{.subject = "a.example", .names = "DNS:a.example"};
  tls::ContextOptions options;
  options.alpn = {"h2", "http/1.1"};
  options.sites = {{.hosts = {"a.example", "*.b.example"}, .tls = {}}};
  options.sites[0].tls.certificates = {folder.write("server", authority.issue(wanted))};
  return tls::ServerContext::create(options, std::make_shared<tls::TicketKeys>(0), time(nullptr))
      .value();
}

void feed(std::string_view first, std::string_view second) {
  static const auto context = make_context();
  static const auto worker = std::make_shared<tls::Worker>(nullptr);
  tls::ServerLayer layer(context, worker);
  base::Buffer plain;
  base::Buffer wire;
  for (const std::string_view part : {first, second}) {
    if (part.empty()) continue;
    const auto status = layer.receive(part, plain, wire);
    if (!plain.empty() || status == io::StreamLayer::Status::waiting) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  feed(input, {});
  feed(input.substr(0, size / 2), input.substr(size / 2));
  return 0;
}
