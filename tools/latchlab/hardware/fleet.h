#pragma once
// The coordinator's view of the node processes of a run on hardware.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/native_atomics.h"
#include "core/base/result.h"
#include "core/launch/coordinator.h"
#include "core/launch/local_members.h"
#include "core/launch/mpi.h"
#include "core/launch/rendezvous.h"
#include "core/run/study.h"
#include "tools/latchlab/hardware/journal.h"
#include "tools/latchlab/run.h"

namespace latchlab::tool {

class Fleet {
 public:
  // `place`: set if MPI started this process; the MPI processes then determine the nodes.
  Fleet(const RunArguments& arguments, std::uint32_t nodes, std::optional<launch::MpiRank> place)
      : arguments_(arguments), nodes_(place ? place->size : nodes), place_(place) {}
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  Status assemble();
  // The nodes' devices and kernels: "rxe0 (firmware , Linux 6.1.0-41-amd64)", each distinct one
  // once.
  std::string describe() const;
  // The atomics that the RNICs of all nodes implement over this run's transport.
  NativeAtomics atomics() const;
  // Why no lock table can be in the RNICs' own memory; empty: all RNICs have such memory.
  std::string no_own_memory() const;
  // Devices implemented in software: "rxe0 is soft-RoCE".
  std::vector<std::string> software() const;
  // Error: a node has reported that it cannot take part, with the reason.
  Status able() const;
  // Runs a job that belongs to no scenario, on every node that has joined, including nodes that
  // able() would reject.
  Result<launch::JobOutcome> ask(const std::string& job, const launch::JobWatch& watch);
  // Reads the output of the nodes on this machine. Call often while ask() waits.
  void pump() {
    if (locals_) locals_->pump();
  }
  // Prints advise_on_cores() for the nodes to stderr.
  void tell_cores() const;
  std::vector<launch::Peer> peers() const { return coordinator_->peers(); }
  bool by_dc() const { return arguments_.hardware.transport == "dc"; }
  RepeatOutcome run(const Scenario& scenario, std::size_t point, std::uint32_t repeat,
                    const StopAsked& stop);

 private:
  Status start_locals();
  void say_what_waits(const launch::Address& at);
  Status gather(const StopAsked& stop);
  void call_the_missing() const;
  Result<std::vector<std::string>> make_journals(const Point& point);
  RepeatOutcome collect(const Point& point, const launch::JobOutcome& job);

  RunArguments arguments_;
  std::uint32_t nodes_;
  std::optional<launch::MpiRank> place_;
  std::optional<launch::Coordinator> coordinator_;
  std::optional<launch::LocalMembers> locals_;  // absent: this program started no node
  std::vector<JournalFile> journals_;           // by rank, for the current job
  std::string joining_;                         // the command that starts a node
  bool assembled_ = false;
  bool gave_up_ = false;  // the nodes did not join in time
};

}  // namespace latchlab::tool
