#include "proxy_protocol/writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proxy_protocol/reader.h"

namespace proxy_protocol {
namespace {

const base::Address kClient = base::Address::ipv4(0xc0000201, 56324);
const base::Address kServer = base::Address::ipv4(0xc6336402, 443);
const base::Address kServer6 = *base::Address::parse("[2001:db8::1]:443");

std::string version1(const base::Address& source, const base::Address& destination) {
  base::Buffer out;
  write_version1(out, source, destination);
  return std::string(out.view());
}

TEST(WriterTest, Version1) {
  EXPECT_EQ(version1(kClient, kServer), "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\n");
  EXPECT_EQ(version1(kServer6, kServer6), "PROXY TCP6 2001:db8::1 2001:db8::1 443 443\r\n");
  EXPECT_EQ(version1(kClient, kServer6), "PROXY TCP6 ::ffff:192.0.2.1 2001:db8::1 56324 443\r\n");
  EXPECT_EQ(version1(kClient, base::Address::unix_path("/run/x")), "PROXY UNKNOWN\r\n");
  EXPECT_EQ(version1({}, {}), "PROXY UNKNOWN\r\n");
  const Header header = parse(version1(kClient, kServer6)).header;
  EXPECT_EQ(header.source, kClient);
  EXPECT_EQ(header.destination, kServer6);
}

TEST(WriterTest, Version2) {
  std::string ssl;
  ASSERT_TRUE(append_ssl_value(ssl, {.certificate_connection = true,
                                     .verified = true,
                                     .version = "TLSv1.3",
                                     .common_name = "client",
                                     .cipher = "TLS_AES_128_GCM_SHA256"}));
  const std::vector<Tlv> tlvs = {{TlvType::kAlpn, "h2"},
                                 {TlvType::kAuthority, "example.com"},
                                 {TlvType::kUniqueId, "0123456789abcdef"},
                                 {TlvType::kSsl, ssl},
                                 {TlvType::kNoop, std::string_view("\0\0", 2)}};
  for (const bool crc : {false, true}) {
    base::Buffer out;
    ASSERT_TRUE(write_version2(
        out, {.source = kClient, .destination = kServer, .tlvs = tlvs, .crc32c = crc}));
    const Parsed parsed = parse(out.view());
    ASSERT_EQ(parsed.result, Result::kDone) << parsed.error;
    EXPECT_EQ(parsed.header.size, out.size());
    EXPECT_EQ(parsed.header.source, kClient);
    EXPECT_EQ(parsed.header.destination, kServer);
    for (const Tlv& tlv : tlvs) EXPECT_EQ(find_tlv(parsed.header.tlvs, tlv.type), tlv.value);
    EXPECT_EQ(find_tlv(parsed.header.tlvs, TlvType::kCrc32c).has_value(), crc);
    const auto told = parse_ssl_tlv(*find_tlv(parsed.header.tlvs, TlvType::kSsl));
    ASSERT_TRUE(told);
    EXPECT_TRUE(told->tls && told->certificate_connection && told->verified);
    EXPECT_FALSE(told->certificate_session);
    EXPECT_EQ(find_tlv(told->sub_tlvs, TlvType::kSslCommonName), "client");
    EXPECT_EQ(find_tlv(told->sub_tlvs, TlvType::kSslVersion), "TLSv1.3");
  }
}

TEST(WriterTest, Version2Families) {
  const auto through = [](const Version2& wanted) {
    base::Buffer out;
    EXPECT_TRUE(write_version2(out, wanted));
    const Parsed parsed = parse(out.view());
    EXPECT_EQ(parsed.result, Result::kDone) << parsed.error;
    return parsed.header;
  };
  Header header = through({.source = kClient, .destination = kServer6});
  EXPECT_EQ(header.source, kClient);  // mapped on the way, one spelling here
  EXPECT_EQ(header.destination, kServer6);
  header = through({.datagram = true, .source = kServer6, .destination = kServer6});
  EXPECT_TRUE(header.datagram);
  const base::Address path = base::Address::unix_path("/run/x.sock");
  const base::Address hidden = base::Address::unix_path("@hidden");
  header = through({.source = path, .destination = hidden});
  EXPECT_EQ(header.source, path);
  EXPECT_EQ(header.destination, hidden);
  EXPECT_TRUE(through({.source = path, .destination = kServer}).local);
  EXPECT_TRUE(through({.local = true, .source = kClient, .destination = kServer}).local);
}

// Envoy CVE-2026-47692: lengths that wrap.
TEST(WriterTest, NeverMoreThan16Bits_N02) {
  base::Buffer out;
  const std::string half(32'760, 'x');
  std::vector<Tlv> tlvs = {{TlvType::kAuthority, half}, {TlvType::kNoop, half}};
  ASSERT_EQ(12 + 2 * (3 + half.size()), 65'538u);
  EXPECT_FALSE(write_version2(out, {.source = kClient, .destination = kServer, .tlvs = tlvs}));
  EXPECT_TRUE(out.empty());
  tlvs[1].value.remove_suffix(3);
  EXPECT_TRUE(write_version2(out, {.source = kClient, .destination = kServer, .tlvs = tlvs}));
  EXPECT_EQ(out.size(), 16u + 65'535u);
  out.clear();
  // The checksum's vector counts too.
  EXPECT_FALSE(write_version2(
      out, {.source = kClient, .destination = kServer, .tlvs = tlvs, .crc32c = true}));
  const std::string large(70'000, 'x');
  const Tlv one{TlvType::kAuthority, large};
  EXPECT_FALSE(write_version2(out, {.source = kClient, .destination = kServer, .tlvs = {&one, 1}}));
  const Tlv id{TlvType::kUniqueId, std::string_view(large).substr(0, 129)};
  EXPECT_FALSE(write_version2(out, {.source = kClient, .destination = kServer, .tlvs = {&id, 1}}));
  EXPECT_TRUE(out.empty());
  std::string ssl;
  EXPECT_FALSE(append_ssl_value(ssl, {.common_name = large}));
  EXPECT_TRUE(ssl.empty());
  const base::Address path = base::Address::unix_path(std::string(109, 'p'));
  EXPECT_FALSE(write_version2(out, {.source = path, .destination = path}));
}

}  // namespace
}  // namespace proxy_protocol
