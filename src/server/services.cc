#include "server/services.h"

namespace server {

Services::Services(io::Loop& worker_loop, WorkerShared& worker_shared, Metrics& worker_metrics,
                   size_t index)
    : loop(worker_loop),
      shared(worker_shared),
      metrics(worker_metrics),
      random(worker_shared.seed(index)),
      tls(std::make_shared<tls::Worker>(&loop)),
      handlers{loop,   shared.helpers, shared.password_helpers, shared.media_types,
               random, shared.hash_key},
      resolver(loop),
      pools(loop, resolver, random),
      proxy{loop, pools, shared.pseudonym} {}

}  // namespace server
