#include "handlers/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/date.h"
#include "handlers/test_world.h"

namespace handlers {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class FilesTest : public testing::Test {
 protected:
  FilesTest() { world.options.cache.fresh = hours(1); }
  World world;
};

TEST_F(FilesTest, ServesAFileWithWhatDescribesIt) {
  world.write("a.txt", "hello");
  const auto& answer = world.get("/a.txt");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.length, http::BodyLength::of(5));
  EXPECT_EQ(answer.field("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer.field("Accept-Ranges"), "bytes");
  EXPECT_TRUE(answer.field("ETag").starts_with('"'));
  EXPECT_TRUE(answer.field("Last-Modified").ends_with(" GMT"));
  EXPECT_FALSE(answer.has("Vary"));
  EXPECT_FALSE(answer.has("Cache-Control"));
}

TEST_F(FilesTest, AHitIsAnsweredInTheCallFromWhatIsPrepared) {
  world.write("a.txt", "hello");
  world.get("/a.txt");
  const uint64_t before = world.files().lookups_off_loop();
  for (int i = 0; i < 3; ++i) {
    world.begin("GET", "/a.txt");
    world.exchange->handle(world.files());
    ASSERT_TRUE(world.exchange->done());
    EXPECT_EQ(world.exchange->carrier.prepared, 1u);
    EXPECT_EQ(world.exchange->carrier.body, "hello");
  }
  EXPECT_EQ(world.files().lookups_off_loop(), before);
}

TEST_F(FilesTest, HeadHasTheFieldsOfGet) {
  world.write("a.txt", "hello");
  const auto get = world.get("/a.txt").fields;
  const auto& answer = world.head("/a.txt");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.length, http::BodyLength::of(5));
  EXPECT_EQ(answer.fields, get);
}

TEST_F(FilesTest, AnEmptyFileIsAnEmptyBody) {
  world.write("empty", "");
  EXPECT_EQ(world.get("/empty").status, 200);
  EXPECT_EQ(world.get("/empty").length, http::BodyLength::of(0));
}

TEST_F(FilesTest, ALargeFileGoesOutFromItsDescriptor) {
  world.options.cache.file_size = 10;
  const std::string content(100'000, 'x');
  world.write("large.bin", content);
  for (int i = 0; i < 2; ++i) {
    const auto& answer = world.get("/large.bin");
    EXPECT_EQ(answer.files, 1u);
    EXPECT_EQ(answer.body, content);
    EXPECT_EQ(answer.prepared, 0u);
  }
  EXPECT_EQ(world.files().cache().count(CachedFile::Class::descriptor), 1u);
}

TEST_F(FilesTest, S20OtherMethods) {
  world.write("a.txt", "hello");
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "TRACE"}) {
    const auto& answer = world.ask(world.files(), method, "/a.txt");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.field("Allow"), "GET, HEAD, OPTIONS") << method;
  }
  const auto& options = world.ask(world.files(), "OPTIONS", "/a.txt");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.field("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(world.ask(world.files(), "BREW", "/a.txt").status, 501);
}

