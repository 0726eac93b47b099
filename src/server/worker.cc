#include "server/worker.h"

#include <algorithm>
#include <array>
#include <utility>

#include "http/path.h"
#include "io/acceptor.h"
#include "server/build.h"
#include "server/client_address.h"
#include "server/diagnostics.h"
#include "tls/server_layer.h"

namespace server {

namespace {

// To a connection over a limit, whatever it is going to ask for.
constexpr std::string_view kBusyAnswer =
    "HTTP/1.1 503 Service Unavailable\r\nServer: webship\r\nRetry-After: 1\r\n"
    "Content-Length: 0\r\nConnection: close\r\n\r\n";
// How often a worker says that it refuses connections.
constexpr std::chrono::seconds kRefusalLogInterval{10};

}  // namespace

// Accepts on one listener's sockets for this worker.
class Worker::Listening final : public io::AcceptorUser {
 public:
  Listening(Worker& worker, std::shared_ptr<const Listener> listener, int descriptor, bool shared)
      : worker_(worker),
        listener_(std::move(listener)),
        acceptor_(worker.loop_, descriptor, shared, *this) {}

  void replace(std::shared_ptr<const Listener> listener) { listener_ = std::move(listener); }

  void on_accepted(int descriptor, const base::Address& peer) override {
    worker_.metrics_.connections_accepted.add();
    if (!worker_.admit(*listener_)) return worker_.refuse_connection(*listener_, descriptor, peer);
    Connection::open(worker_, listener_, descriptor, peer);
  }

 private:
  Worker& worker_;
  std::shared_ptr<const Listener> listener_;
  io::Acceptor acceptor_;
};

Worker::Worker(size_t index, WorkerShared& shared)
    : index_(index),
      shared_(shared),
      exchanges_(shared.seed(index)),
      deadline_(loop_, [](void* self) { static_cast<Worker*>(self)->loop_.stop(); }, this) {}

Worker::~Worker() { join(); }

void Worker::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  services_ = std::make_unique<Services>(loop_, shared_, metrics_, index_);
  loop_.run();
  listening_.clear();
  while (connections_ != nullptr) connections_->close();
  loop_.turn(io::Duration::zero());  // disposes what was closed
  tree_.reset();
  retired_.clear();
  services_.reset();
  loop_.turn(io::Duration::zero());
  if (drained_) drained_();
}

void Worker::install(std::shared_ptr<const Snapshot> snapshot, LogQueue::Producer* access_log,
                     std::function<void()> done) {
  loop_.post([this, snapshot = std::move(snapshot), access_log, done = std::move(done)] {
    auto tree = build_tree(snapshot, *services_);
    access_log_ =
        access_log == nullptr ? nullptr : std::make_unique<AccessLog>(snapshot, *access_log, loop_);
    log_names_fields_ = access_log_ != nullptr && access_log_->names_response_fields();
    for (const auto& listener : snapshot->listeners) {
      auto found = listening_.find(listener->id);
      if (found == listening_.end()) continue;
      for (auto& listening : found->second) listening->replace(listener);
    }
    replace_tree(std::move(tree));
    services_->pools.drop_left();
    if (done) done();
  });
}

void Worker::listen(std::shared_ptr<const Listener> listener, int descriptor, bool shared) {
  loop_.post([this, listener = std::move(listener), descriptor, shared] {
    listening_[listener->id].push_back(
        std::make_unique<Listening>(*this, listener, descriptor, shared));
  });
}

void Worker::stop_listening(uint32_t listener_id, std::function<void()> done) {
  loop_.post([this, listener_id, done = std::move(done)] {
    listening_.erase(listener_id);
    if (done) done();
  });
}

void Worker::drain(io::Duration timeout, std::function<void()> done) {
  loop_.post([this, timeout, done = std::move(done)] {
    draining_ = true;
    drained_ = done;
    listening_.clear();
    deadline_.set_after(timeout);
    for (Connection* at = connections_; at != nullptr;) std::exchange(at, at->next)->drain();
    end_if_drained();
  });
}

void Worker::stop() {
  loop_.post([this] { loop_.stop(); });
}

void Worker::end_if_drained() {
  if (draining_ && connections_ == nullptr) loop_.stop();
}

bool Worker::admit(const Listener& listener) {
  if (!listener.connections->enter(listener.options.limits.connections_max)) return false;
  if (listener.admin) return true;
  if (shared_.connections.enter(tree_->snapshot->options.limits.connections_max)) return true;
  listener.connections->leave();
  return false;
}

