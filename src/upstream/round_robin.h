// Weighted round robin over the members of a group, smooth: of weights 4, 1, 1 the light ones stand
// between the turns of the heavy one.
//
// Stride scheduling: each endpoint has a pass that grows by 1/weight with every turn; the smallest
// is next. A heap keeps that at O(log n) for groups of thousands. Passes begin at random, so that
// workers do not march in step. Ejected endpoints lose their turn rather than saving it up. Of a
// group of one, the one is always chosen, marks or not: nothing is won by refusing. Where all are
// ejected, each may be tried once a second.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "upstream/chooser.h"
#include "upstream/group.h"

namespace upstream {

class RoundRobin final : public Chooser {
 public:
  RoundRobin(std::shared_ptr<Group> group, base::Random& random);

  Choice choose(const Selection& selection) override { return pick(selection); }
  // The same without waiting, for it never does.
  Endpoint* pick(const Selection& selection);

 private:
  // The stride of weight 1; for weight 1000, the greatest, one is exact to a thousandth of itself.
  static constexpr std::uint64_t kStride = 1'000'000;
  static constexpr std::uint32_t kWeightMax = 1000;

  struct Turn {
    std::uint64_t pass = 0;
    std::uint64_t order = 0;  // equal passes: who waited longest
    std::uint64_t stride = 0;
    std::shared_ptr<Endpoint> endpoint;
  };
  struct Later {
    bool operator()(const Turn& a, const Turn& b) const {
      return a.pass != b.pass ? a.pass > b.pass : a.order > b.order;
    }
  };

  void refresh();
  void push(Turn turn);
  Endpoint* probe(const Selection& selection);

  std::shared_ptr<Group> group_;
  base::Random& random_;
  std::uint64_t version_ = 0;
  std::uint64_t now_ = 0;  // the pass of the endpoint chosen last
  std::uint64_t order_ = 0;
  std::vector<Turn> turns_;  // heap
  std::vector<Turn> aside_;  // passed over in the current call
};

}  // namespace upstream