TEST_F(FilesTest, IndexOfADirectory) {
  world.options.index = {"index.htm", "index.html"};
  world.write("index.html", "root");
  world.write("sub/index.htm", "sub");
  world.write("none/other.html", "other");
  EXPECT_EQ(world.get("/").body, "root");
  EXPECT_EQ(world.get("/").field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(world.get("/sub/").body, "sub");
  EXPECT_EQ(world.get("/none/").status, 404);
}

// F04: relative, so that neither a Host nor `//evil` gets into it.
TEST_F(FilesTest, F04ADirectoryWithoutSlashIsARelativeRedirect) {
  world.write("sub/index.html", "x");
  world.write("a:b/index.html", "x");
  world.write("evil/x", "x");
  world.write("s p\xC3\xA9/x", "x");
  world.write("q?m/x", "x");
  const auto location = [&](std::string_view target) {
    const auto& answer = world.get(target);
    EXPECT_EQ(answer.status, 301) << target;
    return answer.field("Location");
  };
  EXPECT_EQ(location("/sub"), "./sub/");
  EXPECT_EQ(location("/sub?a=b&c"), "./sub/?a=b&c");
  EXPECT_EQ(location("/sub?"), "./sub/?");
  EXPECT_EQ(location("/a:b"), "./a:b/");
  EXPECT_EQ(location("//evil"), "./evil/");
  EXPECT_EQ(location("///evil"), "./evil/");
  EXPECT_EQ(location("/x/..//evil"), "./evil/");
  EXPECT_EQ(location("/s%20p%C3%A9"), "./s%20p%C3%A9/");
  EXPECT_EQ(location("/q%3Fm"), "./q%3Fm/");
}

TEST_F(FilesTest, AFileWithASlashIsNotADirectory) {
  world.write("a.txt", "hello");
  EXPECT_EQ(world.get("/a.txt/").status, 404);
  EXPECT_EQ(world.get("/a.txt/b").status, 404);
}

TEST_F(FilesTest, CleanUrls) {
  world.options.clean_urls = true;
  world.write("about.html", "about");
  world.write("docs.html", "page of docs");
  world.write("docs/index.html", "index of docs");
  world.write("plain", "plain");
  world.write("plain.html", "shadowed");
  world.write("index.html", "root");
  world.write("only/x.txt", "x");
  EXPECT_EQ(world.get("/about").body, "about");
  EXPECT_EQ(world.get("/about.html").status, 301);
  EXPECT_EQ(world.get("/about.html?x").field("Location"), "./about?x");
  EXPECT_EQ(world.get("/docs").body, "page of docs");
  EXPECT_EQ(world.get("/docs/").body, "index of docs");
  EXPECT_EQ(world.get("/docs.html").field("Location"), "./docs");
  EXPECT_EQ(world.get("/docs/index.html").field("Location"), "./");
  EXPECT_EQ(world.get("/index.html").field("Location"), "./");
  EXPECT_EQ(world.get("/plain").body, "plain");
  EXPECT_EQ(world.get("/plain.html").body, "shadowed");
  EXPECT_EQ(world.get("/only").field("Location"), "./only/");
  EXPECT_EQ(world.get("/nothing").status, 404);
  EXPECT_EQ(world.get("/nothing.html").status, 404);
  world.rebuild();
  world.options.clean_urls = false;
  EXPECT_EQ(world.get("/about").status, 404);
  EXPECT_EQ(world.get("/about.html").body, "about");
}

TEST_F(FilesTest, FallbackForPagesOfAnApplication) {
  world.options.fallback = "/index.html";
  world.write("index.html", "app");
  world.write("a.js", "js");
  world.write("dir/x", "x");
  const auto& page = world.get("/users/7", {{"Accept", "text/html,*/*;q=0.8"}});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "app");
  EXPECT_EQ(page.field("Vary"), "Accept, Sec-Fetch-Dest");
  EXPECT_EQ(world.get("/users/7").body, "app");
  EXPECT_EQ(world.get("/dir/").body, "app");
  EXPECT_EQ(world.head("/users/7").status, 200);
  EXPECT_EQ(world.get("/a.js").body, "js");
  EXPECT_EQ(world.get("/b.js", {{"Accept", "*/*"}, {"Sec-Fetch-Dest", "script"}}).status, 404);
  EXPECT_EQ(world.get("/c", {{"Accept", "*/*"}, {"Sec-Fetch-Dest", "document"}}).body, "app");
  EXPECT_EQ(world.get("/d.png", {{"Accept", "image/png"}}).status, 404);
  EXPECT_EQ(world.get("/e", {{"Accept", "application/json"}}).status, 404);
  EXPECT_EQ(world.get("/f", {{"Accept", "text/html;q=0, */*"}}).status, 404);
  EXPECT_EQ(world.get("/.env").status, 404);
  EXPECT_EQ(world.ask(world.files(), "POST", "/users/7").status, 405);
}

