#include <print>

#include "base/build_info.h"

int main() {
  std::println("webship {} ({}, {}, {})", base::kVersion, base::kRevision, base::kBuildType,
               base::kCompiler);
}
