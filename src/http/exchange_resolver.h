// Gives the variables of templates (http/variables.h) their values for one exchange.
//
// Made on the stack where a template is evaluated. Escaping is the template's business; values here
// are raw. The clocks are read where a template names a time, and only there.
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
  explicit ExchangeResolver(Exchange& exchange) : exchange_(exchange) {}

  void value(int id, std::string_view argument, std::string& out) override;

 private:
  bool request_value(int id, std::string_view argument, std::string& out);
  bool connection_value(int id, std::string& out);
  bool response_value(int id, std::string_view argument, std::string& out);
  void time_value(int id, std::string& out) const;
  void capture(std::string_view argument, std::string& out);

  Exchange& exchange_;
};

// The template's value in the exchange's arena; a literal is viewed where it is. Empty when the
// arena is full.
std::string_view evaluate(const base::Template& text, base::Escape escape, Exchange& exchange);

// Seconds with microseconds: "0.000123".
void append_seconds(std::string& out, std::chrono::nanoseconds duration);

}  // namespace http
