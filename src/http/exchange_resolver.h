// Gives the variables of templates (http/variables.h) their values for one exchange.
//
// Made on the stack where a template is evaluated. Escaping is the template's business; values here
// are raw. Times need the clocks, which http/ does not read: they are arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/template.h"
#include "http/exchange.h"

namespace http {

class ExchangeResolver final : public base::Template::Resolver {
 public:
  // Without `now` the times are zero (fields and redirects hardly use them).
  explicit ExchangeResolver(Exchange& exchange, std::chrono::steady_clock::time_point now = {},
                            int64_t unix_milliseconds = 0)
      : exchange_(exchange), now_(now), unix_milliseconds_(unix_milliseconds) {}

  void value(int id, std::string_view argument, std::string& out) override;

 private:
  bool request_value(int id, std::string_view argument, std::string& out);
  bool connection_value(int id, std::string& out);
  bool response_value(int id, std::string_view argument, std::string& out);
  void time_value(int id, std::string& out);
  void capture(std::string_view argument, std::string& out);

  Exchange& exchange_;
  std::chrono::steady_clock::time_point now_;
  int64_t unix_milliseconds_;
};

// The template's value in the exchange's arena; a literal is viewed where it is. Empty when the
// arena is full.
std::string_view evaluate(const base::Template& text, base::Escape escape, Exchange& exchange);

// Seconds with microseconds: "0.000123".
void append_seconds(std::string& out, std::chrono::nanoseconds duration);

}  // namespace http
