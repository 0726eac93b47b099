#include "base/base64.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Base64Test, VectorsOfRfc4648) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(base64(plain), encoded);
    EXPECT_EQ(base64_decode(encoded), plain);
  }
  EXPECT_EQ(base64("\xfb\xff"), "+/8=");
  EXPECT_EQ(base64url("\xfb\xff"), "-_8");
  EXPECT_EQ(base64url_decode("-_8"), "\xfb\xff");
}

TEST(Base64Test, EveryByteRoundTrips) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(base64_decode(base64(bytes)), bytes);
    EXPECT_EQ(base64url_decode(base64url(bytes)), bytes);
  }
}

TEST(Base64Test, OneValueHasOneSpelling) {
  for (const char* bad : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm 9v",
                          "Zm9v\n", "-_8=", "=Zg=", "Zm9v="}) {
    EXPECT_EQ(base64_decode(bad), std::nullopt) << bad;
  }
  for (const char* bad : {"Zg==", "Z", "Zh", "+/8"}) {
    EXPECT_EQ(base64url_decode(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace base
