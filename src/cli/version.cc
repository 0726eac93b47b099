#include <ares.h>
#include <brotli/encode.h>
#include <openssl/crypto.h>
#include <zlib.h>
#include <zstd.h>

#include <print>

#include "base/build_info.h"
#include "cli/commands.h"

namespace cli {

int version() {
  const std::uint32_t brotli = BrotliEncoderVersion();
  std::println("webship {} ({})", base::kVersion, base::kRevision);
  std::println("built: {}, {}", base::kBuildType, base::kCompiler);
  std::println("protocols: HTTP/1.1, TLS 1.2 and 1.3");
  std::println("with: {}, c-ares {}, zlib {}, brotli {}.{}.{}, zstd {}",
               OpenSSL_version(OPENSSL_VERSION), ares_version(nullptr), zlibVersion(), brotli >> 24,
               (brotli >> 12) & 0xfff, brotli & 0xfff, ZSTD_versionString());
  return 0;
}

}  // namespace cli
