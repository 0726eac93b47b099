// The definitions of all keys: one object of the configuration each.
//
// Each function returns an object that is built at its first call and never changes; what a
// key is called, read as, defaults to and means is said there and nowhere else. Drafts are what
// must wait for the rest of the configuration before it becomes Options (config/finish.h).
#pragma once

#include <string>
#include <vector>

#include "config/object.h"
#include "handlers/options.h"
#include "http/route_options.h"
#include "proxy/options.h"
#include "server/options.h"
#include "tls/options.h"
#include "upstream/options.h"

namespace config {

// Name and place of something that another key refers to.
struct Named {
  std::string name;
  const Node* node = nullptr;
};

struct ListenerDraft {
  server::ListenerOptions options;
  Named name;
};

struct GroupDraft {
  upstream::GroupOptions options;
  Named name;
};

struct SiteDraft {
  server::SiteOptions options;
  std::vector<Named> hosts;
  std::vector<Named> listeners;  // empty: all
  const Node* node = nullptr;
  const Node* tls = nullptr;  // read again over each listener's defaults
  server::RouteOptions only;  // the site's own handler, where it has no routes
  std::vector<server::RouteOptions> routes;
};

// The whole file.
struct Draft {
  std::vector<std::string> include;  // merged in before (config/include.h)
  server::Options options;
  std::vector<ListenerDraft> listeners;
  std::vector<GroupDraft> upstreams;
  std::vector<SiteDraft> sites;
};

const Object<Draft>& top_keys();
const Object<ListenerDraft>& listener_keys();
const Object<server::Limits>& limit_keys();
const Object<SiteDraft>& site_keys();
const Object<server::RouteOptions>& route_keys();
const Object<http::MatchOptions>& match_keys();
const Object<server::FilterOptions>& filter_keys();
const Object<GroupDraft>& upstream_keys();
const Object<tls::ServerOptions>& server_tls_keys();
const Object<tls::ClientOptions>& client_tls_keys();

Type<http::MatchOptions> match();
Type<handlers::FilesOptions> files_handler();
Type<handlers::RespondOptions> respond_handler();
Type<handlers::RedirectOptions> redirect_handler();
Type<proxy::Options> proxy_handler();

// A map of field names to templates.
Type<std::vector<handlers::FieldValue>> field_values();

// A map of names to objects, in the file's order; `name` says where in T the name goes.
template <typename T>
Type<std::vector<T>> named(Type<T> item, Named T::* name);

// Names of listeners and upstreams.
bool check_name(Reader& reader, const Node& key);

template <typename T>
Type<std::vector<T>> named(Type<T> item, Named T::* name) {
  Type<std::vector<T>> type;
  type.shape.kind = Shape::Kind::map;
  type.shape.label = std::format("map by name: {}", item.shape.label);
  type.shape.items = {item.shape};
  type.read = [read = item.read, name](Reader& reader, const Node& node, std::vector<T>& out) {
    if (node.kind != Node::Kind::map) {
      reader.error(node, std::format("expected a map of names, found {}", kind_name(node)));
      return false;
    }
    bool good = true;
    for (const Node::Entry& entry : node.entries) {
      if (!check_name(reader, *entry.key)) good = false;
      T value{};
      value.*name = {.name = entry.key->text, .node = entry.key};
      if (!read(reader, *entry.value, value)) good = false;
      // Kept even so: what refers to it shall not be wrong, too.
      out.push_back(std::move(value));
    }
    return good;
  };
  return type;
}

// The four handlers as keys of T, each put where `handler` says.
template <typename T, typename Handler>
void add_handlers(Object<T>& object, Handler handler) {
  object
      .key(
          "files", files_handler(),
          [handler](T& out) -> handlers::FilesOptions& {
            return handler(out).template emplace<handlers::FilesOptions>();
          },
          "Serves files: a folder, or keys.")
      .example("/srv/www");
  object
      .key(
          "respond", respond_handler(),
          [handler](T& out) -> handlers::RespondOptions& {
            return handler(out).template emplace<handlers::RespondOptions>();
          },
          "Answers with a fixed response: a status, or keys.")
      .example("404");
  object
      .key(
          "redirect", redirect_handler(),
          [handler](T& out) -> handlers::RedirectOptions& {
            return handler(out).template emplace<handlers::RedirectOptions>();
          },
          "Sends the client elsewhere: a URL, or keys.")
      .example("https://example.com{request.uri}");
  object
      .key(
          "proxy", proxy_handler(),
          [handler](T& out) -> proxy::Options& {
            return handler(out).template emplace<proxy::Options>();
          },
          "Passes the request to an upstream: a name, a URL, several URLs, or keys.")
      .example("http://127.0.0.1:3000");
}

}  // namespace config