TEST_F(FilesTest, AMissingFallbackIsAnError) {
  world.options.fallback = "nowhere.html";
  EXPECT_EQ(world.get("/x").status, 404);
}

// F05
TEST_F(FilesTest, F05HiddenFiles) {
  for (const char* name :
       {".env", ".git/config", ".htaccess", "a/.htpasswd", "b.php~", "c.bak", "d.sql.old", "#e#",
        ".f.swp", ".well-known/acme", ".well-known/.secret", "a/.well-known/x", "ok.txt"}) {
    world.write(name, "content");
  }
  const std::pair<const char*, int> kTable[] = {
      {"/.env", 404},
      {"/%2eenv", 404},
      {"/.git/config", 404},
      {"/.git/", 404},
      {"/.git", 404},
      {"/.htaccess", 404},
      {"/a/.htpasswd", 404},
      {"/b.php~", 404},
      {"/b.php%7E", 404},
      {"/c.bak", 404},
      {"/c.BAK", 404},
      {"/d.sql.old", 404},
      {"/%23e%23", 404},
      {"/.f.swp", 404},
      {"/.well-known/acme", 200},
      {"/.well-known/.secret", 404},
      {"/a/.well-known/x", 404},
      {"/ok.txt", 200},
  };
  for (const auto& [target, status] : kTable) EXPECT_EQ(world.get(target).status, status) << target;
  world.rebuild();
  world.options.serve_hidden = true;
  for (const char* target : {"/.env", "/.git/config", "/b.php~", "/%23e%23"}) {
    EXPECT_EQ(world.get(target).status, 200) << target;
  }
}

// F01, F02, F03: spellings that canonical_path lets through must not find what is outside, nor
// decode twice. 400 is what the server answers where the path is refused.
TEST_F(FilesTest, F01SpellingsOfTraversal) {
  world.write("public/a.txt", "inside");
  world.write("etc/passwd", "inside");
  world.write("sdir/x", "inside");
  world.write("%2e%2e/x", "named so");
  std::ofstream(world.top / "secret") << "outside";
  std::filesystem::create_directory(world.top / "wwwsecret");
  std::ofstream(world.top / "wwwsecret/x") << "outside";
  const std::pair<const char*, int> kTable[] = {
      {"/public/a.txt", 200},
      {"/public/../public/a.txt", 200},
      {"/public/./a.txt", 200},
      {"//public//a.txt", 200},
      {"/%70ublic/a.txt", 200},
      {"/../secret", 400},
      {"/public/../../secret", 400},
      {"/..%2fsecret", 400},
      {"/public/..%2f..%2fsecret", 400},
      {"/%2e%2e/secret", 400},
      {"/%2E%2E/secret", 400},
      {"/.%2e/secret", 400},
      {"/..%5csecret", 400},
      {"/public/..%5c..%5csecret", 400},
      {"/%252e%252e/secret", 404},
      {"/..%252fsecret", 404},
      {"/%252e%252e/x", 200},  // decoded once: a directory of that very name
      {"/..;/secret", 400},
      {"/public/..;/..;/secret", 400},
      {"//etc/passwd", 200},  // ours: slashes merge, and the root is no host
      {"/%c0%ae%c0%ae/secret", 404},
      {"/%c0%af../secret", 404},
      {"/..%00/secret", 400},
      {"/public/a.txt%00.html", 400},
      {"/....//secret", 404},
      {"/s../secret", 404},  // off by slash
      {"/public%2fa.txt", 404},
      {"/public%5ca.txt", 404},
      {"/public/a.txt;x", 404},
      {"/public/a.txt%20", 404},
      {"/public/a.txt.", 404},
      {"/public/A.TXT", 404},
      {"/secret", 404},
  };
  for (const auto& [target, status] : kTable) {
    int got = 400;
    try {
      got = world.get(target).status;
      EXPECT_NE(world.exchange->carrier.body, "outside") << target;
    } catch (const std::invalid_argument&) {
    }
    if (target[1] == '.' && status == 404) {
      EXPECT_TRUE(got == 400 || got == 404) << target;
      continue;
    }
    EXPECT_EQ(got, status) << target;
  }
}

