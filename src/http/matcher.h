// Whether a route's conditions hold for an exchange.
//
// On the canonical path and the client address (rule R2). The commonest routes, those with one
// exact or prefix path, or none, cost a comparison. Captures of a matching path regex go into the
// exchange. Refers to options that outlive it (the snapshot's).
#pragma once

#include "http/exchange.h"
#include "http/route_options.h"

namespace http {

class Matcher {
 public:
  Matcher() = default;
  explicit Matcher(const MatchOptions& options);

  bool matches(Exchange& exchange) const;

 private:
  bool matches_path(Exchange& exchange) const;
  bool matches_method(const Request& request) const;
  bool matches_rest(const Exchange& exchange) const;

  const MatchOptions* options_ = nullptr;
  bool path_only_ = true;
  bool everything_ = true;
};

// Matches and keeps the groups: [0] the whole match, then each group with its name, if it has one.
// Views into `text` and the pattern. False leaves `captures` alone.
bool match_captures(const Regex& regex, std::string_view text,
                    std::vector<Exchange::Capture>& captures);

}  // namespace http
