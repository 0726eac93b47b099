// The reverse proxy: passes a request on to an endpoint of a group and its response back.
//
// One coroutine per request does it all: choose an endpoint, take a kept connection or make one,
// send the head, stream the body beside it, wait for the response, stream it back. Nothing is
// buffered unless asked for: bytes go from one socket's buffer to the other socket within one call.
// When the client goes away the task is destroyed, which closes the origin's connection (P15).
// One per route and worker. RFC 9110 3.7 (gateway), 7.6; RFC 9112 9.3.1 (retries).
#pragma once

#include <memory>
#include <string>

#include "http/handler.h"
#include "proxy/options.h"
#include "proxy/passage.h"
#include "proxy/pool.h"
#include "proxy/request_fields.h"
#include "upstream/chooser.h"
#include "upstream/group.h"

namespace proxy {

// Of one worker; outlive its handlers.
struct Services {
  io::Loop& loop;
  Pools& pools;
  const Pseudonym& pseudonym;  // one for the process
};

class ProxyHandler final : public http::Handler {
 public:
  // `options` outlives the handler. Without `chooser` the worker's own for the group.
  ProxyHandler(const Options& options, const std::shared_ptr<upstream::Group>& group,
               const Services& services, std::shared_ptr<upstream::Chooser> chooser = nullptr);

  http::Outcome handle(http::Exchange& exchange) override { return run(exchange); }

 private:
  base::Task<> run(http::Exchange& exchange);
  base::Task<> buffer_request(http::Exchange& exchange, Passage& passage);
  bool send_request(http::Exchange& exchange, Passage& passage);
  bool begin_response(http::Exchange& exchange, Passage& passage, const http::Response& from);
  base::Task<> relay_ahead(http::Exchange& exchange, Passage& passage);
  base::Task<> tunnel(http::Exchange& exchange, Passage& passage, const http::Response& from);
  std::string_view host_to_send(http::Exchange& exchange, const Passage& passage);

  const Options& options_;
  std::shared_ptr<const upstream::Group> group_;
  Services services_;
  std::shared_ptr<upstream::Chooser> chooser_;
  // Used within one call, never across a suspension.
  http::Fields fields_;
  std::string scratch_;
};

}  // namespace proxy
