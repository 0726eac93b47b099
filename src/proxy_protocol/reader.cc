#include "proxy_protocol/reader.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"

namespace proxy_protocol {

namespace {

constexpr std::string_view kVersion1Start = "PROXY ";
constexpr std::size_t kVersion2Head = 16;

Parsed invalid(std::string_view error) {
  return {.result = Result::kInvalid, .header = {}, .error = error};
}

Parsed done(const Header& header) { return {.result = Result::kDone, .header = header}; }

// Section 2.1: decimal, without leading zeros.
std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.size() > 5 || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  const auto number = base::parse_decimal(text);
  if (!number || *number > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

std::optional<base::Address> parse_address(std::string_view text, bool ipv6) {
  if (text.contains(':') != ipv6 || text.contains('%')) return std::nullopt;
  return base::Address::parse_ip(text);
}

Parsed parse_version1(std::string_view bytes) {
  const std::string_view allowed = bytes.substr(0, kVersion1SizeMax);
  const std::size_t cr = allowed.find('\r');
  // A line feed alone, or a NUL, ends nothing and is in no field.
  if (allowed.substr(0, cr).find_first_of(std::string_view("\n\0", 2)) != std::string_view::npos) {
    return invalid("PROXY v1: line not ended by CRLF");
  }
  if (cr == std::string_view::npos || cr + 1 == allowed.size()) {
    if (bytes.size() >= kVersion1SizeMax) return invalid("PROXY v1: longer than 107 bytes");
    return {};
  }
  if (allowed[cr + 1] != '\n') return invalid("PROXY v1: line not ended by CRLF");
  Header header{.version = 1};
  header.size = cr + 2;
  std::string_view line = allowed.substr(kVersion1Start.size(), cr - kVersion1Start.size());
  // "the receiver must ignore anything presented before the CRLF".
  if (line == "UNKNOWN" || line.starts_with("UNKNOWN ")) {
    header.local = true;
    return done(header);
  }
  std::string_view fields[5];
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t space = line.find(' ');
    if ((space == std::string_view::npos) != (i == 4)) return invalid("PROXY v1: not six fields");
    fields[i] = line.substr(0, space);
    line.remove_prefix(i == 4 ? line.size() : space + 1);
  }
  if (fields[0] != "TCP4" && fields[0] != "TCP6") return invalid("PROXY v1: unknown protocol");
  const bool ipv6 = fields[0] == "TCP6";
  const auto source = parse_address(fields[1], ipv6);
  const auto destination = parse_address(fields[2], ipv6);
  const auto source_port = parse_port(fields[3]);
  const auto destination_port = parse_port(fields[4]);
  if (!source || !destination) return invalid("PROXY v1: bad address");
  if (!source_port || !destination_port) return invalid("PROXY v1: bad port");
  header.source = source->with_port(*source_port);
  header.destination = destination->with_port(*destination_port);
  return done(header);
}

std::uint16_t number16(std::string_view bytes) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[0]) << 8 |
                                    static_cast<unsigned char>(bytes[1]));
}

base::Address read_ipv4(std::string_view ip, std::string_view port) {
  const std::uint32_t value =
      static_cast<std::uint32_t>(number16(ip)) << 16 | number16(ip.substr(2));
  return base::Address::ipv4(value, number16(port));
}

