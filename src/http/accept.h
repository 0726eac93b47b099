// Content negotiation: Accept-Encoding, and whether a listing is wanted as JSON or HTML.
//
// Only what the product chooses among is looked at: the content codings it can make or has stored,
// and two media types. Weights count as RFC 9110 12.4.2 says; what is malformed is skipped.
// Pure functions, any thread. RFC 9110 12.5.1, 12.5.3. (F08)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace http {

enum class Coding : std::uint8_t { kIdentity, kGzip, kBrotli, kZstd };
inline constexpr std::size_t kCodings = 4;

// `gzip`, `br`, `zstd`; `identity` never goes into Content-Encoding.
std::string_view coding_name(Coding coding);

// What a client takes.
class AcceptedCodings {
 public:
  // Nothing but identity: what an absent field is taken for, as most such clients decode nothing.
  AcceptedCodings() = default;
  static AcceptedCodings parse(std::string_view field);

  // Thousandths; 0 is refused.
  int weight(Coding coding) const { return weights_[static_cast<std::size_t>(coding)]; }
  bool accepts(Coding coding) const { return weight(coding) > 0; }

  // The best of those that are at hand, where the client is indifferent the first of them; identity
  // is at hand always and comes last. Nothing if all are refused, identity too: the caller sends
  // identity all the same or answers 406 (RFC 9110 12.5.3 allows both).
  std::optional<Coding> choose(std::span<const Coding> at_hand) const;

 private:
  // Identity unless refused; its weight when not named is the smallest there is.
  std::array<std::uint16_t, kCodings> weights_{1, 0, 0, 0};
};

// Whether Accept likes application/json more than text/html: by weight, then by how precisely it is
// named, then by order. An absent field doesn't.
bool prefers_json(std::string_view accept);

// Whether the field takes the media type at all (weight above 0). An absent field takes everything.
bool accepts_type(std::string_view accept, std::string_view type);

}  // namespace http
