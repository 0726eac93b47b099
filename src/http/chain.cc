#include "http/chain.h"

#include <utility>

namespace http {

namespace {

// The site's filters and then the route's, as one sequence.
class Sequence {
 public:
  Sequence(const std::vector<std::unique_ptr<Filter>>& first, const Chain& second)
      : first_(first), second_(second) {}
  size_t size() const { return first_.size() + second_.filters.size(); }
  Filter& at(size_t index) const {
    return index < first_.size() ? *first_[index] : *second_.filters[index - first_.size()];
  }
  Handler& handler() const { return *second_.handler; }

 private:
  const std::vector<std::unique_ptr<Filter>>& first_;
  const Chain& second_;
};

base::Task<> run_from(Sequence sequence, size_t index, base::Task<Verdict> waiting,
                      Exchange& exchange) {
  if (co_await std::move(waiting) == Verdict::answered) co_return;
  for (++index; index < sequence.size(); ++index) {
    FilterOutcome outcome = sequence.at(index).filter(exchange);
    Verdict verdict = outcome.done() ? outcome.verdict() : co_await outcome.take();
    if (verdict == Verdict::answered) co_return;
  }
  Outcome outcome = sequence.handler().handle(exchange);
  if (!outcome.done()) co_await outcome.take();
}

}  // namespace

Outcome run_chain(const std::vector<std::unique_ptr<Filter>>& first, const Chain& second,
                  Exchange& exchange) {
  Sequence sequence(first, second);
  for (size_t i = 0; i < sequence.size(); ++i) {
    FilterOutcome outcome = sequence.at(i).filter(exchange);
    if (!outcome.done()) return run_from(sequence, i, outcome.take(), exchange);
    if (outcome.verdict() == Verdict::answered) return {};
  }
  return sequence.handler().handle(exchange);
}

}  // namespace http