base::Address read_ipv6(std::string_view ip, std::string_view port) {
  base::IpBytes bytes;
  std::ranges::transform(ip, bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  return base::Address::ipv6(bytes, number16(port));
}

// A path ends at its first NUL; one that begins with it is in the abstract namespace (unix(7)).
base::Address read_unix(std::string_view field) {
  if (field.front() != '\0') {
    return base::Address::unix_path(std::string(field.substr(0, field.find('\0'))));
  }
  field.remove_prefix(1);
  field = field.substr(0, field.find('\0'));
  if (field.empty()) return {};  // a socket without a name
  return base::Address::unix_path("@" + std::string(field));
}

// Takes the addresses off `block`; false when they don't fit or the family is not one.
bool read_addresses(unsigned char family_and_protocol, std::string_view& block, Header& header) {
  const unsigned family = family_and_protocol >> 4;
  const unsigned protocol = family_and_protocol & 0x0f;
  if (family > 3 || protocol > 2) return false;
  header.datagram = protocol == 2;
  if (family == 0 || protocol == 0) {
    header.local = true;
    block = {};  // "free to use the real endpoint and ignore": it has no addresses to follow
    return true;
  }
  const std::size_t size = family == 1 ? 12 : family == 2 ? 36 : 2 * kUnixPathSize;
  if (block.size() < size) return false;
  if (family == 1) {
    header.source = read_ipv4(block, block.substr(8));
    header.destination = read_ipv4(block.substr(4), block.substr(10));
  } else if (family == 2) {
    header.source = read_ipv6(block.substr(0, 16), block.substr(32));
    header.destination = read_ipv6(block.substr(16, 16), block.substr(34));
  } else {
    header.source = read_unix(block.substr(0, kUnixPathSize));
    header.destination = read_unix(block.substr(kUnixPathSize, kUnixPathSize));
  }
  block.remove_prefix(size);
  return true;
}

// Section 2.2.3: over the whole header with the checksum's own bytes as zeros.
bool checksum_fits(std::string_view header, std::string_view value) {
  const std::size_t at = static_cast<std::size_t>(value.data() - header.data());
  const std::uint32_t said =
      static_cast<std::uint32_t>(number16(value)) << 16 | number16(value.substr(2));
  std::uint32_t crc = crc32c(0, header.substr(0, at));
  crc = crc32c(crc, std::string_view("\0\0\0\0", 4));
  return crc32c(crc, header.substr(at + 4)) == said;
}

// Empty, or what is wrong with the vectors.
std::string_view check_tlvs(std::string_view header, std::string_view tlvs) {
  TlvReader reader(tlvs);
  bool summed = false;
  while (const auto tlv = reader.next()) {
    switch (tlv->type) {
      case TlvType::kCrc32c:
        if (summed || tlv->value.size() != 4 || !checksum_fits(header, tlv->value)) {
          return "PROXY v2: wrong checksum";
        }
        summed = true;
        break;
      case TlvType::kUniqueId:
        if (tlv->value.size() > kUniqueIdSizeMax) return "PROXY v2: unique id too long";
        break;
      case TlvType::kSsl:
        if (!parse_ssl_tlv(tlv->value)) return "PROXY v2: broken SSL vector";
        break;
      default:
        break;
    }
  }
  return reader.broken() ? "PROXY v2: vector beyond the header" : std::string_view();
}

Parsed parse_version2(std::string_view bytes) {
  if (bytes.size() > kSignature.size()) {
    const auto version_and_command = static_cast<unsigned char>(bytes[kSignature.size()]);
    if (version_and_command != 0x20 && version_and_command != 0x21) {
      return invalid("PROXY v2: unknown version or command");
    }
  }
  if (bytes.size() < kVersion2Head) return {};
  const std::size_t size = kVersion2Head + number16(bytes.substr(14));
  if (size > kVersion2SizeMax) return invalid("PROXY v2: longer than 16 KiB");
  const bool local = bytes[12] == 0x20;
  Header header{.version = 2, .local = local};
  header.size = size;
  if (bytes.size() < size) return {};
  // Of LOCAL "the receiver must … use the real connection endpoints and discard the protocol
  // block".
  if (local) return done(header);
  const std::string_view whole = bytes.substr(0, size);
  std::string_view block = whole.substr(kVersion2Head);
  if (!read_addresses(static_cast<unsigned char>(bytes[13]), block, header)) {
    return invalid("PROXY v2: bad address family or length");
  }
  if (const std::string_view error = check_tlvs(whole, block); !error.empty()) {
    return invalid(error);
  }
  header.tlvs = block;
  return done(header);
}

}  // namespace

Parsed parse(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, kSignature.size());
  if (kSignature.starts_with(start)) {
    return bytes.size() < kSignature.size() ? Parsed{} : parse_version2(bytes);
  }
  if (kVersion1Start.starts_with(bytes.substr(0, kVersion1Start.size()))) {
    return bytes.size() < kVersion1Start.size() ? Parsed{} : parse_version1(bytes);
  }
  return invalid("no PROXY header");
}

}  // namespace proxy_protocol
