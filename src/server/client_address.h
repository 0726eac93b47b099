// Who the client of an exchange is, and which fields of a request are believed.
//
// Peers that aren't trusted proxies are the client themselves. A trusted proxy's X-Forwarded-For or
// Forwarded (one of them, as configured) is walked from the right (attack S30); its X-Request-ID is
// taken over.
#pragma once

#include "http/exchange.h"
#include "server/options.h"

namespace server {

void find_client(http::Exchange& exchange, const ListenerOptions& listener);

}  // namespace server
