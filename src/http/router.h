// Which site and which route answer a request.
//
// Sites by host: exact, then the longest `*.` pattern, then the default; without regard to case at
// any number of hosts (attack S16). Routes of a site in their order, the first match wins; all of
// their conditions are on the canonical path and the client address, computed once (rule R2).
// Built per worker, immutable while in force.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/chain.h"
#include "http/matcher.h"

namespace http {

class Route {
 public:
  std::string name;  // stable: site and place in it, for logs and metrics
  Matcher matcher;
  Chain chain;
};

struct Site {
  std::string name;
  std::vector<std::unique_ptr<Filter>> filters;
  std::vector<std::unique_ptr<Route>> routes;

  // The first route that matches, or nullptr. Fills exchange.captures().
  const Route* match(Exchange& exchange) const;
};

class Router {
 public:
  // `pattern`: a host name in lower case, "*.example.com", or "*". The first of equal ones stays.
  void add(std::string_view pattern, Site& site);
  // `host` in lower case, without a port. nullptr where not even a default is configured.
  Site* find(std::string_view host) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Names = std::unordered_map<std::string, Site*, Hash, std::equal_to<>>;

  Names exact_;
  Names suffixes_;  // ".example.com"
  Site* default_ = nullptr;
};

}  // namespace http
