#include "tls/ticket_keys.h"

#include <gtest/gtest.h>

namespace tls {
namespace {

using std::chrono::hours;

constexpr std::int64_t kHour = 3600;

TEST(TicketKeysTest, RotatesAndForgets_T05) {
  TicketKeys keys(0);
  const TicketKeys::Key first = keys.keys()->front();
  EXPECT_FALSE(keys.maintain(12 * kHour - 1, hours(12), hours(24)));
  EXPECT_TRUE(keys.maintain(12 * kHour, hours(12), hours(24)));
  ASSERT_EQ(keys.keys()->size(), 2u);
  EXPECT_NE(keys.keys()->front().name, first.name);
  EXPECT_EQ(keys.keys()->back().name, first.name);
  EXPECT_EQ(keys.keys()->front().created, 12 * kHour);
  keys.maintain(24 * kHour, hours(12), hours(24));
  keys.maintain(36 * kHour, hours(12), hours(24));
  EXPECT_EQ(keys.keys()->back().name, first.name);  // what it sealed last may still live
  keys.maintain(36 * kHour + 1, hours(12), hours(24));
  EXPECT_NE(keys.keys()->back().name, first.name);
  EXPECT_EQ(keys.keys()->size(), 3u);
}

TEST(TicketKeysTest, Bounds_T05) {
  TicketKeys keys(0);
  // Never older than a day, whatever is asked for.
  EXPECT_TRUE(keys.maintain(24 * kHour, hours(1000), hours(24)));
  for (int i = 0; i < 1000; ++i) keys.maintain((25 + i) * kHour, hours(1), hours(24 * 365));
  EXPECT_EQ(keys.keys()->size(), TicketKeys::kKeysMax);
  // A clock that jumps back makes no key and loses none.
  EXPECT_FALSE(keys.maintain(0, hours(1), hours(24 * 7)));
}

TEST(TicketKeysTest, Random) {
  const TicketKeys one(0);
  const TicketKeys two(0);
  EXPECT_NE(one.keys()->front().name, two.keys()->front().name);
  EXPECT_NE(one.keys()->front().cipher_key, two.keys()->front().cipher_key);
  EXPECT_NE(one.keys()->front().mac_key, two.keys()->front().mac_key);
}

TEST(TicketKeysTest, TravelsToAnotherProcess) {
  TicketKeys from(0);
  from.maintain(13 * kHour, hours(12), hours(24));
  TicketKeys to(100);
  ASSERT_TRUE(to.take_over(from.text()));
  EXPECT_EQ(to.text(), from.text());
  EXPECT_EQ(to.keys()->size(), 2u);
  const std::string text = from.text();
  for (const std::string& broken :
       {std::string(), std::string("hello"), text.substr(1), text.substr(0, text.size() - 1),
        text + "x", text.substr(0, 22)}) {
    EXPECT_FALSE(to.take_over(broken));
  }
  EXPECT_EQ(to.text(), text);
  // A handshake that began with the old set goes on with it.
  const auto held = to.keys();
  to.take_over(TicketKeys(5).text());
  EXPECT_EQ(held->size(), 2u);
}

}  // namespace
}  // namespace tls
