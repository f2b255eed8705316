#pragma once
// The workloads of a run's groups of consecutive clients, as one source.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/workload/micro.h"

namespace latchlab {

class GroupedWorkload final : public OperationSource {
 public:
  // In the order of their clients; at least one group.
  static Result<std::unique_ptr<GroupedWorkload>> make(std::vector<MicroSetup> setups);

  bool next(ClientId client, Section& section) override { return of(client).next(client, section); }
  std::uint32_t held_at_once() const override;
  // All groups have the same world, so any of them can answer.
  RemoteAddr object_of(LockId lock) const override { return groups_.front()->object_of(lock); }
  RemoteAddr buffer_of(ClientId client) const override { return of(client).buffer_of(client); }
  MicroWorkload& of(ClientId client) const {
    std::size_t group = 0;
    while (client.value >= ends_[group]) ++group;
    return *groups_[group];
  }

 private:
  std::vector<std::uint32_t> ends_;  // the first client behind each group
  std::vector<std::unique_ptr<MicroWorkload>> groups_;
};

}  // namespace latchlab
