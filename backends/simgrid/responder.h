#pragma once
// The responder's RNIC: the order of QPs, the inbound pipeline, PCIe and the atomic unit. Messages
// and calls go through the same pipeline, and then to stations of their own.
//
//   wire -> (order of the QP) -> inbound pipeline, one verb at a time -> READ, WRITE: effect
//                                atomic: window of W, FIFO -> slot by address bits 3..11, FIFO ->
//                                reads, holds, writes: effect
//                                (pipeline -> PCIe, if the NIC's file limits it) -> answer
//
// An atomic reads when its hold begins and writes whole words when it ends: a WRITE or CPU store in
// between is lost (capability `atomic_with_writes` is absent). WRITEs do not enter the slots, READs
// only if the NIC's file says so.

#include <cstdint>
#include <vector>

#include "backends/simgrid/memory.h"
#include "backends/simgrid/network.h"
#include "backends/simgrid/qp.h"
#include "backends/simgrid/station.h"
#include "backends/simgrid/transfer.h"

namespace latchlab::sim {

class Responder : Station {
 public:
  Responder(SimContext& context, Memory& memory, Network& network, Transfer& transfer);

  // ---- gates ----
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
    Time pcie_free;
    std::int64_t pcie_femtoseconds_per_byte = 0;  // 0: no limit
    std::vector<AtomicSlot> slots;
    std::int64_t window = 0;
    std::int64_t admitted = 0;         // in the window
    Fifo<SimOperation> before_window;  // atomics that wait for room in the window, in arrival order
    Time window_full_since;
    // statistics since reset_stats
    std::uint64_t verbs = 0;
    Duration window_full;
    Duration slot_wait;
    std::uint64_t slot_waits = 0;
  };

  // responder.cc
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

  Memory& memory_;
  Network& network_;
  Transfer& transfer_;
  PerNic<Inbound> inbound_;
  // Whether any RNIC has them: a disabled feature costs one branch.
  bool slot_reads_ = false;
  bool pcie_ = false;
};

}  // namespace latchlab::sim
