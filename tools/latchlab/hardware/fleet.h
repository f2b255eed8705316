#pragma once
// The node processes of a run on hardware, as the coordinator sees them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/native_atomics.h"
#include "core/base/result.h"
#include "core/launch/address.h"
#include "core/launch/coordinator.h"
#include "core/launch/local_members.h"
#include "core/launch/mpi.h"
#include "core/study/study.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/hardware/journal.h"

namespace latchlab::tool {

class Fleet {
 public:
  // `place`: of this process among those that MPI has started, which are the nodes.
  Fleet(const RunArguments& arguments, std::uint32_t nodes, std::optional<launch::MpiPlace> place)
      : arguments_(arguments), nodes_(place ? place->size : nodes), place_(place) {}
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  Status assemble();
  // What the nodes run on: "rxe0 (firmware , Linux 6.1.0-41-amd64)", different ones apart.
  std::string describe() const;
  // What the RNICs of all nodes do by themselves, by the transport of this run.
  NativeAtomics atomics() const;
  // Why a lock table in the RNICs' own memory cannot be; empty: all have some.
  std::string no_own_memory() const;
  // Devices that are software: "rxe0 is soft-RoCE".
  std::vector<std::string> software() const;
  // Error: some node has told that it cannot take part, and why.
  Status able() const;
  // A job that is none of a scenario's; every node there takes it, with its troubles or without.
  Result<launch::JobOutcome> ask(const std::string& job, const launch::JobWatch& watch);
  // Takes what nodes of this machine write; often, while ask() waits.
  void pump() {
    if (locals_) locals_->pump();
  }
  // Which cores nodes have where something binds them, and whether they suffice; on stderr.
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
  std::optional<launch::MpiPlace> place_;
  std::optional<launch::Coordinator> coordinator_;
  std::optional<launch::LocalMembers> locals_;  // absent: they were all started elsewhere
  std::vector<JournalFile> journals_;           // by rank, of the job under way
  std::string joining_;                         // what to type where a node is to be
  bool assembled_ = false;
  bool gave_up_ = false;  // nobody came in time
};

}  // namespace latchlab::tool
