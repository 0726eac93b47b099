#include "proxy_protocol/reader.h"

#include <gtest/gtest.h>

#include <string>

#include "proxy_protocol/writer.h"

namespace proxy_protocol {
namespace {

std::string bytes_of(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

std::string head(int version_and_command, int family, std::size_t size) {
  std::string text(kSignature);
  text += static_cast<char>(version_and_command);
  text += static_cast<char>(family);
  text += static_cast<char>(size >> 8);
  text += static_cast<char>(size & 0xff);
  return text;
}

// What any input must obey: every prefix asks for more until the header is whole, and what follows
// it changes nothing.
Parsed parse_split(std::string_view header) {
  const Parsed whole = parse(header);
  EXPECT_EQ(whole.result, Result::kDone) << whole.error;
  EXPECT_EQ(whole.header.size, header.size());
  for (std::size_t size = 0; size < header.size(); ++size) {
    EXPECT_EQ(parse(header.substr(0, size)).result, Result::kNeedMore) << size;
  }
  const std::string more = std::string(header) + "GET / HTTP/1.1\r\n\r\n";
  EXPECT_EQ(parse(more).result, Result::kDone);
  EXPECT_EQ(parse(more).header.size, header.size());
  return whole;
}

// Invalid as a whole, and never complete at any split.
void expect_invalid(std::string_view input) {
  EXPECT_EQ(parse(input).result, Result::kInvalid) << input;
  for (std::size_t size = 0; size < input.size(); ++size) {
    EXPECT_NE(parse(input.substr(0, size)).result, Result::kDone) << size;
  }
}

TEST(ReaderTest, Version1Ipv4) {
  const std::string text = "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\n";
  const Header header = parse_split(text).header;
  EXPECT_EQ(header.version, 1);
  EXPECT_FALSE(header.local);
  EXPECT_EQ(header.source.to_string(), "192.0.2.1:56324");
  EXPECT_EQ(header.destination.to_string(), "198.51.100.2:443");
}

TEST(ReaderTest, Version1Ipv6) {
  const std::string text = "PROXY TCP6 2001:db8::1 ::1 0 65535\r\n";
  const Header header = parse_split(text).header;
  EXPECT_EQ(header.source.to_string(), "[2001:db8::1]:0");
  EXPECT_EQ(header.destination.to_string(), "[::1]:65535");
}

TEST(ReaderTest, Version1Longest) {
  // The specification's worst cases (section 2.1).
  const std::string f = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
  parse_split("PROXY TCP6 " + f + " " + f + " 65535 65535\r\n");
  const std::string unknown = "PROXY UNKNOWN " + f + " " + f + " 65535 65535\r\n";
  EXPECT_EQ(unknown.size(), kVersion1SizeMax);
  EXPECT_TRUE(parse_split(unknown).header.local);
  EXPECT_TRUE(parse_split("PROXY UNKNOWN\r\n").header.local);
  EXPECT_TRUE(parse_split("PROXY UNKNOWN anything at all\r\n").header.local);
}

TEST(ReaderTest, Version1Invalid_N01_N02) {
  const std::string good = "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443";
  for (const char* text : {
           "GET / HTTP/1.1\r\n",
           "PROXY\r\n",
           "proxy TCP4 192.0.2.1 198.51.100.2 1 2\r\n",
           "PROXY  TCP4 192.0.2.1 198.51.100.2 1 2\r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 1\r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 1 2 3\r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 1 2 \r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 65536 2\r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 01 2\r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 +1 2\r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 1 \r\n",
           "PROXY TCP4 192.0.2.256 198.51.100.2 1 2\r\n",
           "PROXY TCP4 192.0.2 198.51.100.2 1 2\r\n",
           "PROXY TCP4 ::1 ::1 1 2\r\n",
           "PROXY TCP6 192.0.2.1 198.51.100.2 1 2\r\n",
           "PROXY TCP6 fe80::1%1 ::1 1 2\r\n",
           "PROXY TCP5 192.0.2.1 198.51.100.2 1 2\r\n",
           "PROXY UDP4 192.0.2.1 198.51.100.2 1 2\r\n",
           "PROXY UNKNOWNX\r\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 1 2\n",
           "PROXY TCP4 192.0.2.1 198.51.100.2 1 2\r\r\n",
       }) {
    expect_invalid(text);
  }
  expect_invalid(good + std::string("\0\r\n", 3));
  expect_invalid("\x16\x03\x01");  // a ClientHello
}

TEST(ReaderTest, Version1TooLong_N02) {
  const std::string start = "PROXY UNKNOWN ";
  const std::string longest = start + std::string(kVersion1SizeMax - start.size() - 2, 'x');
  EXPECT_EQ(parse(longest + "\r\n").result, Result::kDone);
  expect_invalid(longest + "x\r\n");
  EXPECT_EQ(parse(start + std::string(100'000, 'x')).result, Result::kInvalid);
}

TEST(ReaderTest, RepeatedHeaderIsTheConnectionsAffair_N02) {
  const std::string one = "PROXY TCP4 192.0.2.1 198.51.100.2 1 2\r\n";
  // The second is not read as one: it is the first line of the protocol above, which refuses it.
  EXPECT_EQ(parse(one + one).header.size, one.size());
}

TEST(ReaderTest, Version2Ipv4) {
  std::string text = head(0x21, 0x11, 12);
  text += bytes_of({192, 0, 2, 1, 198, 51, 100, 2, 0xdc, 0x04, 0x01, 0xbb});
  const Header header = parse_split(text).header;
  EXPECT_EQ(header.version, 2);
  EXPECT_FALSE(header.local);
  EXPECT_FALSE(header.datagram);
  EXPECT_EQ(header.source.to_string(), "192.0.2.1:56324");
  EXPECT_EQ(header.destination.to_string(), "198.51.100.2:443");
}

TEST(ReaderTest, Version2Ipv6Datagram) {
  std::string text = head(0x21, 0x22, 36);
  text += bytes_of({0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  text += bytes_of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  text += bytes_of({0, 80, 0, 81});
  const Header header = parse_split(text).header;
  EXPECT_TRUE(header.datagram);
  EXPECT_EQ(header.source.to_string(), "[2001:db8::1]:80");
  EXPECT_EQ(header.destination.to_string(), "[::1]:81");
}

TEST(ReaderTest, Version2Unix_N02) {
  std::string source = "/run/client.sock";
  std::string destination = std::string("\0hidden", 7);
  source.resize(108, '\0');
  destination.resize(108, '\0');
  const Header header = parse_split(head(0x21, 0x31, 216) + source + destination).header;
  EXPECT_EQ(header.source.path(), "/run/client.sock");
  EXPECT_EQ(header.destination.path(), "@hidden");
  // A path of 108 bytes has no NUL; a socket without a name is nothing but NULs.
  const std::string text = head(0x21, 0x31, 216) + std::string(108, 'p') + std::string(108, '\0');
  EXPECT_EQ(parse(text).header.source.path().size(), 108u);
  EXPECT_EQ(parse(text).header.destination.family(), base::Address::Family::kNone);
}

TEST(ReaderTest, Version2Local_N02) {
  EXPECT_TRUE(parse_split(head(0x20, 0x00, 0)).header.local);
  // Whatever its block holds is skipped, by its length.
  const Header header = parse_split(head(0x20, 0xff, 300) + std::string(300, '\xff')).header;
  EXPECT_TRUE(header.local);
  EXPECT_TRUE(header.tlvs.empty());
}

TEST(ReaderTest, Version2Unspecified_N02) {
  EXPECT_TRUE(parse_split(head(0x21, 0x00, 0)).header.local);
  EXPECT_TRUE(parse_split(head(0x21, 0x00, 7) + std::string(7, '\xff')).header.local);
  EXPECT_TRUE(parse_split(head(0x21, 0x10, 12) + std::string(12, '\1')).header.local);
}

TEST(ReaderTest, Version2Invalid_N02) {
  expect_invalid(head(0x22, 0x11, 12) + std::string(12, '\0'));  // command
  expect_invalid(head(0x11, 0x11, 12) + std::string(12, '\0'));  // version
  expect_invalid(head(0x31, 0x11, 12) + std::string(12, '\0'));
  expect_invalid(head(0x21, 0x41, 12) + std::string(12, '\0'));  // family
  expect_invalid(head(0x21, 0x13, 12) + std::string(12, '\0'));  // protocol
  expect_invalid(head(0x21, 0x11, 11) + std::string(11, '\0'));  // shorter than its addresses
  expect_invalid(head(0x21, 0x21, 35) + std::string(35, '\0'));
  expect_invalid(head(0x21, 0x31, 215) + std::string(215, '\0'));
  // Huge: refused by its sixteenth byte.
  EXPECT_EQ(parse(head(0x21, 0x11, 0xffff)).result, Result::kInvalid);
  EXPECT_EQ(parse(head(0x20, 0x11, 0xffff)).result, Result::kInvalid);
  std::string broken(kSignature);
  broken[11] = '\r';
  expect_invalid(broken + std::string(20, '\0'));
}

TEST(ReaderTest, Version2Tlvs_N02) {
  const std::string addresses(12, '\1');
  const std::string tlvs = bytes_of({0x01, 0, 2}) + "h2" + bytes_of({0x02, 0, 11}) + "example.com" +
                           bytes_of({0x04, 0, 0}) + bytes_of({0xe0, 0, 1, 7});
  const std::string text = head(0x21, 0x11, addresses.size() + tlvs.size()) + addresses + tlvs;
  const Header header = parse_split(text).header;
  EXPECT_EQ(find_tlv(header.tlvs, TlvType::kAlpn), "h2");
  EXPECT_EQ(find_tlv(header.tlvs, TlvType::kAuthority), "example.com");
  EXPECT_EQ(find_tlv(header.tlvs, TlvType::kNoop), "");
  EXPECT_EQ(find_tlv(header.tlvs, TlvType::kUniqueId), std::nullopt);
  const auto with = [&](const std::string& vectors) {
    return head(0x21, 0x11, addresses.size() + vectors.size()) + addresses + vectors;
  };
  expect_invalid(with(bytes_of({0x01})));
  expect_invalid(with(bytes_of({0x01, 0})));
  expect_invalid(with(bytes_of({0x01, 0, 1})));
  expect_invalid(with(bytes_of({0x01, 0xff, 0xff}) + "h2"));
  expect_invalid(with(tlvs + bytes_of({0x01})));
  expect_invalid(with(bytes_of({0x05, 0, 129}) + std::string(129, 'u')));  // unique id
  EXPECT_EQ(parse(with(bytes_of({0x05, 0, 128}) + std::string(128, 'u'))).result, Result::kDone);
  expect_invalid(with(bytes_of({0x20, 0, 4, 1, 0, 0, 0})));                 // SSL: too short
  expect_invalid(with(bytes_of({0x20, 0, 8, 1, 0, 0, 0, 0, 0x21, 0, 1})));  // its vector: too long
  expect_invalid(with(bytes_of({0x03, 0, 4, 0, 0, 0, 0})));                 // checksum: wrong
  expect_invalid(with(bytes_of({0x03, 0, 3, 0, 0, 0})));                    // checksum: short
}

TEST(ReaderTest, Crc32c) {
  // RFC 3720 B.4.
  EXPECT_EQ(crc32c(0, std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(0, std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(0, "123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(crc32c(0, "1234"), "56789"), 0xe3069283u);
}

TEST(ReaderTest, ChecksumNoticesEveryBit_N02) {
  base::Buffer out;
  const Tlv alpn{TlvType::kAlpn, "http/1.1"};
  ASSERT_TRUE(write_version2(out, {.source = base::Address::ipv4(0xc0000201, 1),
                                   .destination = base::Address::ipv4(0xc6336402, 2),
                                   .tlvs = {&alpn, 1},
                                   .crc32c = true}));
  const std::string good(out.view());
  parse_split(good);
  for (std::size_t i = 16; i < good.size(); ++i) {  // before it: another header, or none
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      const bool type = i == good.size() - 7;  // no checksum any more, but an unknown vector
      if (type) continue;
      EXPECT_EQ(parse(bad).result, Result::kInvalid) << i << ' ' << bit;
    }
  }
}

}  // namespace
}  // namespace proxy_protocol
