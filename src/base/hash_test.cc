#include "base/hash.h"

#include <gtest/gtest.h>

namespace base {
namespace {

// Vectors made with OpenSSL's SipHash MAC (c-rounds 1, d-rounds 3, 8 bytes), key 00 01 … 0f.
TEST(HashTest, SipHash13) {
  const HashKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string input;
  const std::uint64_t expected[] = {0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d,
                                    0x8bf80ab8e7ddf7fb, 0xcf75576088d38328, 0xdef9d52f49533b67,
                                    0xc50d2b50c59f22a7, 0xd3927d989bb11140, 0x369095118d299a8e,
                                    0x25a48eb36c063de4, 0x79de85ee92ff097f, 0x70c118c1f94dc352,
                                    0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34,
                                    0xd320d86d2a519956, 0xcc4fdd1a7d908b66};
  for (std::uint64_t value : expected) {
    EXPECT_EQ(siphash(key, input), value) << input.size();
    input += static_cast<char>(input.size());
  }
}

TEST(HashTest, FindsByView) {
  StringMap<int> table(0, StringHash{{1, 2}});
  table["one"] = 1;
  EXPECT_EQ(table.find(std::string_view("one"))->second, 1);
  EXPECT_EQ(table.find(std::string_view("two")), table.end());
}

}  // namespace
}  // namespace base
