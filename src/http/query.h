// Parameters of a query string, as far as a matcher or a template needs them.
//
// `name=value` pairs between `&`, `+` is a space, percent-decoded once; not well-formed escapes
// stay as they are. Linear in the query, however many parameters it has (attack D06).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace http {

// The first parameter of this name, decoded into `scratch` where that differs from what was sent.
// A name without `=` has an empty value.
std::optional<std::string_view> query_value(std::string_view query, std::string_view name,
                                            std::string& scratch);

}  // namespace http