// F04
TEST_F(FilesTest, F04LinksLeadNowhereOutside) {
  std::ofstream(world.top / "secret") << "outside";
  world.write("real.txt", "inside");
  world.write("dir/x.txt", "inside");
  namespace fs = std::filesystem;
  fs::create_symlink("real.txt", world.root / "link.txt");
  fs::create_symlink("dir", world.root / "linkdir");
  fs::create_symlink("../secret", world.root / "out.txt");
  fs::create_symlink(world.top / "secret", world.root / "absolute.txt");
  fs::create_symlink("..", world.root / "up");
  fs::create_symlink("/proc/self/root", world.root / "magic");
  fs::create_symlink("loop", world.root / "loop");
  fs::create_symlink("nothing", world.root / "dangling");
  EXPECT_EQ(world.get("/link.txt").body, "inside");
  EXPECT_EQ(world.get("/linkdir/x.txt").body, "inside");
  for (const char* target : {"/out.txt", "/absolute.txt", "/up/secret", "/magic/etc/passwd",
                             "/magic/", "/loop", "/dangling", "/up"}) {
    EXPECT_EQ(world.get(target).status, 404) << target;
  }
  world.rebuild();
  world.options.symlinks = Symlinks::kFollow;
  EXPECT_EQ(world.get("/out.txt").body, "outside");
  world.rebuild();
  world.options.symlinks = Symlinks::kOwner;
  EXPECT_EQ(world.get("/out.txt").body, "outside");  // the owner is the same
}

