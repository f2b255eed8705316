#pragma once
// Ranges of units, drawn anew for each section (CITRON 4.2): `size` units of one object. The
// distribution chooses the left end among the units - size + 1 positions; rank 1 is unit 0.
//
// Sizes: clients have them in turn, the n-th of the workload the n-th (modulo their number), or
// each section draws one uniformly. Objects are drawn uniformly.
//
// Streams of a client: the left end is drawn from that of keys. Object and size have separate
// streams, which are not used where there is only one object or size: adding an object changes no
// left end.

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
