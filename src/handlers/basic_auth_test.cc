#include "handlers/basic_auth.h"

#include <crypt.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/base64.h"
#include "handlers/password.h"
#include "handlers/test_world.h"

namespace handlers {
namespace {

using http::Verdict;

// Cheap parameters: the tests are about what is compared with what.
std::string make_hash(const std::string& prefix, const std::string& password) {
  crypt_data data{};
  const char* made = crypt_r(password.c_str(), prefix.c_str(), &data);
  return made == nullptr ? "" : made;
}
const std::string kBcrypt = "$2b$04$abcdefghijklmnopqrstuu";
const std::string kSha512 = "$6$rounds=1000$saltsalt";
// echo -n secret | argon2 saltsalt -id -t 1 -k 64 -l 16 -e
const char kArgon2[] = "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$";

class BasicAuthTest : public testing::Test {
 protected:
  BasicAuthTest() {
    options.realm = "a \"quoted\" realm";
    options.users = {{"alice", make_hash(kBcrypt, "wonder:land")},
                     {"bob", make_hash(kSha512, "builder")}};
  }
  BasicAuth& filter() {
    if (filter_ == nullptr) {
      FileTexts texts;
      if (!options.file.empty()) {
        EXPECT_TRUE(texts.read(options.file, BasicAuth::kFileSizeMax));
      }
      auto made = BasicAuth::create(options, texts, world.services);
      EXPECT_TRUE(made) << (made ? "" : made.error());
      filter_ = std::move(*made);
    }
    return *filter_;
  }
  static std::string basic(const std::string& pair) { return "Basic " + base::base64(pair); }
  // The status, or 0 where it went on.
  int ask(const World::List& fields) {
    world.begin("GET", "/", fields);
    world.exchange->filter(filter());
    world.wait();
    return world.exchange->verdict == Verdict::next ? 0 : world.exchange->carrier.status;
  }

  World world;
  BasicAuthOptions options;

 private:
  std::unique_ptr<BasicAuth> filter_;
};

TEST(Password, KindsThatAreTaken) {
  EXPECT_TRUE(is_password_hash(make_hash(kBcrypt, "x")));
  EXPECT_TRUE(is_password_hash(make_hash(kSha512, "x")));
  for (const char* bad : {"", "secret", "$1$abc$0123456789012345678901", "$apr1$x$0123456789abcdef",
                          "{SHA}0123456789012345678901234567", "$2b$"}) {
    EXPECT_FALSE(is_password_hash(bad)) << bad;
  }
}

TEST(Password, Verifies) {
  for (const std::string& prefix : {kBcrypt, kSha512}) {
    const std::string hash = make_hash(prefix, "secret");
    EXPECT_TRUE(verify_password(hash, "secret")) << hash;
    EXPECT_FALSE(verify_password(hash, "Secret"));
    EXPECT_FALSE(verify_password(hash, ""));
    EXPECT_FALSE(verify_password(hash, std::string("secret\0", 7)));
    EXPECT_FALSE(verify_password(hash, std::string(kPasswordSizeMax + 1, 'x')));
  }
  EXPECT_FALSE(verify_password("plain", "plain"));
  EXPECT_FALSE(verify_password(std::string(kArgon2) + "AAAA", "secret"));
}

TEST(Password, Argon2) {
  // Made by another implementation: the reference vectors of phc-winner-argon2 (test.c).
  EXPECT_TRUE(verify_password(
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "password"));
  EXPECT_FALSE(verify_password(
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "Password"));
}

TEST(Password, Htpasswd) {
  const std::string hash = make_hash(kBcrypt, "x");
  const auto users = parse_htpasswd("# people\r\n\na:" + hash + "\r\n b:" + hash + ":more\n");
  ASSERT_TRUE(users);
  ASSERT_EQ(users->size(), 2u);
  EXPECT_EQ((*users)[0].name, "a");
  EXPECT_EQ((*users)[1].hash, hash);
  EXPECT_TRUE(parse_htpasswd("")->empty());
  EXPECT_TRUE(parse_htpasswd("a:" + hash + "\nb:$apr1$x$y\n").error().starts_with("line 2"));
  EXPECT_FALSE(parse_htpasswd("nocolon"));
  EXPECT_FALSE(parse_htpasswd(":" + hash));
}

TEST_F(BasicAuthTest, AsksForCredentials) {
  EXPECT_EQ(ask({}), 401);
  EXPECT_EQ(world.exchange->carrier.field("WWW-Authenticate"),
            "Basic realm=\"a \\\"quoted\\\" realm\", charset=\"UTF-8\"");
}

TEST_F(BasicAuthTest, LetsThoseInWhoMayPass) {
  EXPECT_EQ(ask({{"Authorization", basic("alice:wonder:land")}}), 0);
  EXPECT_EQ(world.exchange->exchange.user, "alice");
  EXPECT_EQ(ask({{"Authorization", "bAsIc   " + base::base64("bob:builder")}}), 0);
  EXPECT_EQ(world.exchange->exchange.user, "bob");
}

TEST_F(BasicAuthTest, AndNobodyElse) {
  const std::string good = basic("bob:builder");
  for (const std::string& value :
       {basic("alice:wrong"), basic("nobody:builder"), basic("alice:"), basic(":builder"),
        basic("bob"), basic("Bob:builder"), basic(std::string("bob:builder\0", 12)),
        std::string("Basic"), std::string("Basic "), std::string("Basic !!!"),
        std::string("Bearer ") + base::base64("bob:builder"), good + "=", good + " x",
        basic("bob:" + std::string(kPasswordSizeMax + 1, 'x'))}) {
    EXPECT_EQ(ask({{"Authorization", value}}), 401) << value;
    EXPECT_EQ(world.exchange->exchange.user, "");
  }
  EXPECT_EQ(ask({{"Authorization", good}, {"Authorization", good}}), 401);
}

// O10: a hash for each request would starve everybody; only what fitted is remembered.
TEST_F(BasicAuthTest, O10RemembersWhatFitted) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask({{"Authorization", basic("bob:builder")}}), 0);
  EXPECT_EQ(filter().verified(), 1u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask({{"Authorization", basic("bob:wrong")}}), 401);
  EXPECT_EQ(filter().verified(), 4u);
  world.begin("GET", "/", {{"Authorization", basic("bob:builder")}});
  world.exchange->filter(filter());
  EXPECT_TRUE(world.exchange->done());
}