// D04, O02. Lingers within the bounds of io/linger: closing a socket with a request in it that
// nobody reads would destroy the answer on its way.
void Worker::refuse_connection(const Listener& listener, int descriptor,
                               const base::Address& peer) {
  metrics_.connections_refused.add();
  auto stream = io::Stream::adopt(loop_, descriptor, peer);
  if (listener.tls == nullptr) {
    stream->write(kBusyAnswer);
    const http::Limits& limits = listener.options.limits;
    io::Stream::linger(std::move(stream), limits.linger_size_max, limits.linger_timeout);
  }
  if (loop_.now() < refusal_logged_ + kRefusalLogInterval) return;
  refusal_logged_ = loop_.now();
  log(LogLevel::kWarning, "connections are refused: `limits.connections` is reached (listener `" +
                              listener.options.name + "`)");
}

void Worker::add(Connection& connection) {
  connection.next = connections_;
  if (connections_ != nullptr) connections_->previous = &connection;
  connections_ = &connection;
  connection.set_id(next_connection_++);
  metrics_.connections_open.add();
}

void Worker::remove(Connection& connection) {
  (connection.previous == nullptr ? connections_ : connection.previous->next) = connection.next;
  if (connection.next != nullptr) connection.next->previous = connection.previous;
  metrics_.connections_open.subtract();
  connection.listener().connections->leave();
  if (!connection.listener().admin) shared_.connections.leave();
  end_if_drained();
}

void Worker::replace_tree(std::unique_ptr<Tree> tree) {
  std::swap(tree_, tree);
  if (tree != nullptr && tree->exchanges > 0) retired_.push_back(std::move(tree));
}

void Worker::release(Tree* tree) {
  if (--tree->exchanges > 0 || tree == tree_.get()) return;
  std::erase_if(retired_, [tree](const auto& retired) { return retired.get() == tree; });
}

http::Outcome Worker::serve(http::Exchange& exchange, const Connection& connection) {
  Tree* tree = tree_.get();
  ++tree->exchanges;
  exchange.tree = tree;
  if (log_names_fields_) exchange.keep_response_fields();
  const Listener& listener = connection.listener();
  exchange.limit_body(listener.options.limits.body_size_max);
  http::Request& request = exchange.request();
  find_client(exchange, listener.options);
  if (request.raw_path == "*") {  // OPTIONS * (RFC 9110 9.3.7)
    request.path = request.raw_path;
    exchange.respond(204);
    return {};
  }
  if (!set_path(exchange)) return refuse(exchange, 400, exchange.error_detail);
  http::Router* router =
      listener.id < tree->routers.size() ? tree->routers[listener.id].get() : nullptr;
  http::Site* site = router == nullptr ? nullptr : router->find(request.host);
  if (site == nullptr) {
    return refuse(exchange, connection.tls() != nullptr ? 421 : 404, "no site has this host");
  }
  if (connection.tls() != nullptr && !connection.tls()->covers(request.host)) {
    // RFC 9110 7.4, 15.5.20: another site's policy or certificate (T03).
    return refuse(exchange, 421, "the connection was opened for another site");
  }
  const http::Route* route = site->match(exchange);
  if (route == nullptr) return refuse(exchange, 404, "no route matches");
  exchange.route = route;
  return http::run_chain(site->filters, route->chain, exchange);
}

http::Outcome Worker::refuse(http::Exchange& exchange, int status, std::string_view why) {
  exchange.error_detail = why;
  exchange.respond(status);
  return {};
}

bool Worker::set_path(http::Exchange& exchange) {
  http::Request& request = exchange.request();
  if (path_scratch_.size() < request.raw_path.size()) path_scratch_.resize(request.raw_path.size());
  auto path = http::canonical_path(request.raw_path, path_scratch_.data());
  if (!path) {
    exchange.error_detail = http::to_string(path.error());
    return false;
  }
  bool own = path->data() < path_scratch_.data() ||
             path->data() >= path_scratch_.data() + path_scratch_.size();
  request.path = own ? *path : exchange.arena().copy(*path);
  return !request.path.empty();
}

void Worker::finished(http::Exchange& exchange, const Listener& listener) {
  int status = exchange.started() ? exchange.response().status : 0;
  size_t status_class = static_cast<size_t>(status / 100);
  metrics_.responses[status_class < metrics_.responses.size() ? status_class : 0].add();
  metrics_.body_bytes_sent.add(exchange.body_sent());
  metrics_.body_bytes_received.add(exchange.body().received());
  if (exchange.aborted()) metrics_.requests_aborted.add();
  if (exchange.upstream_failed) metrics_.upstream_failures.add();
  metrics_.request_duration.record(loop_.now() - exchange.timing.begin);
  if (access_log_ != nullptr && !listener.admin) access_log_->write(exchange);
  if (exchange.tree != nullptr) release(static_cast<Tree*>(std::exchange(exchange.tree, nullptr)));
}

void Worker::refused(const http::ConnectionInfo& connection, int status, std::string_view line,
                     std::string_view reason, const Listener& listener) {
  metrics_.requests_refused.add();
  if (access_log_ == nullptr || listener.admin) return;
  access_log_->write_refused(connection, status, line, reason);
}

}  // namespace server
