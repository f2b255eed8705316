#pragma once
// The responder's RNIC: the order of QPs, the inbound pipeline, PCIe, the atomic unit, and the
// reply. Messages and calls go through the same pipeline, and then to their own parts.
//
//   wire -> (order of the QP) -> inbound pipeline, one verb at a time -> READ, WRITE: effect
//                                atomic: window of W, FIFO -> slot by address bits 3..11, FIFO ->
//                                reads, holds, writes: effect
//                                (pipeline -> PCIe, if the NIC's file limits it) -> wire
//
// An atomic reads when its hold begins and writes whole words when it ends: a WRITE or CPU store in
// between is lost (capability `atomic_with_writes` is absent). WRITEs do not enter the slots, READs
// only if the NIC's file says so.

#include <cstdint>
#include <vector>

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/record.h"
#include "backends/simgrid/sim_operation.h"

namespace latchlab::sim {

class Bulk;
class Calls;
class Memory;
class Messages;
class Network;
class Resending;

// The parts that it uses.
struct ResponderNeeds {
  Timeline& timeline_;
  Record& record_;
  const Nodes& nodes_;
  Memory& memory_;
  const Platform& platform_;
  Network& network_;
  Resending& resending_;
  Bulk& bulk_;
  Messages& messages_;
  Calls& calls_;
};

class Responder : ResponderNeeds {
 public:
  explicit Responder(const ResponderNeeds& needs);

  // A request of any kind that has left reaches the RNIC at this date, but not before requests that
  // left earlier on its QP.
  void expect(SimOperation& op, Time arrival);
  // Sends a verb's answer after `extra`, in the order of its QP.
  void answer(SimOperation& op, Duration extra);
  void fail(SimOperation& op, VerbStatus status);

  // ---- events ----
  void arrive(SimOperation& op);
  void served(SimOperation& op);     // it leaves the pipeline
  void slot_done(SimOperation& op);  // its hold in the slot is over

  void reset_stats();
  NicStats busiest_server() const;

 private:
  struct AtomicSlot {
    bool busy = false;
    Fifo<SimOperation> waiting;
    Time busy_since;      // or since the last reset_stats
    Duration busy_total;  // of holds that have ended
  };
  struct Inbound {
    Duration pcie_per_verb;
    Time pipeline_free;
    Time pcie_free;
    std::int64_t pcie_femtoseconds_per_byte = 0;  // 0: no limit
    std::vector<AtomicSlot> slots;
    std::int64_t window = 0;
    std::int64_t admitted = 0;         // in the window
    Fifo<SimOperation> before_window;  // atomics that wait for room in the window, in arrival order
    Time window_full_since;
    // statistics since reset_stats
    std::uint64_t verbs = 0;
    Duration pipeline_busy;  // includes what is queued, up to pipeline_free
    Duration link_busy;
    Duration window_full;
    Duration slot_wait;
    std::uint64_t slot_waits = 0;
  };

  // responder.cc
  Duration serve_time(const SimOperation& op) const;
  void execute(SimOperation& op, Time alone);
  void enter_pipeline(SimOperation& op, Time alone);
  Time cross_pcie(Inbound& inbound, const SimOperation& op, NodeId to, Time date);
  VerbStatus refusal(const SimOperation& op) const;
  void unstall(Qp& qp);
  void note_effect(SimOperation& op);
  Duration fetch_time(SimOperation& op);
  // atomic_unit.cc
  static AtomicSlot& slot_of(Inbound& inbound, RemoteAddr addr);
  AtomicSlot* second_slot_of(Inbound& inbound, const SimOperation& op) const;
  bool uses_slot(const Verb& verb) const;
  Duration hold_of(const SimOperation& op) const;
  void admit(SimOperation& op);
  void enter_slot(SimOperation& op);
  void take_slot(SimOperation& op, AtomicSlot& slot);
  void slot_taken(SimOperation& op, AtomicSlot& slot);
  void begin_hold(SimOperation& op);
  void leave_slot(AtomicSlot& slot);
  void leave_window(Inbound& inbound);

  PerNic<Inbound> inbound_;
  // Whether any RNIC has them: a disabled feature costs one branch.
  bool slot_reads_ = false;
  bool pcie_ = false;
};

}  // namespace latchlab::sim
