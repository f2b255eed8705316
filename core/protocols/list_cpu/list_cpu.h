#pragma once
// list_cpu: ranges in a sorted linked list, which the cores of the object's server walk in
// parallel.
// Source: LLC of CITRON (FAST'23), Table 1 ("a range lock manager that chains lock entries in a
// lock-free linked list") and 4.1 (servers' CPUs, eRPC, 18 threads); the list is that of Kogan,
// Dice and Issa, "Scalable Range Locks for Scalable Address Spaces and Beyond" (EuroSys'20), its
// exclusive locks. CITRON's code is not public: how requests use the list is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// List     the held ranges, by their first units. No two of them overlap.
// Acquire  walks from the head to the place of its range, and unlinks marked nodes on its way. If
//          it meets a held range that overlaps, it waits for that holder. Otherwise it links its
//          own node: the CAS by which it takes effect.
// Release  marks its node: one step, wherever it is. Then the requests that wait for this holder
//          walk again from the head, in the order of arrival, and may meet another holder.
// Cores    walk in parallel: a step is paid beside other requests' steps. Not modelled: a CAS that
//          fails because an adjacent node was linked meanwhile, after which the walk goes on from
//          there.
//
// Fair     not at all: only holders are in the list, and a request that meets none of them is
//          granted before requests that wait for some of its units. Narrow ranges can starve a wide
//          one.
//
// Assumptions  (CITRON says nothing) In EuroSys'20 a request that meets a holder spins at that node
//              and goes on from there. Here the request is put aside, since threads that spin for
//              clients would leave none to serve their releases; it references no node meanwhile
//              and so walks from the head. Requests that wait for one holder try again in the order
//              of arrival; in EuroSys'20 they race. A request that overlaps one that has just been
//              granted waits for it without a walk (`tries`): in EuroSys'20 it walks on a core of
//              its own and delays no other. With `all` each walks and the release pays for it,
//              which is expensive where many wait for one holder.
// Departures. The exclusive lock alone: CITRON's ranges are exclusive. The paper's fast path for an
// empty list is a step here, as any link is. Its remedy against starvation is optional and left
// out. An object that no client holds or waits for drops its marked nodes.
//
// Constant `step`: models/cpu/range-structures.yaml (measured: tools/bench ranges).
// Tests: tests/protocols/list_cpu; what the four range servers share, in range_server beside it.

#include <forward_list>

#include "core/protocols/common/range_server/holders.h"
#include "core/protocols/lock.h"

namespace latchlab::list_cpu {

// A singly linked list of disjoint ranges, sorted by their first units. An erasure only marks its
// node; a later walk that passes a marked node unlinks it.

// A step is a node that a walk from the head visits, or that is linked or marked.
class RangeList final : public range_server::DisjointRanges {
 public:
  std::optional<range_server::Asker> try_insert(const range_server::Held& held) override;
  bool erase(const range_server::Held& held) override;
  std::size_t nodes() const;  // including marked ones

 private:
  struct Node {
    range_server::Held held;
    std::uint64_t marked = 0;
  };
  std::forward_list<Node> nodes_;
};

}  // namespace latchlab::list_cpu

namespace latchlab {
ProtocolEntry list_cpu_entry();
}  // namespace latchlab
