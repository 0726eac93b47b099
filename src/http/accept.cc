#include "http/accept.h"

#include <algorithm>

#include "base/text.h"
#include "http/media_type.h"
#include "http/syntax.h"

namespace http {
namespace {

// The weight among the parameters that follow a value; 1000 if there is none, nothing if malformed.
std::optional<int> weight_of(std::string_view parameters) {
  int weight = 1000;
  while (const auto parameter = next_parameter(parameters)) {
    if (!base::iequals(parameter->name, "q")) continue;
    const auto given = parse_weight(parameter->value);
    if (!given) return std::nullopt;
    weight = *given;
  }
  if (!parameters.empty()) return std::nullopt;
  return weight;
}

// An element without its parameters, and its weight.
struct Weighted {
  std::string_view value;
  int weight = 0;
};

std::optional<Weighted> next_weighted(std::string_view& list) {
  while (const auto element = next_element(list)) {
    const std::size_t semicolon = std::min(element->find(';'), element->size());
    const auto weight = weight_of(element->substr(semicolon));
    if (weight) return Weighted{base::trim_right(element->substr(0, semicolon)), *weight};
  }
  return std::nullopt;
}

std::optional<Coding> coding_of(std::string_view name) {
  if (base::iequals(name, "gzip") || base::iequals(name, "x-gzip")) return Coding::kGzip;
  if (base::iequals(name, "br")) return Coding::kBrotli;
  if (base::iequals(name, "zstd")) return Coding::kZstd;
  if (base::iequals(name, "identity")) return Coding::kIdentity;
  return std::nullopt;
}

// How well a media range fits a type: 0 not at all, 1 `*/*`, 2 `text/*`, 3 the type itself.
int precision(std::string_view range, std::string_view type) {
  if (range == "*/*") return 1;
  if (base::iequals(range, type)) return 3;
  const std::size_t slash = type.find('/');
  if (range.size() == slash + 2 && range.ends_with("/*") &&
      base::iequals(range.substr(0, slash), type.substr(0, slash))) {
    return 2;
  }
  return 0;
}

struct Preference {
  int weight = 0;
  int precision = 0;
  int position = 0;
};

// What the most precise range that fits says of the type (RFC 9110 12.5.1).
Preference preference(std::string_view accept, std::string_view type) {
  Preference best;
  int position = 0;
  while (const auto range = next_weighted(accept)) {
    ++position;
    const int fit = precision(range->value, type);
    if (fit > best.precision) best = {range->weight, fit, position};
  }
  return best;
}

}  // namespace

std::string_view coding_name(Coding coding) {
  constexpr std::array<std::string_view, kCodings> kNames = {"identity", "gzip", "br", "zstd"};
  return kNames[static_cast<std::size_t>(coding)];
}

AcceptedCodings AcceptedCodings::parse(std::string_view field) {
  AcceptedCodings result;
  std::array<bool, kCodings> named{};
  std::optional<int> others;
  while (const auto element = next_weighted(field)) {
    if (element->value == "*") {
      others = element->weight;
    } else if (const auto coding = coding_of(element->value)) {
      const auto i = static_cast<std::size_t>(*coding);
      named[i] = true;
      result.weights_[i] = static_cast<std::uint16_t>(element->weight);
    }
  }
  for (std::size_t i = 0; others && i < kCodings; ++i) {
    if (!named[i]) result.weights_[i] = static_cast<std::uint16_t>(*others);
  }
  return result;
}

std::optional<Coding> AcceptedCodings::choose(std::span<const Coding> at_hand) const {
  std::optional<Coding> best;
  for (const Coding coding : at_hand) {
    if (coding == Coding::kIdentity || !accepts(coding)) continue;
    if (!best || weight(coding) > weight(*best)) best = coding;
  }
  const int identity = weight(Coding::kIdentity);
  if (identity > (best ? weight(*best) : 0)) return Coding::kIdentity;
  return best;
}

bool prefers_json(std::string_view accept) {
  const Preference json = preference(accept, "application/json");
  const Preference html = preference(accept, "text/html");
  if (json.weight == 0) return false;
  if (json.weight != html.weight) return json.weight > html.weight;
  if (json.precision != html.precision) return json.precision > html.precision;
  return json.position < html.position;
}

bool accepts_type(std::string_view accept, std::string_view type) {
  if (accept.empty()) return true;
  return preference(accept, essence(type)).weight > 0;
}

}  // namespace http
