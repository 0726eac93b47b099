#include "proxy_protocol/writer.h"

#include <algorithm>
#include <cstring>

namespace proxy_protocol {

namespace {

constexpr std::size_t kLengthMax = 0xffff;
constexpr std::size_t kCrcSize = 4;

void append16(std::string& out, std::size_t number) {
  out += static_cast<char>(number >> 8 & 0xff);
  out += static_cast<char>(number & 0xff);
}

void append_tlv(std::string& out, TlvType type, std::string_view value) {
  out += static_cast<char>(type);
  append16(out, value.size());
  out += value;
}

base::IpBytes as_ipv6(const base::Address& address) {
  if (address.family() == base::Address::Family::kIpv6) return address.ip();
  base::IpBytes mapped{};  // RFC 4291 2.5.5.2
  mapped[10] = mapped[11] = 0xff;
  std::copy_n(address.ip().begin(), 4, mapped.begin() + 12);
  return mapped;
}

void append_ip(std::string& out, const base::Address& address, bool ipv6) {
  const base::IpBytes bytes = ipv6 ? as_ipv6(address) : address.ip();
  out.append(reinterpret_cast<const char*>(bytes.data()), ipv6 ? 16 : 4);
}

bool append_unix(std::string& out, const base::Address& address) {
  std::string path = address.path();
  if (path.starts_with('@')) path.front() = '\0';
  if (path.size() > kUnixPathSize) return false;
  path.resize(kUnixPathSize, '\0');
  out += path;
  return true;
}

bool both_ipv4(const base::Address& a, const base::Address& b) {
  return a.family() == base::Address::Family::kIpv4 && b.family() == base::Address::Family::kIpv4;
}

// Family and protocol, then (at `addresses`) the address block. False when a path doesn't fit.
bool make_addresses(const Version2& header, char& family, std::string& addresses) {
  const base::Address& source = header.source;
  const base::Address& destination = header.destination;
  const char protocol = header.datagram ? 2 : 1;
  family = 0;
  if (header.local) return true;
  if (source.is_unix() && destination.is_unix()) {
    family = static_cast<char>(0x30 | protocol);
    return append_unix(addresses, source) && append_unix(addresses, destination);
  }
  if (!source.is_ip() || !destination.is_ip()) return true;
  const bool ipv6 = !both_ipv4(source, destination);
  family = static_cast<char>((ipv6 ? 0x20 : 0x10) | protocol);
  append_ip(addresses, source, ipv6);
  append_ip(addresses, destination, ipv6);
  append16(addresses, source.port());
  append16(addresses, destination.port());
  return true;
}

}  // namespace

void write_version1(base::Buffer& out, const base::Address& source,
                    const base::Address& destination) {
  if (!source.is_ip() || !destination.is_ip()) {
    out.append("PROXY UNKNOWN\r\n");
    return;
  }
  const bool ipv4 = both_ipv4(source, destination);
  std::string line = ipv4 ? "PROXY TCP4 " : "PROXY TCP6 ";
  for (const base::Address* address : {&source, &destination}) {
    if (!ipv4 && address->family() == base::Address::Family::kIpv4) line += "::ffff:";
    address->append_ip_to(line);
    line += ' ';
  }
  line += std::to_string(source.port()) + ' ' + std::to_string(destination.port()) + "\r\n";
  out.append(line);
}

bool write_version2(base::Buffer& out, const Version2& header) {
  std::string block;
  char family = 0;
  if (!make_addresses(header, family, block)) return false;
  std::size_t size = block.size() + (header.crc32c ? kTlvHead + kCrcSize : 0);
  for (const Tlv& tlv : header.tlvs) {
    if (tlv.value.size() > kLengthMax) return false;
    if (tlv.type == TlvType::kUniqueId && tlv.value.size() > kUniqueIdSizeMax) return false;
    size += kTlvHead + tlv.value.size();
  }
  if (size > kLengthMax) return false;
  for (const Tlv& tlv : header.tlvs) append_tlv(block, tlv.type, tlv.value);
  if (header.crc32c) append_tlv(block, TlvType::kCrc32c, std::string_view("\0\0\0\0", kCrcSize));
  std::string head(kSignature);
  head += header.local ? '\x20' : '\x21';
  head += family;
  append16(head, block.size());
  if (header.crc32c) {
    const std::uint32_t crc = crc32c(crc32c(0, head), block);
    for (std::size_t i = 0; i < kCrcSize; ++i) {
      block[block.size() - 1 - i] = static_cast<char>(crc >> (8 * i) & 0xff);
    }
  }
  out.append(head);
  out.append(block);
  return true;
}

bool append_ssl_value(std::string& out, const SslValue& value) {
  std::string made;
  made += static_cast<char>(0x01 | (value.certificate_connection ? 0x02 : 0) |
                            (value.certificate_session ? 0x04 : 0));
  made += std::string_view(value.verified ? "\0\0\0\0" : "\0\0\0\1", 4);
  const Tlv tlvs[] = {{TlvType::kSslVersion, value.version},
                      {TlvType::kSslCommonName, value.common_name},
                      {TlvType::kSslCipher, value.cipher}};
  for (const Tlv& tlv : tlvs) {
    if (tlv.value.empty()) continue;
    if (made.size() + kTlvHead + tlv.value.size() > kLengthMax) return false;
    append_tlv(made, tlv.type, tlv.value);
  }
  out += made;
  return true;
}

}  // namespace proxy_protocol
