// Writes PROXY headers, versions 1 and 2.
//
// Addresses of different families are both written as IPv6 (mapped); what a version can't say
// becomes UNKNOWN (v1) or AF_UNSPEC (v2).
#pragma once

#include <span>
#include <string>

#include "base/address.h"
#include "base/buffer.h"
#include "proxy_protocol/header.h"

namespace proxy_protocol {

void write_version1(base::Buffer& out, const base::Address& source,
                    const base::Address& destination);

struct Version2 {
  bool local = false;  // a connection of our own (a health probe)
  bool datagram = false;
  base::Address source;
  base::Address destination;
  std::span<const Tlv> tlvs;
  bool crc32c = false;  // adds the checksum
};
// False, and nothing written, when a value or the whole does not fit into 16 bits of length or a
// unique id is too long (N02).
bool write_version2(base::Buffer& out, const Version2& header);

// The value of a kSsl vector: flags, verify, and the vectors within. False when it does not fit.
struct SslValue {
  bool certificate_connection = false;
  bool certificate_session = false;
  bool verified = false;
  std::string_view version;      // "TLSv1.3"
  std::string_view common_name;  // of the client's certificate
  std::string_view cipher;
};
bool append_ssl_value(std::string& out, const SslValue& value);

}  // namespace proxy_protocol
