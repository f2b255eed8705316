// Step 2 at a leaf: phases (b) to (d) of Algorithm 2, until its bits are set.

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/citron/bits.h"
#include "core/protocols/citron/client.h"
#include "core/protocols/common/planted.h"

namespace latchlab::citron {

Task<Client::Outcome> Client::lock_leaf(Attempt& attempt, AtNode& mine) {
  for (std::uint32_t tries = 1;; ++tries) {
    const Outcome searched = co_await search(attempt, mine);
    if (searched != Outcome::proceed) co_return searched;
    bool taken = false;
    const Outcome outcome = co_await try_leaf(attempt, mine, taken);
    if (taken || outcome != Outcome::proceed) co_return outcome;
    verbs_.mark(Phase::retry);
    if (tries < options_.leaf_tries) continue;
    LATCHLAB_PATH("citron: a leaf is given up for its parent");
    attempt.instead = mine.node.up(1);
    attempt.suspect = mine.node;
    attempt.suspected = options_.recovers();
    co_return Outcome::instead;
  }
}

// Phases (c) and (d).
Task<Client::Outcome> Client::try_leaf(Attempt& attempt, AtNode& mine, bool& taken) {
  const std::size_t last = attempt.held->nodes.size() - 1;  // this one
  const Time posted = verbs_.now();
  if (const std::optional<Outcome> old = too_old_for_bits(attempt, mine.node)) co_return *old;
  Batch batch(verbs_);
  batch.add(set_bits(word(attempt.lock, mine.node), mine.mask));
  if (options_.batch_occupy) add_told(batch, attempt, mine);
  co_await batch.run();
  if (batch.status() != VerbStatus::ok) co_return Outcome::failed;
  const Time until = std::min(fence(posted, mine.node), attempt.until);
  if (options_.undo == Undo::fenced) mine.until = until;
  taken = were_clear(batch.result(0), mine.mask);
  if (options_.batch_occupy) note_told(batch, 1, mine);
  if (!taken) {
    LATCHLAB_PATH("citron: bits of a leaf are taken");
    if (!PLANTED(citron_leaves_what_it_told)) co_await leave(attempt.lock, *attempt.held, last);
    mine.told.clear();
    co_return Outcome::proceed;
  }
  mine.stage = Stage::occupied;
  mine.until = until;
  if (options_.batch_occupy)
    co_return judge_told(batch, 1 + static_cast<int>(mine.told.size()), attempt, mine,
                         verbs_.now());
  co_return co_await tell(attempt, mine);
}

}  // namespace latchlab::citron
