// The PROXY protocol's header, versions 1 and 2, as values: what reader and writer share.
//
// Specification: "The PROXY protocol", versions 1 & 2, of HAProxy (sections 2.1 and 2.2). Pure, no
// sockets: whether a header is expected, from whom and until when is the listener's affair (N01).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/address.h"

namespace proxy_protocol {

// Section 2.1: the longest version 1 header, CRLF included.
inline constexpr std::size_t kVersion1SizeMax = 107;
// Version 2 may say 64 KiB; what real senders add (a client certificate at most) fits into this
// (N02).
inline constexpr std::size_t kVersion2SizeMax = 16 * 1024;
inline constexpr std::string_view kSignature{"\r\n\r\n\0\r\nQUIT\n", 12};

// Type-length-value vectors of version 2 (section 2.2.1 on).
enum class TlvType : std::uint8_t {
  kAlpn = 0x01,
  kAuthority = 0x02,  // SNI
  kCrc32c = 0x03,
  kNoop = 0x04,
  kUniqueId = 0x05,
  kSsl = 0x20,
  kSslVersion = 0x21,  // from here on within kSsl
  kSslCommonName = 0x22,
  kSslCipher = 0x23,
  kSslSignature = 0x24,
  kSslKey = 0x25,
  kNamespace = 0x30,
};

// Sizes on the wire: the head of a vector, the path of a unix address.
inline constexpr std::size_t kTlvHead = 3;
inline constexpr std::size_t kUnixPathSize = 108;

inline constexpr std::size_t kUniqueIdSizeMax = 128;

struct Tlv {
  TlvType type;
  std::string_view value;
};

// Walks over vectors one after the other; over bytes that were checked, or until `broken()`.
class TlvReader {
 public:
  explicit TlvReader(std::string_view bytes) : rest_(bytes) {}
  std::optional<Tlv> next();
  bool broken() const { return broken_; }

 private:
  std::string_view rest_;
  bool broken_ = false;
};

// The first vector of this type.
std::optional<std::string_view> find_tlv(std::string_view tlvs, TlvType type);

// The value of kSsl (section 2.2.6).
struct SslTlv {
  bool tls = false;                     // PP2_CLIENT_SSL
  bool certificate_connection = false;  // PP2_CLIENT_CERT_CONN: shown on this connection
  bool certificate_session = false;     // PP2_CLIENT_CERT_SESS: shown in this session
  bool verified = false;                // the verify field is zero
  std::string_view sub_tlvs;
};
std::optional<SslTlv> parse_ssl_tlv(std::string_view value);

struct Header {
  int version = 0;
  // LOCAL, UNKNOWN or an unspecified family: the connection's own addresses hold.
  bool local = false;
  bool datagram = false;
  base::Address source;
  base::Address destination;
  std::string_view tlvs;  // checked; a view into what was parsed
  std::size_t size = 0;   // of the whole header: what follows is the connection's
};

std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes);

}  // namespace proxy_protocol
