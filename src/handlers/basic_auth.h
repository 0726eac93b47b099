// Basic authentication (RFC 7617): 401 for whoever has no name and password that fit.
//
// Passwords are verified on helper threads, a bounded number at a time: beyond it 503, so that a
// flood of guesses costs neither the loop nor memory (O10). Pairs that fitted are remembered by a
// keyed digest in a table of fixed size, for a bcrypt per request would be unbearable. A name that
// doesn't exist costs what the first user's costs. The name that was given becomes {user}.
// Belongs to one worker.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "handlers/file_texts.h"
#include "handlers/options.h"
#include "handlers/services.h"
#include "http/handler.h"

namespace handlers {

class BasicAuth final : public http::Filter {
 public:
  // Of a file of users.
  static constexpr size_t kFileSizeMax = 64 << 20;
  // Verifications under way for one filter of one worker.
  static constexpr size_t kVerifyingMax = 64;
  // Pairs remembered: more users than this at once pay for a hash now and then.
  static constexpr size_t kRememberedMax = 1024;
  // How long: a digest of a password isn't kept for ever.
  static constexpr std::chrono::minutes kRememberedFor{10};

  // `texts` has its file; the error is a sentence. `options` outlives the filter.
  static std::expected<std::unique_ptr<BasicAuth>, std::string> create(
      const BasicAuthOptions& options, const FileTexts& texts, const Services& services);
  ~BasicAuth() override;

  http::FilterOutcome filter(http::Exchange& exchange) override;

  uint64_t verified() const { return verified_; }  // on helpers, for tests

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Credentials {
    std::string user;
    std::string password;
  };
  struct Remembered {
    Digest digest{};
    io::Time until{};
  };

  BasicAuth(const BasicAuthOptions& options, const Services& services);
  static std::optional<Credentials> credentials_of(const http::Exchange& exchange);
  base::Task<http::Verdict> verify(http::Exchange& exchange);
  http::Verdict challenge(http::Exchange& exchange) const;
  Digest digest_of(const Credentials& credentials) const;
  bool remembers(const Digest& digest) const;
  void remember(const Digest& digest);

  const BasicAuthOptions& options_;
  const Services& services_;
  base::StringMap<std::string> users_;
  std::string decoy_;  // verified where there is no such user
  std::string challenge_;
  Digest key_{};
  std::vector<Remembered> remembered_;  // by the digest's first bytes
  // Counted until the helper is done, though the client go away: shared, for this may go too.
  std::shared_ptr<size_t> verifying_ = std::make_shared<size_t>(0);
  uint64_t verified_ = 0;
};

}  // namespace handlers
