#include "server/build.h"

#include <utility>

#include "handlers/allow_deny.h"
#include "handlers/basic_auth.h"
#include "handlers/body_limit.h"
#include "handlers/compress.h"
#include "handlers/error_pages.h"
#include "handlers/field_changes.h"
#include "handlers/files.h"
#include "handlers/https_redirect.h"
#include "handlers/prefix.h"
#include "handlers/redirect.h"
#include "handlers/respond.h"
#include "handlers/rewrite.h"
#include "handlers/security_headers.h"
#include "proxy/proxy_handler.h"
#include "server/admin_handler.h"
#include "server/diagnostics.h"

namespace server {

namespace {

// Stands in for a handler whose files have gone.
class Unavailable final : public http::Handler {
 public:
  http::Outcome handle(http::Exchange& exchange) override {
    exchange.error_detail = "what this route serves could not be opened";
    exchange.respond(500);
    return {};
  }
};

// Stands in for a filter that can't be made of its file: nothing passes.
class Closed final : public http::Filter {
 public:
  http::FilterOutcome filter(http::Exchange& exchange) override {
    exchange.error_detail = "a filter could not be made of its file";
    exchange.respond(500);
    return http::Verdict::answered;
  }
};

class Builder {
 public:
  Builder(Tree& tree, Services& services) : tree_(tree), services_(services) {}

  void build() {
    const Snapshot& snapshot = *tree_.snapshot;
    for (const auto& listener : snapshot.listeners) {
      if (tree_.routers.size() <= listener->id) tree_.routers.resize(listener->id + 1);
      tree_.routers[listener->id] = std::make_unique<http::Router>();
      if (listener->admin) add_admin(*tree_.routers[listener->id]);
    }
    for (const SiteOptions& site : snapshot.options.sites) add_site(site);
  }

 private:
  void add_admin(http::Router& router) {
    auto site = std::make_unique<http::Site>();
    auto route = std::make_unique<http::Route>();
    route->name = site->name = "admin";
    route->chain.handler = std::make_unique<AdminHandler>(services_.shared.state);
    site->routes.push_back(std::move(route));
    router.add("*", *site);
    tree_.sites.push_back(std::move(site));
  }

  void add_site(const SiteOptions& options) {
    auto site = std::make_unique<http::Site>();
    site->name = options.id;
    for (const FilterOptions& filter : options.filters) site->filters.push_back(make(filter));
    for (const RouteOptions& route : options.routes) {
      auto made = std::make_unique<http::Route>();
      made->name = options.id + " " + route.id;
      made->matcher = http::Matcher(route.match);
      for (const FilterOptions& filter : route.filters) made->chain.filters.push_back(make(filter));
      made->chain.handler = make(route.handler);
      site->routes.push_back(std::move(made));
    }
    for (const SiteListener& on : options.listeners) {
      for (const auto& listener : tree_.snapshot->listeners) {
        if (listener->admin || listener->options.name != on.listener) continue;
        for (const std::string& host : options.hosts) {
          tree_.routers[listener->id]->add(host, *site);
        }
      }
    }
    tree_.sites.push_back(std::move(site));
  }

  std::unique_ptr<http::Handler> make(const HandlerOptions& options) {
    return std::visit([this](const auto& o) { return make_handler(o); }, options);
  }
  std::unique_ptr<http::Handler> make_handler(const handlers::RespondOptions& options) {
    return std::make_unique<handlers::Respond>(options);
  }
  std::unique_ptr<http::Handler> make_handler(const handlers::RedirectOptions& options) {
    return std::make_unique<handlers::Redirect>(options);
  }
  std::unique_ptr<http::Handler> make_handler(const handlers::FilesOptions& options) {
    return or_unavailable(handlers::Files::create(options, services_.handlers));
  }
  std::unique_ptr<http::Handler> make_handler(const proxy::Options& options) {
    return std::make_unique<proxy::ProxyHandler>(
        options, tree_.snapshot->upstreams->find(options.upstream), services_.proxy);
  }
  template <typename T>
  std::unique_ptr<http::Handler> or_unavailable(
      std::expected<std::unique_ptr<T>, std::string> made) {
    if (made) return std::move(*made);
    log(LogLevel::kError, made.error());
    return std::make_unique<Unavailable>();
  }

  std::unique_ptr<http::Filter> make(const FilterOptions& options) {
    return std::visit([this](const auto& o) { return make_filter(o); }, options);
  }
  using Made = std::unique_ptr<http::Filter>;
  Made make_filter(const handlers::RequestFieldsOptions& options) {
    return std::make_unique<handlers::RequestFields>(options);
  }
  Made make_filter(const handlers::ResponseFieldsOptions& options) {
    return std::make_unique<handlers::ResponseFields>(options);
  }
  Made make_filter(const handlers::StripPrefixOptions& options) {
    return std::make_unique<handlers::StripPrefix>(options);
  }
  Made make_filter(const handlers::AddPrefixOptions& options) {
    return std::make_unique<handlers::AddPrefix>(options);
  }
  Made make_filter(const handlers::RewriteOptions& options) {
    return std::make_unique<handlers::Rewrite>(options);
  }
  Made make_filter(const handlers::AllowOptions& options) {
    return std::make_unique<handlers::Allow>(options);
  }
  Made make_filter(const handlers::DenyOptions& options) {
    return std::make_unique<handlers::Deny>(options);
  }
  Made make_filter(const handlers::HttpsRedirectOptions& options) {
    return std::make_unique<handlers::HttpsRedirect>(options);
  }
  Made make_filter(const handlers::BasicAuthOptions& options) {
    return or_closed(
        handlers::BasicAuth::create(options, tree_.snapshot->texts, services_.handlers));
  }
  Made make_filter(const handlers::BodyLimitOptions& options) {
    return std::make_unique<handlers::BodyLimit>(options);
  }
  Made make_filter(const handlers::CompressOptions& options) {
    return std::make_unique<handlers::Compress>(options);
  }
  Made make_filter(const handlers::ErrorPagesOptions& options) {
    return or_closed(
        handlers::ErrorPages::create(options, tree_.snapshot->texts, services_.handlers));
  }
  Made make_filter(const handlers::SecurityHeadersOptions& options) {
    return std::make_unique<handlers::SecurityHeaders>(options);
  }
  template <typename T>
  Made or_closed(std::expected<std::unique_ptr<T>, std::string> made) {
    if (made) return std::move(*made);
    log(LogLevel::kError, made.error());
    return std::make_unique<Closed>();
  }

  Tree& tree_;
  Services& services_;
};

}  // namespace

std::unique_ptr<Tree> build_tree(std::shared_ptr<const Snapshot> snapshot, Services& services) {
  auto tree = std::make_unique<Tree>();
  tree->snapshot = std::move(snapshot);
  Builder(*tree, services).build();
  return tree;
}

}  // namespace server
