#include "server/admin_handler.h"

#include <format>
#include <nlohmann/json.hpp>

#include "http/path.h"

namespace server {

namespace {

struct Sum {
  uint64_t accepted = 0, refused_connections = 0, handshakes = 0, handshakes_failed = 0;
  int64_t open = 0, active = 0;
  std::array<uint64_t, 6> responses{};
  uint64_t refused = 0, aborted = 0, received = 0, sent = 0, upstream_failures = 0;
  base::HistogramSnapshot duration;
};

Sum sum_of(const ProcessState& state) {
  Sum sum;
  for (const Metrics* m : state.workers) {
    sum.accepted += m->connections_accepted.value();
    sum.refused_connections += m->connections_refused.value();
    sum.open += m->connections_open.value();
    sum.active += m->connections_active.value();
    sum.handshakes += m->handshakes.value();
    sum.handshakes_failed += m->handshakes_failed.value();
    for (size_t i = 0; i < sum.responses.size(); ++i) sum.responses[i] += m->responses[i].value();
    sum.refused += m->requests_refused.value();
    sum.aborted += m->requests_aborted.value();
    sum.received += m->body_bytes_received.value();
    sum.sent += m->body_bytes_sent.value();
    sum.upstream_failures += m->upstream_failures.value();
    sum.duration += m->request_duration.snapshot();
  }
  return sum;
}

// One family of the exposition format.
class Text {
 public:
  void family(std::string_view name, std::string_view type, std::string_view about) {
    out_ += std::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, about, type);
  }
  void single(std::string_view name, std::string_view type, std::string_view about, auto value) {
    family(name, type, about);
    out_ += std::format("{} {}\n", name, value);
  }
  std::string& out() { return out_; }

 private:
  std::string out_;
};

void append_durations(Text& text, const base::HistogramSnapshot& duration) {
  text.family("webship_request_duration_seconds", "histogram",
              "From the first byte of a request to the end of its response.");
  uint64_t total = 0;
  for (size_t i = 0; i < duration.counts.size(); ++i) {
    total += duration.counts[i];
    std::string bound =
        i + 1 == duration.counts.size()
            ? "+Inf"
            : std::format("{}", std::chrono::duration<double>(base::Histogram::bound(i)).count());
    text.out() +=
        std::format("webship_request_duration_seconds_bucket{{le=\"{}\"}} {}\n", bound, total);
  }
  text.out() += std::format("webship_request_duration_seconds_sum {}\n",
                            static_cast<double>(duration.sum_nanoseconds) / 1e9);
  text.out() += std::format("webship_request_duration_seconds_count {}\n", total);
}

bool is_local_name(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "127.0.0.1" ||
         host == "[::1]" || host == "::1" || host.empty();
}

}  // namespace

