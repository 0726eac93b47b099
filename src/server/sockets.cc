#include "server/sockets.h"

#include <algorithm>

#include "io/acceptor.h"

namespace server {

Sockets::~Sockets() { keep_only({}); }

std::expected<const Sockets::Opened*, std::string> Sockets::open(const base::Address& address,
                                                                 size_t workers) {
  std::string key = address.to_string();
  auto found = opened_.find(key);
  if (found != opened_.end()) return &found->second;
  Opened opened{address, {}};
  // A port that is ours already, on another address of the configuration, is no one else's.
  bool ours = std::ranges::any_of(opened_, [&](const auto& entry) {
    const base::Address& other = entry.second.address;
    return !other.is_unix() && other.port() == address.port();
  });
  size_t count = address.is_unix() ? 1 : workers;
  io::ListenOptions options{.reuse_port = !address.is_unix()};
  for (size_t i = 0; i < count; ++i) {
    options.first = i == 0 && !ours && !address.is_unix() && address.port() != 0;
    auto descriptor = io::listen(opened.address, options);
    if (!descriptor) {
      for (int open : opened.descriptors) io::close_listener(open, opened.address);
      const io::Error& error = descriptor.error();
      return std::unexpected("can't listen on " + key + ": " +
                             (error.detail.empty() ? error.text() : error.detail));
    }
    opened.descriptors.push_back(*descriptor);
    if (i == 0 && !address.is_unix() && address.port() == 0) {
      opened.address.set_port(io::local_address(*descriptor).port());
    }
  }
  return &opened_.emplace(std::move(key), std::move(opened)).first->second;
}

void Sockets::keep_only(const std::vector<base::Address>& addresses) {
  std::erase_if(opened_, [&](auto& entry) {
    bool kept = std::ranges::any_of(addresses, [&](const base::Address& address) {
      return address.to_string() == entry.first;
    });
    if (!kept) {
      for (int descriptor : entry.second.descriptors) {
        io::close_listener(descriptor, entry.second.address);
      }
    }
    return !kept;
  });
}

}  // namespace server