// O10: a name that doesn't exist is hashed for too.
TEST_F(BasicAuthTest, O10AnUnknownUserCostsAHash) {
  EXPECT_EQ(ask({{"Authorization", basic("nobody:x")}}), 401);
  EXPECT_EQ(filter().verified(), 1u);
}

// O10: what waits for a helper is bounded.
TEST_F(BasicAuthTest, O10TooManyAtOnceAre503) {
  std::vector<std::unique_ptr<http::FakeExchange>> waiting;
  size_t refused = 0;
  for (size_t i = 0; i < BasicAuth::kVerifyingMax + 5; ++i) {
    waiting.push_back(std::make_unique<http::FakeExchange>(
        "GET", "/", World::List{{"Authorization", basic("bob:wrong")}}));
    waiting.back()->filter(filter());
    if (i % 2 == 0) waiting.back()->cancel();  // the hash is made all the same
    refused += waiting.back()->carrier.status == 503 ? 1 : 0;
  }
  EXPECT_GE(refused, 5u);
  world.wait([&] {
    return std::ranges::all_of(waiting, [](const auto& exchange) { return exchange->done(); });
  });
}

TEST_F(BasicAuthTest, UsersOfAFile) {
  options.users.clear();
  options.file = world.top / "htpasswd";
  std::ofstream(options.file) << "carol:" << make_hash(kBcrypt, "x") << "\n";
  EXPECT_EQ(ask({{"Authorization", basic("carol:x")}}), 0);
  EXPECT_EQ(ask({{"Authorization", basic("bob:builder")}}), 401);
}

TEST_F(BasicAuthTest, AFileThatIsWrongIsASentence) {
  options.file = world.top / "nowhere";
  FileTexts texts;
  EXPECT_NE(BasicAuth::create(options, texts, world.services).error().find("nowhere"),
            std::string::npos);
  options.file = world.top / "bad";
  std::ofstream(options.file) << "carol:plain\n";
  ASSERT_TRUE(texts.read(options.file, BasicAuth::kFileSizeMax));
  EXPECT_NE(BasicAuth::create(options, texts, world.services).error().find("line 1"),
            std::string::npos);
}

TEST_F(BasicAuthTest, WithoutUsersNobodyMayPass) {
  options.users.clear();
  EXPECT_EQ(ask({{"Authorization", basic("bob:builder")}}), 401);
}

}  // namespace
}  // namespace handlers
