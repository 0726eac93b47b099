#include "handlers/basic_auth.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstring>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "handlers/off_loop.h"
#include "handlers/password.h"
#include "handlers/refuse.h"

namespace handlers {

using http::FieldName;

namespace {

struct Verification {
  explicit Verification(std::shared_ptr<size_t> under_way) : count(std::move(under_way)) {
    ++*count;
  }
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;
  ~Verification() {
    --*count;
    OPENSSL_cleanse(password.data(), password.size());
  }

  std::shared_ptr<size_t> count;  // the loop's: not touched by the work
  std::string hash;
  std::string password;
  bool fits = false;
};

}  // namespace

std::expected<std::unique_ptr<BasicAuth>, std::string> BasicAuth::create(
    const BasicAuthOptions& options, const FileTexts& texts, const Services& services) {
  std::unique_ptr<BasicAuth> filter(new BasicAuth(options, services));
  std::vector<User> users = options.users;
  if (!options.file.empty()) {
    const std::string* text = texts.find(options.file);
    if (text == nullptr)
      return std::unexpected("the users' file " + options.file + " was not read");
    auto more = parse_htpasswd(*text);
    if (!more) return std::unexpected("the users' file " + options.file + ", " + more.error());
    users.insert(users.end(), more->begin(), more->end());
  }
  for (User& user : users) {
    if (filter->decoy_.empty()) filter->decoy_ = user.hash;
    filter->users_.insert_or_assign(std::move(user.name), std::move(user.hash));
  }
  return filter;
}

BasicAuth::BasicAuth(const BasicAuthOptions& options, const Services& services)
    : options_(options),
      services_(services),
      users_(0, base::StringHash{services.hash_key}),
      remembered_(kRememberedMax) {
  challenge_ = "Basic realm=\"";
  for (char c : options.realm) {
    if (c == '"' || c == '\\') challenge_ += '\\';
    if (!base::is_control(c)) challenge_ += c;
  }
  challenge_ += "\", charset=\"UTF-8\"";  // RFC 7617 2.1
  // Without randomness no secret: then nothing is remembered (see remember).
  if (RAND_bytes(key_.data(), static_cast<int>(key_.size())) != 1) remembered_.clear();
}

BasicAuth::~BasicAuth() { OPENSSL_cleanse(key_.data(), key_.size()); }

std::optional<BasicAuth::Credentials> BasicAuth::credentials_of(const http::Exchange& exchange) {
  const http::Fields& fields = exchange.request().fields;
  if (fields.count(FieldName::authorization) != 1) return std::nullopt;
  const std::string_view value = fields.value(FieldName::authorization);
  constexpr std::string_view kScheme = "Basic ";
  if (!base::iequals(value.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  std::optional<std::string> pair = base::base64_decode(base::trim(value.substr(kScheme.size())));
  if (!pair || pair->contains('\0')) return std::nullopt;
  const size_t colon = pair->find(':');
  if (colon == pair->npos) return std::nullopt;
  Credentials credentials{pair->substr(0, colon), pair->substr(colon + 1)};
  OPENSSL_cleanse(pair->data(), pair->size());
  if (credentials.password.size() > kPasswordSizeMax) return std::nullopt;
  return credentials;
}

http::FilterOutcome BasicAuth::filter(http::Exchange& exchange) {
  const auto credentials = credentials_of(exchange);
  if (!credentials || users_.empty()) return challenge(exchange);
  if (remembers(digest_of(*credentials))) {
    exchange.user = exchange.arena().copy(credentials->user);
    return http::Verdict::next;
  }
  if (*verifying_ >= kVerifyingMax) {
    exchange.error_detail = "too many passwords are being verified";
    refuse_overload(exchange);
    return http::Verdict::answered;
  }
  return verify(exchange);
}

base::Task<http::Verdict> BasicAuth::verify(http::Exchange& exchange) {
  ++verified_;
  const Credentials credentials = credentials_of(exchange).value_or(Credentials{});
  const auto user = users_.find(credentials.user);
  auto work = std::make_unique<Verification>(verifying_);
  work->hash = user == users_.end() ? decoy_ : user->second;
  work->password = credentials.password;
  work = co_await off_loop(services_.password_helpers, services_.loop, std::move(work),
                           [](Verification& v) { v.fits = verify_password(v.hash, v.password); });
  if (work == nullptr) {
    exchange.error_detail = "too many passwords are being verified";
    refuse_overload(exchange);
    co_return http::Verdict::answered;
  }
  if (!work->fits || user == users_.end()) co_return challenge(exchange);
  remember(digest_of(credentials));
  exchange.user = exchange.arena().copy(credentials.user);
  co_return http::Verdict::next;
}

http::Verdict BasicAuth::challenge(http::Exchange& exchange) const {
  exchange.response().fields.set(FieldName::www_authenticate, challenge_);
  exchange.respond(401);
  return http::Verdict::answered;
}

// A digest under a secret: it stays in this table, where nobody can tell the password from it, nor
// make another pair that has the same.
BasicAuth::Digest BasicAuth::digest_of(const Credentials& credentials) const {
  std::string text(reinterpret_cast<const char*>(key_.data()), key_.size());
  base::append_decimal(text, credentials.user.size());
  ((text += ':') += credentials.user) += credentials.password;
  Digest digest{};
  unsigned size = 0;
  const bool made =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1;
  OPENSSL_cleanse(text.data(), text.size());
  if (!made) digest.fill(0);
  return digest;
}

bool BasicAuth::remembers(const Digest& digest) const {
  if (remembered_.empty()) return false;
  uint64_t slot = 0;
  std::memcpy(&slot, digest.data(), sizeof slot);
  const Remembered& entry = remembered_[slot % remembered_.size()];
  return services_.loop.now() < entry.until &&
         CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0;
}

void BasicAuth::remember(const Digest& digest) {
  if (remembered_.empty() || digest == Digest{}) return;  // no digest was made
  uint64_t slot = 0;
  std::memcpy(&slot, digest.data(), sizeof slot);
  remembered_[slot % remembered_.size()] = {digest, services_.loop.now() + kRememberedFor};
}

}  // namespace handlers
