#include "proxy_protocol/header.h"

#include <array>

namespace proxy_protocol {

namespace {

// CRC-32C (Castagnoli), reflected: RFC 3720 appendix B.4.
constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? 0x82f63b78u : 0u);
    }
    table[i] = value;
  }
  return table;
}();

constexpr std::size_t kSslHead = 5;  // client, verify

// Bits of the client byte (section 2.2.6).
constexpr unsigned kClientSsl = 0x01;
constexpr unsigned kClientCertConn = 0x02;
constexpr unsigned kClientCertSess = 0x04;

}  // namespace

std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes) {
  crc = ~crc;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

std::optional<Tlv> TlvReader::next() {
  if (rest_.empty()) return std::nullopt;
  if (rest_.size() >= kTlvHead) {
    const auto high = static_cast<unsigned char>(rest_[1]);
    const auto low = static_cast<unsigned char>(rest_[2]);
    const std::size_t size = static_cast<std::size_t>(high) << 8 | low;
    if (rest_.size() - kTlvHead >= size) {
      const Tlv tlv{static_cast<TlvType>(rest_[0]), rest_.substr(kTlvHead, size)};
      rest_.remove_prefix(kTlvHead + size);
      return tlv;
    }
  }
  broken_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<std::string_view> find_tlv(std::string_view tlvs, TlvType type) {
  TlvReader reader(tlvs);
  while (const auto tlv = reader.next()) {
    if (tlv->type == type) return tlv->value;
  }
  return std::nullopt;
}

std::optional<SslTlv> parse_ssl_tlv(std::string_view value) {
  if (value.size() < kSslHead) return std::nullopt;
  const auto client = static_cast<unsigned char>(value[0]);
  SslTlv parsed;
  parsed.tls = (client & kClientSsl) != 0;
  parsed.certificate_connection = (client & kClientCertConn) != 0;
  parsed.certificate_session = (client & kClientCertSess) != 0;
  parsed.verified = value.substr(1, 4) == std::string_view("\0\0\0\0", 4);
  parsed.sub_tlvs = value.substr(kSslHead);
  TlvReader reader(parsed.sub_tlvs);
  while (reader.next()) {
  }
  if (reader.broken()) return std::nullopt;
  return parsed;
}

}  // namespace proxy_protocol
