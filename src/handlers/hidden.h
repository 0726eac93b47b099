// Which names a file handler keeps to itself, unless it is told to serve them (F05).
//
// Names that begin with a dot (.git, .env, .htpasswd) and what editors and administrators leave
// behind (index.php~, config.yaml.bak): their content is rarely meant for the public, and is served
// as plain text. `.well-known` at the root is public by definition (RFC 8615).
// Pure functions, any thread.
#pragma once

#include <string_view>

namespace handlers {

// One segment of a path.
bool is_hidden_name(std::string_view name);

// A path that begins with a slash: whether any segment is hidden.
bool is_hidden_path(std::string_view path);

}  // namespace handlers
