#include "io/error.h"

#include <cstring>

namespace io {

std::string Error::text() const {
  std::string text;
  switch (kind) {
    case Kind::none:
      text = "no error";
      break;
    case Kind::system: {
      char buffer[128];
      text = ::strerror_r(code, buffer, sizeof buffer);  // GNU's, which returns the text
      break;
    }
    case Kind::closed:
      text = "closed by the other side";
      break;
    case Kind::timeout:
      text = "timed out";
      break;
    case Kind::security:
      text = "TLS failed";
      break;
    case Kind::limit:
      text = "a limit was exceeded";
      break;
  }
  if (detail.empty()) return text;
  if (kind == Kind::system && code == 0) return detail;
  return text + ": " + detail;
}

}  // namespace io
