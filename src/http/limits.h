// Limits on what a client may send and how long it may take, the same for every version of HTTP.
//
// Each names what it answers with and which attack it answers; defaults are documented in
// docs/configuration.md. Sizes in bytes.
#pragma once

#include <chrono>
#include <cstdint>

namespace http {

struct Limits {
  uint32_t request_line_max = 16 * 1024;                               // 414 (S28)
  uint32_t field_size_max = 16 * 1024;                                 // one field line: 431 (S28)
  uint32_t fields_size_max = 64 * 1024;                                // all of them: 431 (S28)
  uint32_t fields_max = 100;                                           // 431 (S28, G05)
  uint64_t body_size_max = UINT64_MAX;                                 // 413
  std::chrono::nanoseconds header_timeout = std::chrono::seconds(20);  // D01
  std::chrono::nanoseconds body_timeout = std::chrono::seconds(60);    // D02
  uint64_t body_rate_min = 64;  // bytes per second over body_timeout (D02)
  std::chrono::nanoseconds send_timeout = std::chrono::seconds(60);       // D03
  std::chrono::nanoseconds keepalive_timeout = std::chrono::seconds(75);  // D04
  uint32_t keepalive_requests_max = 0;                                    // 0: no limit
  std::chrono::nanoseconds handshake_timeout = std::chrono::seconds(10);  // D05
  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(30);
  uint32_t pipelined_max = 64;  // answered in one go before input waits (S22)
  // Lingering close (R0): what is read and dropped after an error, and for how long.
  uint32_t linger_size_max = 256 * 1024;
  std::chrono::nanoseconds linger_timeout = std::chrono::seconds(2);

  bool operator==(const Limits&) const = default;
};

}  // namespace http
