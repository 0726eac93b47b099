// The JSON Schema of the configuration, for editors, made of the keys' definitions.
//
// Draft 7, which YAML language servers know best. Committed as docs/webship.schema.json; a test
// holds both together. Pure.
#pragma once

#include <string>

namespace config {

std::string json_schema();

}  // namespace config
