#pragma once
// Ranges of units, drawn anew for each section (CITRON 4.2): `size` units of one object, whose left
// end the distribution chooses among all units - size + 1 places; rank 1 is unit 0.
//
// Sizes: clients have them in turn, the n-th of the workload the n-th (and so round), or each
// section draws one, each as likely. Objects are drawn uniformly.
//
// Streams of a client: the left end is drawn from that of keys. Object and size have streams of
// their own, from which nothing is taken where there is one of them: one object more moves no left
// end of a size.

#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/workload/keys.h"
#include "core/workload/parts.h"

namespace latchlab {

class Ranges final : public PartChooser {
 public:
  static Result<std::unique_ptr<PartChooser>> make(const PartSetup& setup);
  void next(ClientId client, SectionWanted& wanted) override;

 private:
  struct Streams {
    Rng left, object, size;
  };
  explicit Ranges(const PartSetup& setup);

  RangeSpec spec_;
  std::uint64_t objects_;
  std::uint32_t first_client_;
  std::vector<Streams> streams_;  // by client from the first
  // By size, in the order of the spec; equal sizes share one.
  std::vector<std::shared_ptr<const KeyChooser>> lefts_;
};

}  // namespace latchlab