std::string metrics_text(const ProcessState& state) {
  Sum sum = sum_of(state);
  Text text;
  text.single("webship_connections_accepted_total", "counter",
              "Connections accepted, refused ones among them.", sum.accepted);
  text.single("webship_connections_refused_total", "counter",
              "Connections over `limits.connections`.", sum.refused_connections);
  text.single("webship_connections_open", "gauge", "Connections open now.", sum.open);
  text.single("webship_connections_active", "gauge",
              "Connections with a request in progress, that of this page among them.", sum.active);
  text.single("webship_tls_handshakes_total", "counter", "TLS handshakes completed.",
              sum.handshakes);
  text.single("webship_tls_handshakes_failed_total", "counter", "TLS handshakes that failed.",
              sum.handshakes_failed);
  text.family("webship_responses_total", "counter", "Responses by class of status.");
  for (size_t i = 1; i < sum.responses.size(); ++i) {
    text.out() +=
        std::format("webship_responses_total{{class=\"{}xx\"}} {}\n", i, sum.responses[i]);
  }
  text.single("webship_requests_refused_total", "counter",
              "Input that never became a request (malformed, too large, too slow).", sum.refused);
  text.single("webship_requests_aborted_total", "counter",
              "Responses cut by the client or by an error.", sum.aborted);
  text.single("webship_received_body_bytes_total", "counter",
              "Bytes of request bodies that were not dropped unread.", sum.received);
  text.single("webship_sent_body_bytes_total", "counter", "Bytes of response bodies.", sum.sent);
  text.single("webship_upstream_failures_total", "counter",
              "Proxied requests that no origin answered.", sum.upstream_failures);
  text.single("webship_log_lines_dropped_total", "counter",
              "Access log lines that could not be written in time.",
              state.log_lines_dropped.load());
  text.single("webship_reloads_total", "counter", "Reloads that took effect.",
              state.reloads.load());
  text.single("webship_reloads_failed_total", "counter",
              "Reloads that failed; the old configuration went on.", state.reloads_failed.load());
  text.single("webship_workers", "gauge", "Worker threads.", state.workers.size());
  text.family("webship_certificate_expiry_seconds", "gauge",
              "End of validity of each certificate, unix time.");
  for (const auto& certificate : state.certificates()) {
    nlohmann::json name = certificate.file;  // its escapes are those of the exposition format
    text.out() += std::format("webship_certificate_expiry_seconds{{file={}}} {}\n", name.dump(),
                              certificate.not_after);
  }
  append_durations(text, sum.duration);
  return std::move(text.out());
}

std::string status_json(const ProcessState& state) {
  Sum sum = sum_of(state);
  auto uptime = std::chrono::system_clock::now() - state.started;
  nlohmann::ordered_json status = {
      {"state", state.draining ? "draining" : "serving"},
      {"uptime_seconds", std::chrono::duration_cast<std::chrono::seconds>(uptime).count()},
      {"workers", state.workers.size()},
      {"connections",
       {{"open", sum.open},
        {"active", sum.active},
        {"accepted", sum.accepted},
        {"refused", sum.refused_connections}}},
      {"responses",
       {{"1xx", sum.responses[1]},
        {"2xx", sum.responses[2]},
        {"3xx", sum.responses[3]},
        {"4xx", sum.responses[4]},
        {"5xx", sum.responses[5]}}},
      {"requests_refused", sum.refused},
      {"requests_aborted", sum.aborted},
      {"upstream_failures", sum.upstream_failures},
      {"reloads", state.reloads.load()},
      {"reloads_failed", state.reloads_failed.load()},
      {"log_lines_dropped", state.log_lines_dropped.load()},
  };
  return status.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

http::Outcome AdminHandler::handle(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  if (!is_local_name(request.host) || request.fields.has(http::FieldName::origin)) {
    exchange.respond(403);
    return {};
  }
  if (request.method != http::Method::get && request.method != http::Method::head) {
    exchange.response().fields.add(http::FieldName::allow, "GET, HEAD");
    exchange.respond(405);
    return {};
  }
  if (request.path == "/metrics") {
    answer(exchange, "text/plain; version=0.0.4; charset=utf-8", metrics_text(state_));
  } else if (request.path == "/" || request.path == "/status") {
    answer(exchange, "application/json", status_json(state_));
  } else if (request.path == "/health") {
    answer(exchange, "text/plain; charset=utf-8", "ok\n");
  } else if (request.path == "/ready") {
    exchange.response().status = state_.draining ? 503 : 200;
    answer(exchange, "text/plain; charset=utf-8", state_.draining ? "draining\n" : "ready\n");
  } else {
    exchange.respond(404);
  }
  return {};
}

void AdminHandler::answer(http::Exchange& exchange, std::string_view type,
                          const std::string& text) {
  exchange.response().fields.set(http::FieldName::content_type, type);
  exchange.response().fields.set(http::FieldName::cache_control, "no-store");
  exchange.respond(base::Slice::copy_of(text));
}

}  // namespace server
