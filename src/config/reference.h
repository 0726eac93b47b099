// The reference of all keys in Markdown, made of the keys' definitions.
//
// Stands in docs/configuration.md between two marks; a test holds both together. Pure.
#pragma once

#include <string>

namespace config {

std::string reference();

}  // namespace config
