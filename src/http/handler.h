// Handlers answer; filters change what passes; a service is the whole of both.
//
// Each has one method with one shape: it is done when it returns, or returns a `Task` that the
// connection starts (after Exchange::keep) and owns. A task's coroutine takes the exchange and
// `this`, never views made before it runs. Handlers and filters belong to one worker's
// configuration snapshot and are not changed by requests, but for caches of the worker.
#pragma once

#include <utility>

#include "base/task.h"
#include "http/exchange.h"

namespace http {

// Done at once, or a task that will have answered when it ends.
class [[nodiscard]] Outcome {
 public:
  Outcome() = default;
  Outcome(base::Task<> task) : task_(std::move(task)) {}  // NOLINT: handlers return either
  bool done() const { return !task_; }
  base::Task<> take() { return std::move(task_); }

 private:
  base::Task<> task_;
};

class Handler {
 public:
  virtual ~Handler() = default;
  // Answers the exchange, in the call or by the task.
  virtual Outcome handle(Exchange& exchange) = 0;
};

enum class Verdict : unsigned char { next, answered };

// What a filter says: go on, it has answered itself, or a task that will say so.
class [[nodiscard]] FilterOutcome {
 public:
  FilterOutcome(Verdict verdict) : verdict_(verdict) {}                // NOLINT
  FilterOutcome(base::Task<Verdict> task) : task_(std::move(task)) {}  // NOLINT
  bool done() const { return !task_; }
  Verdict verdict() const { return verdict_; }
  base::Task<Verdict> take() { return std::move(task_); }

 private:
  Verdict verdict_ = Verdict::next;
  base::Task<Verdict> task_;
};

class Filter {
 public:
  virtual ~Filter() = default;
  virtual FilterOutcome filter(Exchange& exchange) = 0;
};

// What a connection of any version hands its exchanges to. Implemented by server/.
class Service {
 public:
  // The head is complete and valid for its version; request().host, raw_path, query are set.
  virtual Outcome serve(Exchange& exchange) = 0;
  // The answer is out, or cut. For logs and counters.
  virtual void finished(Exchange& exchange) = 0;
  // Input that never became an exchange was answered with `status` (0: closed without an answer).
  // `line` is the request line as far as it came, `reason` a sentence for the log.
  virtual void refused(const ConnectionInfo& connection, int status, std::string_view line,
                       std::string_view reason) = 0;

 protected:
  ~Service() = default;
};

}  // namespace http