// F04: what isn't a file answers 404, and never blocks.
TEST_F(FilesTest, F04FifosAndPermissions) {
  ASSERT_EQ(::mkfifo((world.root / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(world.get("/fifo").status, 404);
  EXPECT_EQ(world.get("/" + std::string(300, 'n')).status, 404);
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "/d";
  EXPECT_EQ(world.get(deep).status, 404);
  if (::geteuid() != 0) {
    world.write("private.txt", "x");
    std::filesystem::permissions(world.root / "private.txt", std::filesystem::perms::none);
    EXPECT_EQ(world.get("/private.txt").status, 403);
  }
}

// F06
TEST_F(FilesTest, F06Ranges) {
  world.write("ten.txt", "0123456789");
  const auto range = [&](const char* value) -> const http::FakeCarrier& {
    return world.get("/ten.txt", {{"Range", value}});
  };
  EXPECT_EQ(range("bytes=2-4").status, 206);
  EXPECT_EQ(range("bytes=2-4").body, "234");
  EXPECT_EQ(range("bytes=2-4").field("Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(range("bytes=2-4").length, http::BodyLength::of(3));
  EXPECT_EQ(range("bytes=-3").body, "789");
  EXPECT_EQ(range("bytes=7-").body, "789");
  EXPECT_EQ(range("bytes=0-18446744073709551615").body, "0123456789");
  EXPECT_EQ(range("bytes=10-").status, 416);
  EXPECT_EQ(range("bytes=10-").field("Content-Range"), "bytes */10");
  EXPECT_FALSE(range("bytes=10-").has("Content-Encoding"));
  for (const char* bad : {"bytes=a-b", "bytes=5-2", "bites=1-2", "bytes 1-2", "bytes=", "1-2",
                          "bytes=18446744073709551616-"}) {
    EXPECT_NE(range(bad).status, 206) << bad;
    EXPECT_TRUE(range(bad).status == 200 || range(bad).status == 416) << bad;
  }
  EXPECT_EQ(world.head("/ten.txt", {{"Range", "bytes=2-4"}}).status, 200);
  const auto& twice = world.get("/ten.txt", {{"Range", "bytes=0-0"}, {"Range", "bytes=1-1"}});
  EXPECT_EQ(twice.status, 200);
}

TEST_F(FilesTest, F06SeveralRangesAreOneMultipartBody) {
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += static_cast<char>('a' + i % 26);
  world.write("big.txt", content);
  world.write("small.txt", content.substr(0, 60'000));
  for (const char* target : {"/big.txt", "/small.txt"}) {
    const auto& answer = world.get(target, {{"Range", "bytes=0-9, 50000-50009"}});
    EXPECT_EQ(answer.status, 206);
    const std::string type = answer.field("Content-Type");
    ASSERT_TRUE(type.starts_with("multipart/byteranges; boundary=")) << type;
    const std::string boundary = type.substr(type.find('=') + 1);
    EXPECT_FALSE(answer.has("Content-Range"));
    EXPECT_EQ(answer.length.size, answer.body.size());
    EXPECT_NE(answer.body.find(content.substr(0, 10)), std::string::npos);
    EXPECT_NE(answer.body.find(content.substr(50'000, 10)), std::string::npos);
    EXPECT_NE(answer.body.find("Content-Range: bytes 50000-50009/"), std::string::npos);
    EXPECT_TRUE(answer.body.ends_with("--" + boundary + "--\r\n"));
  }
}

// F06, CVE-2011-3192: many overlapping ranges cost no more than the whole.
TEST_F(FilesTest, F06ManyRangesNeverExceedTheWhole) {
  const std::string content(100'000, 'x');
  world.write("big.txt", content);
  std::string many = "bytes=";
  for (int i = 0; i < 1000; ++i) many += "0-99999,";
  many += "0-1";
  const auto& answer = world.get("/big.txt", {{"Range", many}});
  EXPECT_LE(answer.body.size(), content.size());
}

// F06, F07: If-Range.
TEST_F(FilesTest, F06IfRange) {
  world.write("ten.txt", "0123456789");
  const std::string etag = world.get("/ten.txt").field("ETag");
  const std::string date = world.get("/ten.txt").field("Last-Modified");
  const auto status = [&](const std::string& if_range) {
    return world.get("/ten.txt", {{"Range", "bytes=0-1"}, {"If-Range", if_range}}).status;
  };
  EXPECT_EQ(status(etag), 206);
  EXPECT_EQ(status(date), 206);
  EXPECT_EQ(status("\"other\""), 200);
  EXPECT_EQ(status("W/" + etag), 200);
  EXPECT_EQ(status("Mon, 01 Jan 1990 00:00:00 GMT"), 200);
}

// F07
TEST_F(FilesTest, F07Preconditions) {
  world.options.cache_control.push_back({*base::Glob::compile("/**"), "max-age=60"});
  world.write("a.txt", "hello");
  const std::string etag = world.get("/a.txt").field("ETag");
  const std::string date = world.get("/a.txt").field("Last-Modified");
  const std::string past = "Mon, 01 Jan 1990 00:00:00 GMT";
  const auto status = [&](const World::List& fields) { return world.get("/a.txt", fields).status; };
  EXPECT_EQ(status({{"If-None-Match", etag}}), 304);
  EXPECT_EQ(status({{"If-None-Match", "W/" + etag}}), 304);
  EXPECT_EQ(status({{"If-None-Match", "\"x\", " + etag}}), 304);
  EXPECT_EQ(status({{"If-None-Match", "\"x\""}, {"If-None-Match", etag}}), 304);
  EXPECT_EQ(status({{"If-None-Match", "*"}}), 304);
  EXPECT_EQ(status({{"If-None-Match", "\"x\""}}), 200);
  EXPECT_EQ(status({{"If-Modified-Since", date}}), 304);
  EXPECT_EQ(status({{"If-Modified-Since", past}}), 200);
  EXPECT_EQ(status({{"If-None-Match", "\"x\""}, {"If-Modified-Since", date}}), 200);
  EXPECT_EQ(status({{"If-Match", etag}}), 200);
  EXPECT_EQ(status({{"If-Match", "\"x\""}}), 412);
  EXPECT_EQ(status({{"If-Match", "W/" + etag}}), 412);
  EXPECT_EQ(status({{"If-Match", "*"}}), 200);
  EXPECT_EQ(status({{"If-Unmodified-Since", past}}), 412);
  EXPECT_EQ(status({{"If-Unmodified-Since", date}}), 200);
  EXPECT_EQ(status({{"If-Match", "\"x\""}, {"If-None-Match", etag}}), 412);
  const auto& unchanged = world.get("/a.txt", {{"If-None-Match", etag}});
  EXPECT_EQ(unchanged.body, "");
  EXPECT_EQ(unchanged.field("ETag"), etag);
  EXPECT_EQ(unchanged.field("Cache-Control"), "max-age=60");
  EXPECT_FALSE(unchanged.has("Content-Type"));
  EXPECT_EQ(world.head("/a.txt", {{"If-None-Match", etag}}).status, 304);
}

TEST_F(FilesTest, LastModifiedIsNeverInTheFuture) {
  world.write("future.txt", "x", -hours(100));
  const std::string date = world.get("/future.txt").field("Last-Modified");
  EXPECT_LE(*base::parse_http_date(date, 0), world.loop.unix_time());
}

TEST_F(FilesTest, CacheControlByGlobOfTheFile) {
  world.options.cache_control.push_back({*base::Glob::compile("/assets/**"), "immutable"});
  world.options.cache_control.push_back({*base::Glob::compile("/**/*.html"), "no-cache"});
  world.write("assets/a.js", "x");
  world.write("index.html", "x");
  world.write("b.txt", "x");
  EXPECT_EQ(world.get("/assets/a.js").field("Cache-Control"), "immutable");
  EXPECT_EQ(world.get("/").field("Cache-Control"), "no-cache");
  EXPECT_EQ(world.get("/assets/a.js", {{"Range", "bytes=0-0"}}).field("Cache-Control"),
            "immutable");
  EXPECT_FALSE(world.get("/b.txt").has("Cache-Control"));
  EXPECT_FALSE(world.get("/assets/none.js").has("Cache-Control"));
}

// F08: Vary on 200, 206 and 304; a tag of its own for each form.
TEST_F(FilesTest, F08PrecompressedSiblings) {
  world.write("app.js", "plain text");
  world.write("app.js.br", "BR-bytes");
  world.write("app.js.gz", "GZ-bytes");
  world.write("stale.js", "new", seconds(10));
  world.write("stale.js.gz", "old", hours(2));
  const auto ask = [&](const char* accept, World::List more = {}) -> const http::FakeCarrier& {
    more.emplace_back("Accept-Encoding", accept);
    return world.get("/app.js", more);
  };
  EXPECT_EQ(ask("gzip, deflate, br").body, "BR-bytes");
  EXPECT_EQ(ask("gzip, br").field("Content-Encoding"), "br");
  EXPECT_EQ(ask("gzip, br").field("Content-Type"), world.get("/app.js").field("Content-Type"));
  EXPECT_EQ(ask("gzip").body, "GZ-bytes");
  EXPECT_EQ(ask("gzip;q=1, br;q=0.5").body, "GZ-bytes");
  EXPECT_EQ(ask("br;q=0, gzip;q=0").body, "plain text");
  EXPECT_EQ(ask("identity;q=0, *;q=0").body, "plain text");
  EXPECT_EQ(ask("zstd").body, "plain text");
  EXPECT_EQ(world.get("/app.js").body, "plain text");
  EXPECT_EQ(world.get("/app.js").field("Vary"), "Accept-Encoding");
  const std::string plain = world.get("/app.js").field("ETag");
  const std::string br = ask("br").field("ETag");
  EXPECT_NE(plain, br);
  EXPECT_TRUE(br.ends_with("-br\"")) << br;
  const auto& part = ask("br", {{"Range", "bytes=0-1"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "BR");
  EXPECT_EQ(part.field("Content-Encoding"), "br");
  EXPECT_EQ(part.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(ask("br", {{"If-None-Match", br}}).status, 304);
  EXPECT_EQ(world.exchange->carrier.field("Vary"), "Accept-Encoding");
  EXPECT_FALSE(world.exchange->carrier.has("Content-Encoding"));
  EXPECT_EQ(ask("br", {{"If-None-Match", plain}}).status, 200);
  EXPECT_EQ(world.get("/stale.js", {{"Accept-Encoding", "gzip"}}).body, "new");
  EXPECT_EQ(world.get("/app.js.gz").field("Content-Encoding"), "(none)");
  const auto& head = world.head("/app.js", {{"Accept-Encoding", "br"}});
  EXPECT_EQ(head.length, http::BodyLength::of(8));
}

TEST_F(FilesTest, AChangeIsSeenOnceTheEntryIsLookedAtAgain) {
  world.options.cache.fresh = seconds(0);
  world.write("a.txt", "old", hours(2));
  EXPECT_EQ(world.get("/a.txt").body, "old");
  const std::string etag = world.get("/a.txt").field("ETag");
  world.write("a.txt", "new", hours(1));
  EXPECT_EQ(world.get("/a.txt").body, "new");
  EXPECT_NE(world.get("/a.txt").field("ETag"), etag);
  world.write("a.txt.br", "BR", seconds(0));
  EXPECT_EQ(world.get("/a.txt", {{"Accept-Encoding", "br"}}).body, "BR");
  std::filesystem::remove(world.root / "a.txt");
  EXPECT_EQ(world.get("/a.txt").status, 404);
  world.write("a.txt", "back");
  EXPECT_EQ(world.get("/a.txt").body, "back");
}

TEST_F(FilesTest, AnUnchangedFileIsNotReadAgain) {
  world.options.cache.fresh = seconds(0);
  world.write("a.txt", "text");
  const http::PreparedResponse* before = nullptr;
  // It is, while a change might not show in its time yet.
  world.wait([&] { return std::exchange(before, world.get("/a.txt").last_prepared) == before; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(world.get("/a.txt").last_prepared, before);
}

TEST_F(FilesTest, WhatIsFreshIsNotLookedAtAgain) {
  world.write("a.txt", "old");
  world.get("/a.txt");
  world.get("/missing");
  std::filesystem::remove(world.root / "a.txt");
  world.write("missing", "here now");
  EXPECT_EQ(world.get("/a.txt").body, "old");
  EXPECT_EQ(world.get("/missing").status, 404);
}

TEST_F(FilesTest, WorksWithoutACache) {
  world.options.cache.files = 0;
  world.write("a.txt", "hello");
  world.write("b/index.html", "b");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(world.get("/a.txt").body, "hello");
    EXPECT_EQ(world.get("/b").status, 301);
    EXPECT_EQ(world.get("/b/").body, "b");
    EXPECT_EQ(world.get("/c").status, 404);
  }
}

TEST_F(FilesTest, ExchangesThatWaitForOnePathShareALookup) {
  world.write("a.txt", "hello");
  Files& files = world.files();
  std::vector<std::unique_ptr<http::FakeExchange>> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(std::make_unique<http::FakeExchange>("GET", "/a.txt"));
    waiting.back()->handle(files);
  }
  waiting[1]->cancel();
  waiting[4]->cancel();
  world.wait([&] {
    return std::ranges::all_of(waiting, [](const auto& exchange) { return exchange->done(); });
  });
  for (size_t i : {0, 2, 3}) EXPECT_EQ(waiting[i]->carrier.body, "hello");
  EXPECT_LE(files.lookups_off_loop(), 1u);
  EXPECT_EQ(waiting[1]->carrier.status, 0);
}

TEST_F(FilesTest, TheHandlerMayGoWhileALookupIsUnderWay) {
  world.write("a.txt", "hello");
  world.begin("GET", "/a.txt");
  world.exchange->handle(world.files());
  world.exchange->cancel();
  world.rebuild();
  EXPECT_EQ(world.get("/a.txt").body, "hello");
}

TEST_F(FilesTest, AFullQueueIs503) {
  io::HelperPool none(1, 0);
  Services services{world.loop, none, none, world.types, world.random, {5, 6}};
  world.write("never-seen.txt", "x");
  auto files = Files::create(world.options, services);
  ASSERT_TRUE(files);
  const auto& answer = world.ask(**files, "GET", "/never-seen.txt");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.field("Retry-After"), "1");
}

TEST_F(FilesTest, ARootThatIsSwappedIsFollowed) {
  world.options.cache.fresh = seconds(0);
  std::filesystem::create_directory(world.top / "v1");
  std::filesystem::create_directory(world.top / "v2");
  std::ofstream(world.top / "v1/a.txt") << "one";
  std::ofstream(world.top / "v2/a.txt") << "two";
  std::filesystem::create_symlink("v1", world.top / "current");
  world.options.root = world.top / "current";
  EXPECT_EQ(world.get("/a.txt").body, "one");
  std::filesystem::create_symlink("v2", world.top / "next");
  std::filesystem::rename(world.top / "next", world.top / "current");
  std::string body;
  world.wait([&] {
    body = world.get("/a.txt").body;
    return body == "two";
  });
  EXPECT_EQ(body, "two");
}

TEST_F(FilesTest, ARootThatIsMissingIsASentence) {
  world.options.root = world.top / "nowhere";
  const auto made = Files::create(world.options, world.services);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("nowhere"), std::string::npos);
}

// Drops the body: what the transform of a filter would make of it.
class Upper final : public http::BodyTransform {
 public:
  void transform(std::string_view bytes, std::string& out) override {
    for (char c : bytes) out += static_cast<char>(c - 32);
  }
  void finish(std::string& out) override { out += '!'; }
};
class Hook final : public http::ResponseHook {
 public:
  void on_response(http::Exchange& exchange) const override {
    exchange.add_transform(std::make_unique<Upper>());
  }
};

TEST_F(FilesTest, ALargeFilePassesTransformsInPieces) {
  world.options.cache.file_size = 10;
  const std::string content(100'000, 'x');
  world.write("large.txt", content);
  const Hook hook;
  world.begin("GET", "/large.txt");
  world.exchange->exchange.add_hook(hook);
  world.exchange->handle(world.files());
  world.wait();
  const auto& answer = world.exchange->carrier;
  EXPECT_EQ(answer.body, std::string(100'000, 'X') + "!");
  EXPECT_EQ(answer.length.kind, http::BodyKind::unknown);
  EXPECT_GE(answer.writes, 4u);
  EXPECT_TRUE(answer.ended);
}

// F09: what became shorter is cut, never padded.
TEST_F(FilesTest, F09AFileThatBecameShorterIsAborted) {
  world.options.cache.file_size = 10;
  world.write("large.txt", std::string(100'000, 'x'));
  world.get("/large.txt");
  std::filesystem::resize_file(world.root / "large.txt", 50'000);
  const Hook hook;
  world.begin("GET", "/large.txt");
  world.exchange->exchange.add_hook(hook);
  world.exchange->handle(world.files());
  world.wait();
  EXPECT_TRUE(world.exchange->carrier.aborted);
  EXPECT_FALSE(world.exchange->carrier.ended);
}

TEST_F(FilesTest, ASlowClientHoldsTheReadingBack) {
  world.options.cache.file_size = 10;
  world.write("large.txt", std::string(200'000, 'x'));
  world.get("/large.txt");
  const Hook hook;
  world.begin("GET", "/large.txt");
  world.exchange->exchange.add_hook(hook);
  world.exchange->carrier.can_write = false;
  world.exchange->handle(world.files());
  for (int i = 0; i < 5; ++i) world.loop.turn(std::chrono::milliseconds(1));
  EXPECT_FALSE(world.exchange->done());
  EXPECT_EQ(world.exchange->carrier.writes, 1u);
  world.exchange->drain();
  world.wait();
  EXPECT_EQ(world.exchange->carrier.body.size(), 200'001u);
}

}  // namespace
}  // namespace handlers
