#include "core/launch/coordinator.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/launch/connections.h"
#include "core/launch/job_run.h"
#include "core/launch/token.h"

namespace latchlab::launch {
namespace {

constexpr std::chrono::milliseconds kDismissWithin{2000};

Error not_gathered(const Connections& connections, std::uint32_t members, const std::string& why) {
  std::string text =
      fmt::format("{} of {} members are there: {}", connections.present(), members, why);
  for (const std::string& more :
       {connections.admission().trouble(), connections.admission().last_refusal()})
    if (!more.empty()) text += "; " + more;
  return {text, {}};
}

}  // namespace

bool JobOutcome::complete() const {
  return std::all_of(replies.begin(), replies.end(),
                     [](const JobReply& reply) { return reply.blob.has_value(); });
}

Coordinator::Coordinator(std::unique_ptr<Connections> connections)
    : connections_(std::move(connections)) {}
Coordinator::~Coordinator() = default;
Coordinator::Coordinator(Coordinator&&) noexcept = default;
Coordinator& Coordinator::operator=(Coordinator&&) noexcept = default;

Result<Coordinator> Coordinator::listen(const RendezvousOptions& options) {
  AdmissionRules rules{options.program, options.token, options.hello_within, options.note};
  if (rules.token.empty()) {
    auto token = random_token();
    if (!token) return token.error();
    rules.token = std::move(token).value();
  }
  auto listener = listen_at(options.at);
  if (!listener) return listener.error();
  return Coordinator(
      std::make_unique<Connections>(Admission(std::move(listener).value(), std::move(rules))));
}

std::uint16_t Coordinator::port() const {
  return connections_->admission().port();
}

const std::string& Coordinator::token() const {
  return connections_->admission().rules().token;
}

Status Coordinator::gather(std::uint32_t members, const GatherWatch& watch) {
  if (connections_->size() == 0) connections_->set_size(members);
  LATCHLAB_CHECK(members > 0 && connections_->size() == members, "the number of members is fixed");
  const auto& note = connections_->admission().rules().note;
  Connections::Events events;
  events.lost = [&](std::uint32_t, const std::string& text) {
    if (note) note(text);
  };
  events.frame = [&](std::uint32_t rank, const Frame&) {
    connections_->lose(rank, "it spoke before it had a job", events);
  };
  // At least one turn: a member that has died since the last job still occupies its place.
  do {
    connections_->turn(connections_->present() == members ? Clock::now() : watch.deadline, events);
    if (connections_->present() == members) return fine();
    const Status alive = watch.tick ? watch.tick() : fine();
    if (!alive) return not_gathered(*connections_, members, alive.error().message);
    if (is_stopped(watch.stop)) return not_gathered(*connections_, members, "stopped");
  } while (Clock::now() < watch.deadline);
  return not_gathered(*connections_, members, "no more came in time");
}

Result<JobOutcome> Coordinator::run_job(const std::string& common,
                                        const std::vector<std::string>& each,
                                        const JobWatch& watch) {
  LATCHLAB_CHECK(connections_->size() > 0, "members are gathered before they get a job");
  LATCHLAB_CHECK(each.empty() || each.size() == connections_->size(),
                 "one blob for each member, or none");
  return JobRun(*connections_, jobs_++, watch).run(common, each);
}

std::vector<Peer> Coordinator::peers() const {
  std::vector<Peer> all;
  for (std::uint32_t rank = 0; rank < connections_->size(); ++rank)
    all.push_back(connections_->peer(rank));
  return all;
}

bool Coordinator::is_present(std::uint32_t rank) const {
  return connections_->is_present(rank);
}

void Coordinator::dismiss() {
  const Deadline deadline = within(kDismissWithin);
  const Bytes goodbye = encode(FrameKind::dismissed, 0, 0);
  for (std::uint32_t rank = 0; rank < connections_->size(); ++rank)
    connections_->send(rank, goodbye);
  // Wait until each member has closed its connection; closing first could reset it before the
  // member reads.
  Connections::Events deaf;
  deaf.frame = [](std::uint32_t, const Frame&) {};
  deaf.lost = [](std::uint32_t, const std::string&) {};
  while (connections_->present() > 0 && Clock::now() < deadline) connections_->turn(deadline, deaf);
  for (std::uint32_t rank = 0; rank < connections_->size(); ++rank) connections_->drop(rank);
}

}  // namespace latchlab::launch
