#include "handlers/listing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "handlers/listing_page.h"
#include "handlers/test_world.h"

namespace handlers {
namespace {

class ListingTest : public testing::Test {
 protected:
  ListingTest() { world.options.browse = true; }
  std::vector<size_t> order_of(const std::string& body, std::initializer_list<const char*> names) {
    std::vector<size_t> at;
    for (const char* name : names) at.push_back(body.find(name));
    return at;
  }
  World world;
};

TEST_F(ListingTest, APageOfLinks) {
  world.write("b.txt", std::string(2000, 'x'));
  world.write("a/x", "x");
  const auto& page = world.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.field("Vary"), "Accept");
  EXPECT_TRUE(page.has("Content-Security-Policy"));
  EXPECT_TRUE(page.body.contains("<a href=\"./b.txt\">b.txt</a>"));
  EXPECT_TRUE(page.body.contains("<a href=\"./a/\">a/</a>"));
  EXPECT_TRUE(page.body.contains("2.0 KiB"));
  EXPECT_TRUE(page.body.contains("1 directory, 1 file"));
  EXPECT_TRUE(world.get("/a/").body.contains("<a href=\"../\">..</a>"));
}

TEST_F(ListingTest, NotWithoutBrowseAndNotWhereThereIsAnIndex) {
  world.write("sub/index.html", "index");
  world.write("none/x", "x");
  EXPECT_EQ(world.get("/sub/").body, "index");
  world.rebuild();
  world.options.browse = false;
  EXPECT_EQ(world.get("/none/").status, 404);
}

// F10: anybody who may upload may choose names.
TEST_F(ListingTest, F10NamesAreEscaped) {
  const char* const kNames[] = {
      "<script>alert(1)<", "a\"b'c&d", "javascript:alert(1)", "q?x#y%41", "\xff\xfe",
      "new\nline",         "sp ace"};
  for (const char* name : kNames) world.write(name, "x");
  const std::string page = world.get("/").body;
  EXPECT_FALSE(page.contains("<script>"));
  EXPECT_TRUE(page.contains("&lt;script&gt;alert(1)&lt;"));
  EXPECT_TRUE(page.contains("href=\"./javascript%3Aalert%281%29\""));
  EXPECT_TRUE(page.contains("href=\"./q%3Fx%23y%2541\""));
  EXPECT_TRUE(page.contains("href=\"./a%22b%27c%26d\""));
  const std::string json = world.get("/", {{"Accept", "application/json"}}).body;
  EXPECT_TRUE(json.contains("\"a\\\"b'c&d\""));
  EXPECT_TRUE(json.contains("new\\nline") || json.contains("new\\u000aline"));
  EXPECT_FALSE(json.contains("\xff"));
  // And each of the links leads to its file.
  for (const char* name : kNames) {
    std::string link = "/";
    base::append_url_component(link, name);
    EXPECT_EQ(world.get(link).status, 200) << link;
  }
}

TEST_F(ListingTest, F10HiddenEntriesAndWhatIsNoFileAreLeftOut) {
  world.write(".secret", "x");
  world.write("a.bak", "x");
  world.write("shown", "x");
  ASSERT_EQ(::mkfifo((world.root / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("/etc/passwd", world.root / "outside");
  const std::string json = world.get("/", {{"Accept", "application/json"}}).body;
  for (const char* name : {"secret", "a.bak", "fifo", "outside"}) {
    EXPECT_FALSE(json.contains(name)) << name;
  }
  EXPECT_TRUE(json.contains("shown"));
}

TEST_F(ListingTest, JsonByAccept) {
  world.write("f", "12345");
  world.write("d/x", "x");
  const auto& answer = world.get("/", {{"Accept", "application/json"}});
  EXPECT_EQ(answer.field("Content-Type"), "application/json");
  EXPECT_TRUE(answer.body.starts_with("{\"path\":\"/\",\"entries\":["));
  EXPECT_TRUE(answer.body.contains(
      "{\"name\":\"f\",\"url\":\"./f\",\"type\":\"file\",\"size\":5,\"modified\":\""));
  EXPECT_TRUE(answer.body.contains("\"type\":\"directory\""));
  EXPECT_TRUE(answer.body.ends_with("],\"truncated\":false}\n"));
  EXPECT_EQ(world.get("/", {{"Accept", "text/html, application/json;q=0.9"}}).field("Content-Type"),
            "text/html; charset=utf-8");
}

TEST_F(ListingTest, F10SortsByWhatIsAskedAndIgnoresTheRest) {
  world.write("big", std::string(300, 'x'), std::chrono::hours(1));
  world.write("small", "x", std::chrono::hours(2));
  world.write("Mid", std::string(100, 'x'), std::chrono::hours(3));
  world.write("zdir/x", "x");
  const auto sorted = [&](const char* query, std::initializer_list<const char*> names) {
    const std::string body =
        world.get(std::string("/") + query, {{"Accept", "application/json"}}).body;
    const auto at = order_of(body, names);
    return std::ranges::is_sorted(at) && at.back() != body.npos;
  };
  EXPECT_TRUE(sorted("", {"zdir", "\"big", "\"Mid", "\"small"}));
  EXPECT_TRUE(sorted("?order=desc", {"zdir", "\"small", "\"Mid", "\"big"}));
  EXPECT_TRUE(sorted("?sort=size", {"zdir", "\"small", "\"Mid", "\"big"}));
  EXPECT_TRUE(sorted("?sort=size&order=desc", {"zdir", "\"big", "\"Mid", "\"small"}));
  EXPECT_TRUE(sorted("?sort=modified", {"zdir", "\"Mid", "\"small", "\"big"}));
  EXPECT_TRUE(sorted("?sort=%3Cscript%3E&order=%00&x=y", {"zdir", "\"big", "\"Mid", "\"small"}));
  EXPECT_TRUE(world.get("/?sort=size").body.contains("aria-sort=\"ascending\""));
}

TEST_F(ListingTest, F10TheNumberOfEntriesIsBounded) {
  std::string out;
  append_page_tail(out, true);
  EXPECT_TRUE(out.contains("more in this directory"));
  for (size_t i = 0; i < 1200; ++i) world.write("file" + std::to_string(i), "");
  const auto& page = world.get("/");
  EXPECT_TRUE(page.body.contains("1200 files"));
  EXPECT_GT(page.writes, 1u);  // in pieces
  EXPECT_TRUE(page.ended);
}

TEST_F(ListingTest, ASlowClientHoldsItBack) {
  for (size_t i = 0; i < 600; ++i) world.write("file" + std::to_string(i), "");
  world.get("/");
  world.begin("GET", "/");
  world.exchange->carrier.can_write = false;
  world.exchange->handle(world.files());
  world.wait([&] { return world.exchange->carrier.writes == 1; });
  for (int i = 0; i < 3; ++i) world.loop.turn(std::chrono::milliseconds(1));
  EXPECT_FALSE(world.exchange->done());
  EXPECT_EQ(world.exchange->carrier.writes, 1u);
  world.exchange->drain();
  world.wait();
  EXPECT_TRUE(world.exchange->carrier.ended);
}

TEST_F(ListingTest, HeadHasNoBody) {
  world.write("a", "x");
  const auto& answer = world.head("/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.ended);
}

TEST(ListingPage, ReadableSizes) {
  const std::pair<uint64_t, const char*> kTable[] = {
      {0, "0 B"},           {1023, "1023 B"},        {1024, "1.0 KiB"},        {1536, "1.5 KiB"},
      {1048575, "1.0 MiB"}, {5ull << 40, "5.0 TiB"}, {UINT64_MAX, "16.0 EiB"},
  };
  for (const auto& [size, text] : kTable) {
    std::string out;
    append_readable_size(out, size);
    EXPECT_EQ(out, text);
  }
}

TEST(ListingPage, TheTrailLeadsUp) {
  std::string out;
  append_page_head(out, "/a/b<c/", {}, 0, 0);
  EXPECT_TRUE(
      out.contains("<a href=\"./../../\">Home</a><span>/</span>"
                   "<a href=\"./../\">a</a><span>/</span>b&lt;c<span>/</span>"));
}

}  // namespace
}  // namespace handlers
