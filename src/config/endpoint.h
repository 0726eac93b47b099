// The URL of an endpoint: `http://127.0.0.1:3000`, `https://origin.example`, `unix:/run/app.sock`.
//
// Scheme, host and port; nothing after them, for what the path becomes is the route's business.
// Pure.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "upstream/options.h"

namespace config {

struct EndpointError {
  std::string message;
  std::string hint;
};

std::expected<upstream::EndpointOptions, EndpointError> parse_endpoint(std::string_view url);

// Whether it is meant to be an endpoint's URL, not the name of an upstream.
bool looks_like_endpoint(std::string_view text);

}  // namespace config
