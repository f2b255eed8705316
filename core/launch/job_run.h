#pragma once
// One job of a coordinator, from its first frame to its last.
//
// Every frame of a job passes through this class, and each member receives them in the same order:
// the parts of an exchange and then any event that makes later exchanges fail (a loss, a request to
// stop, a member that has finished), or that event and no parts. So an exchange succeeds at all
// members that survive it or at none of them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/launch/connections.h"
#include "core/launch/coordinator.h"

namespace latchlab::launch {

class JobRun {
 public:
  JobRun(Connections& connections, std::uint32_t id, const JobWatch& watch);
  Result<JobOutcome> run(const std::string& common, const std::vector<std::string>& each);

 private:
  Status begin(const std::string& common, const std::vector<std::string>& each);
  void hear(std::uint32_t rank, const Frame& frame);
  void take_part(std::uint32_t rank, const Frame& frame);
  void finish_exchange();
  void fail_exchanges(const std::string& why);
  void relay(std::uint32_t from, const std::string& blob);
  void finish(std::uint32_t rank, const std::string& blob);
  void lost(std::uint32_t rank, const std::string& text);
  void ask_to_stop();
  void to_all_at_work(const Bytes& frame);
  bool is_at_work(std::uint32_t rank) const;
  bool is_over() const;

  Connections& connections_;
  std::uint32_t id_;
  const JobWatch& watch_;
  Connections::Events events_;
  Deadline deadline_;
  JobOutcome outcome_;
  // Parts of the current exchange, by sender: one for all or one for each member, ready to forward.
  std::vector<std::vector<Bytes>> parts_;
  std::uint32_t parts_there_ = 0;
  std::uint32_t exchange_ = 0;
  std::optional<std::uint32_t> first_finished_;
  bool exchanges_fail_ = false;
};

}  // namespace latchlab::launch
