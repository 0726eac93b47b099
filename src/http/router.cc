#include "http/router.h"

namespace http {

const Route* Site::match(Exchange& exchange) const {
  for (const auto& route : routes) {
    if (route->matcher.matches(exchange)) return route.get();
  }
  return nullptr;
}

void Router::add(std::string_view pattern, Site& site) {
  if (pattern == "*") {
    if (default_ == nullptr) default_ = &site;
  } else if (pattern.starts_with("*.")) {
    suffixes_.emplace(pattern.substr(1), &site);
  } else {
    exact_.emplace(pattern, &site);
  }
}

Site* Router::find(std::string_view host) const {
  if (!exact_.empty()) {
    auto found = exact_.find(host);
    if (found != exact_.end()) return found->second;
  }
  if (!suffixes_.empty()) {
    for (size_t dot = host.find('.'); dot != std::string_view::npos;
         dot = host.find('.', dot + 1)) {
      auto found = suffixes_.find(host.substr(dot));
      if (found != suffixes_.end()) return found->second;
    }
  }
  return default_;
}

}  // namespace http
