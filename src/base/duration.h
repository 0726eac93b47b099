// Durations and sizes as people write them: `30s`, `1m30s`, `500ms`, `7d`; `10MiB`, `64KiB`,
// `10MB`.
//
// For configuration and diagnostics, not for the path of a request. The error is a sentence's end
// that says what to write; the caller puts the key and the line before it.
// Pure functions, any thread.
// Invariant: what format_… writes, parse_… reads back as the same value.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace base {

// Units, largest first, each at most once: d h m s ms. A lone `0` needs no unit.
std::expected<std::chrono::milliseconds, std::string> parse_duration(std::string_view text);

// "1m30s", "500ms", "7d", "0s".
std::string format_duration(std::chrono::milliseconds duration);

// Plain bytes, or a whole number of B, KiB, MiB, GiB, TiB (1,024s) or kB, MB, GB, TB (1,000s); unit
// letters in any case, `K`, `M`, `G` alone as KiB, MiB, GiB.
std::expected<std::uint64_t, std::string> parse_size(std::string_view text);

// In the largest binary unit that keeps it whole: "10MiB", "1500B".
std::string format_size(std::uint64_t bytes);

}  // namespace base
