#include "http/status.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace http {

namespace {

struct Phrase {
  int status;
  std::string_view text;
};

constexpr std::array kPhrases = std::to_array<Phrase>({
    {100, "Continue"},
    {101, "Switching Protocols"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {418, "I'm a teapot"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
});
static_assert(std::ranges::is_sorted(kPhrases, {}, &Phrase::status));
static_assert(kPhrases.size() < 255);

// For each status from 100 to 599 the place of its phrase, or kNone.
constexpr int kFirst = 100;
constexpr uint8_t kNone = 255;
constexpr auto kPlaces = [] {
  std::array<uint8_t, 500> places;
  places.fill(kNone);
  for (size_t i = 0; i < kPhrases.size(); ++i) {
    places[static_cast<size_t>(kPhrases[i].status - kFirst)] = static_cast<uint8_t>(i);
  }
  return places;
}();

}  // namespace

std::string_view reason_phrase(int status) {
  const auto index = static_cast<size_t>(status) - kFirst;  // below kFirst it wraps around
  if (index < kPlaces.size() && kPlaces[index] != kNone) return kPhrases[kPlaces[index]].text;
  switch (status / 100) {
    case 1:
      return "Informational";
    case 2:
      return "Success";
    case 3:
      return "Redirection";
    case 4:
      return "Client Error";
    default:
      return "Server Error";
  }
}

}  // namespace http
