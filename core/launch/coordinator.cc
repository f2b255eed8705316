#include "core/launch/coordinator.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/launch/job_run.h"
#include "core/launch/star.h"
#include "core/launch/token.h"

namespace latchlab::launch {
namespace {

constexpr std::chrono::milliseconds kDismissWithin{2000};

Error not_gathered(const Star& star, std::uint32_t members, const std::string& why) {
  std::string text = fmt::format("{} of {} members are there: {}", star.present(), members, why);
  for (const std::string& more : {star.door().trouble(), star.door().last_refusal()})
    if (!more.empty()) text += "; " + more;
  return {text, {}};
}

}  // namespace

bool JobOutcome::complete() const {
  return std::all_of(replies.begin(), replies.end(),
                     [](const JobReply& reply) { return reply.blob.has_value(); });
}

Coordinator::Coordinator(std::unique_ptr<Star> star) : star_(std::move(star)) {}
Coordinator::~Coordinator() = default;
Coordinator::Coordinator(Coordinator&&) noexcept = default;
Coordinator& Coordinator::operator=(Coordinator&&) noexcept = default;

Result<Coordinator> Coordinator::listen(const RendezvousOptions& options) {
  DoorRules rules{options.program, options.token, options.hello_within, options.note};
  if (rules.token.empty()) {
    auto token = random_token();
    if (!token) return token.error();
    rules.token = std::move(token).value();
  }
  auto listener = listen_at(options.at);
  if (!listener) return listener.error();
  return Coordinator(std::make_unique<Star>(Door(std::move(listener).value(), std::move(rules))));
}

std::uint16_t Coordinator::port() const {
  return star_->door().port();
}

const std::string& Coordinator::token() const {
  return star_->door().rules().token;
}

Status Coordinator::gather(std::uint32_t members, const GatherWatch& watch) {
  if (star_->size() == 0) star_->set_size(members);
  LATCHLAB_CHECK(members > 0 && star_->size() == members, "the number of members is fixed");
  const auto& note = star_->door().rules().note;
  Star::Ears ears;
  ears.lost = [&](std::uint32_t, const std::string& text) {
    if (note) note(text);
  };
  ears.frame = [&](std::uint32_t rank, const Frame&) {
    star_->lose(rank, "it spoke before it had a job", ears);
  };
  // Heard at least once: a member that has died since the last job still has its place.
  do {
    star_->turn(star_->present() == members ? Clock::now() : watch.deadline, ears);
    if (star_->present() == members) return fine();
    const Status alive = watch.tick ? watch.tick() : fine();
    if (!alive) return not_gathered(*star_, members, alive.error().message);
    if (is_stopped(watch.stop)) return not_gathered(*star_, members, "stopped");
  } while (Clock::now() < watch.deadline);
  return not_gathered(*star_, members, "no more came in time");
}

Result<JobOutcome> Coordinator::run_job(const std::string& common,
                                        const std::vector<std::string>& each,
                                        const JobWatch& watch) {
  LATCHLAB_CHECK(star_->size() > 0, "members are gathered before they get a job");
  LATCHLAB_CHECK(each.empty() || each.size() == star_->size(), "one blob for each member, or none");
  return JobRun(*star_, jobs_++, watch).run(common, each);
}

std::vector<Peer> Coordinator::peers() const {
  std::vector<Peer> all;
  for (std::uint32_t rank = 0; rank < star_->size(); ++rank) all.push_back(star_->peer(rank));
  return all;
}

bool Coordinator::is_present(std::uint32_t rank) const {
  return star_->is_present(rank);
}

void Coordinator::dismiss() {
  const Deadline deadline = within(kDismissWithin);
  const Bytes goodbye = encode(FrameKind::dismissed, 0, 0);
  for (std::uint32_t rank = 0; rank < star_->size(); ++rank) star_->send(rank, goodbye);
  // Each goes when it has read it; to close first could reset the connection under it.
  Star::Ears deaf;
  deaf.frame = [](std::uint32_t, const Frame&) {};
  deaf.lost = [](std::uint32_t, const std::string&) {};
  while (star_->present() > 0 && Clock::now() < deadline) star_->turn(deadline, deaf);
  for (std::uint32_t rank = 0; rank < star_->size(); ++rank) star_->drop(rank);
}

}  // namespace latchlab::launch
