#include "upstream/registry.h"

#include <gtest/gtest.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "tls/test_certificates.h"

namespace upstream {
namespace {

using tls::testing::Authority;

struct Fixture {
  Authority authority;
  tls::testing::Folder folder;
  std::shared_ptr<Registry> in_force;

  GroupOptions group() const {
    GroupOptions options;
    options.name = "app";
    options.endpoints.push_back({.id = "https://a.example",
                                 .tls = true,
                                 .host = "a.example",
                                 .port = 443,
                                 .address = {},
                                 .weight = 1});
    options.tls.ca = folder.path("ca.pem");
    options.tls.certificate = folder.path("client.pem");
    options.tls.key = folder.path("client.key");
    return options;
  }
  void write_client() const { folder.write("client", authority.issue({.subject = "client"})); }

  // The group of a reload with these options, or nullptr where it fails.
  std::shared_ptr<Group> reload(const GroupOptions& options) {
    auto built = Registry::build(std::vector{options}, in_force.get(), std::time(nullptr));
    if (!built) return nullptr;
    in_force = *built;
    return in_force->find(options.name);
  }
  Fixture() {
    folder.write("ca.pem", authority.certificate_pem());
    write_client();
  }
};

TEST(Registry, KeepsAGroupWhoseOptionsAndFilesAreTheSame) {
  Fixture fixture;
  const auto first = fixture.reload(fixture.group());
  ASSERT_NE(first, nullptr);
  EXPECT_FALSE(fixture.in_force->files_changed());
  EXPECT_EQ(fixture.reload(fixture.group()), first);
}

TEST(Registry, KeepsTheContextWhereOnlyOtherOptionsChange) {
  Fixture fixture;
  const auto first = fixture.reload(fixture.group());
  GroupOptions changed = fixture.group();
  changed.connect_timeout = std::chrono::seconds(1);
  const auto second = fixture.reload(changed);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, first);
  EXPECT_EQ(second->tls(), first->tls());
  EXPECT_EQ(second->find("https://a.example"), first->find("https://a.example"));
}

TEST(Registry, MakesAContextAnewWhenOneOfItsFilesChanges) {
  Fixture fixture;
  auto before = fixture.reload(fixture.group());
  fixture.write_client();
  EXPECT_TRUE(fixture.in_force->files_changed());
  auto after = fixture.reload(fixture.group());
  ASSERT_NE(after, nullptr);
  EXPECT_NE(after->tls(), before->tls());
  EXPECT_EQ(after->find("https://a.example"), before->find("https://a.example"));
  EXPECT_FALSE(fixture.in_force->files_changed());

  before = after;
  fixture.folder.write("ca.pem", Authority("Another CA").certificate_pem());
  after = fixture.reload(fixture.group());
  ASSERT_NE(after, nullptr);
  EXPECT_NE(after->tls(), before->tls());
}

TEST(Registry, AFileThatHasGoneFailsAndLeavesWhatIsInForce) {
  Fixture fixture;
  const auto first = fixture.reload(fixture.group());
  fixture.folder.write("ca.pem", "");
  EXPECT_EQ(fixture.reload(fixture.group()), nullptr);
  EXPECT_EQ(fixture.in_force->find("app"), first);
}

}  // namespace
}  // namespace upstream
