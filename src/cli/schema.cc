#include "config/schema.h"

#include <print>

#include "cli/commands.h"
#include "config/reference.h"

namespace cli {

int schema(SchemaFormat format) {
  std::print("{}",
             format == SchemaFormat::kReference ? config::reference() : config::json_schema());
  return 0;
}

}  // namespace cli
