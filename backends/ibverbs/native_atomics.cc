#include "backends/ibverbs/native_atomics.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wqe.h"

namespace latchlab {

std::string NativeAtomics::text() const {
  if (has(masked_8) && has(masked_16)) return "masked atomics of 8 and 16 bytes";
  if (!has(masked_8) && !has(masked_16)) return {};
  return fmt::format("masked atomics of {} bytes", has(masked_8) ? 8 : 16);
}

NativeAtomics NativeAtomics::by_dc() const {
  NativeAtomics made = *this;
  made.kinds = (kinds & (plain | dc)) | (kinds >> kByDc & (masked_8 | masked_16));
  if (made.has(masked_16)) made.kinds |= kinds & mixed;
  return made;
}

NativeAtomics common(const NativeAtomics& a, const NativeAtomics& b) {
  const std::uint32_t kinds = a.kinds & b.kinds;
  // Prefers the reason why one lacks something that the other has.
  return {kinds, kinds == a.kinds && !a.lacking.empty() ? a.lacking : b.lacking};
}

namespace ib {

namespace {

// Two QPs of one device that are connected to each other, or a DC initiator and a DC target.
// Requests go from the first to the second.
class Loop {
 public:
  static constexpr std::uint32_t kBurst = 32;  // requests at once
  // Target words of the atomics, and buffers for their results.
  struct alignas(64) Area {
    std::array<std::uint64_t, 8> words;
    std::array<Words, 2 * kBurst> landings;
  };

  Status make(const Device& device, const CompletionQueue& cq, bool masked) {
    QpOptions options;
    options.depth = kBurst;
    options.masked = masked;
    for (QueuePair* qp : {&near_, &far_}) {
      auto made = QueuePair::make(device, cq, options);
      if (!made) return made.error();
      *qp = std::move(made).value();
    }
    if (Status there = far_.connect(near_.address()); !there) return there;
    return near_.connect(far_.address());
  }
  Status make_by_dc(const Device& device, const CompletionQueue& cq) {
    auto recvs = RecvPool::make(device, 1, kWqeBlock);
    if (!recvs) return recvs.error();
    recvs_ = std::move(recvs).value();
    auto target = DcTarget::make(device, cq, *recvs_);
    if (!target) return target.error();
    target_ = std::move(target).value();
    QpOptions options;
    options.depth = kBurst;
    auto dci = Dci::make(device, cq, options);
    if (!dci) return dci.error();
    dci_ = std::move(dci).value();
    paths_ = std::make_unique<AhCache>(device);
    auto aim = paths_->aim_at(target_.address());
    if (!aim) return aim.error();
    aim_ = aim.value();
    return fine();
  }
  int post(std::span<const WorkRequest> requests) {
    return dci_ != nullptr ? dci_->post(requests, aim_) : near_.post(requests);
  }

 private:
  QueuePair near_, far_;
  std::unique_ptr<RecvPool> recvs_;
  DcTarget target_;
  std::unique_ptr<AhCache> paths_;
  std::unique_ptr<Dci> dci_;
  DcAim aim_;
};

constexpr std::chrono::seconds kPatienceOfTrial{2};
constexpr std::uint64_t kFiller = 0xfeedfacecafebeef;
constexpr std::uint32_t kBursts = 2;

class Trial {
 public:
  explicit Trial(const Device& device, bool by_dc = false) : device_(device), by_dc_(by_dc) {}

  // Empty: all of `verbs` work as specified. Else the reason.
  std::string run(const std::vector<Verb>& verbs);
  std::string run_mixed();

 private:
  std::string prepare(std::uint32_t loops, bool masked);
  WorkRequest request_for(const Verb& verb, std::uint32_t place);
  // Waits for `count` completions.
  std::string wait(std::uint32_t count);
  std::string judge(const Verb& verb, const Words& before);

  const Device& device_;
  const bool by_dc_;
  CompletionQueue cq_;
  Loop::Area area_ = {};
  Registration registered_;
  std::array<Loop, 2> loops_;
};

std::string Trial::prepare(std::uint32_t loops, bool masked) {
  auto registered = Registration::make(device_, &area_, sizeof(area_), true);
  if (!registered) return registered.error().text();
  registered_ = std::move(registered).value();
  auto cq = CompletionQueue::make(device_, 4 * Loop::kBurst);
  if (!cq) return cq.error().text();
  cq_ = std::move(cq).value();
  for (std::uint32_t i = 0; i < loops; ++i)
    if (Status made =
            by_dc_ ? loops_[i].make_by_dc(device_, cq_) : loops_[i].make(device_, cq_, masked);
        !made)
      return made.error().text();
  return {};
}

WorkRequest Trial::request_for(const Verb& verb, std::uint32_t place) {
  WorkRequest made;
  const bool cas = verb.kind == VerbKind::cas || verb.kind == VerbKind::masked_cas;
  if (verb.kind >= VerbKind::masked_cas) {
    made.kind = cas ? WorkRequest::Kind::masked_cas : WorkRequest::Kind::masked_faa;
    made.masked = &verb;
  } else {
    made.kind = cas ? WorkRequest::Kind::cas : WorkRequest::Kind::faa;
  }
  made.signalled = true;
  made.bytes = verb.bytes;
  made.remote = reinterpret_cast<std::uint64_t>(area_.words.data());
  made.remote_key = registered_.remote_key();
  made.operand = verb.value.lo;
  made.compare = verb.compare.lo;
  made.local = &area_.landings[place];
  made.local_key = registered_.local_key();
  return made;
}

std::string Trial::wait(std::uint32_t count) {
  const auto until = std::chrono::steady_clock::now() + kPatienceOfTrial;
  for (Done done; count > 0;) {
    if (cq_.poll({&done, 1}) == 0) {
      if (std::chrono::steady_clock::now() > until) return "it does not complete";
      continue;
    }
    if (done.status != 0) return fmt::format("it ends as {}", name_of_status(done.status));
    --count;
  }
  return {};
}

std::string Trial::judge(const Verb& verb, const Words& before) {
  const Words after = after_atomic(verb, before);
  const Words reply = masked_reply(area_.landings[0], verb.bytes);
  const std::uint64_t high = verb.bytes == 8 ? before.hi : after.hi;
  if (area_.words[0] != after.lo || area_.words[1] != high || area_.words[2] != kFiller)
    return "the memory does not hold what it should";
  if (verb.bytes == 8 ? reply.lo != before.lo : reply != before)
    return reply.lo == __builtin_bswap64(before.lo) ? "its reply comes in another byte order"
                                                    : "its reply is not what was there";
  if (verb.bytes == 8 && area_.landings[0].hi != kFiller) return "its reply is longer than 8 bytes";
  return {};
}

std::string Trial::run(const std::vector<Verb>& verbs) {
  if (std::string why = prepare(1, verbs.front().kind >= VerbKind::masked_cas); !why.empty())
    return why;
  const Words before{0x0123'4567'89ab'cdef, 0xf0e1'd2c3'b4a5'9687};
  for (const Verb& verb : verbs) {
    area_.words.fill(kFiller);
    area_.words[0] = before.lo;
    area_.words[1] = before.hi;
    area_.landings[0] = {kFiller, kFiller};
    const WorkRequest request = request_for(verb, 0);
    std::string why = loops_[0].post({&request, 1}) != 0 ? "it is not taken" : wait(1);
    if (why.empty()) why = judge(verb, before);
    if (!why.empty())
      return fmt::format(
          "{}: {}",
          request.kind == WorkRequest::Kind::masked_cas || request.kind == WorkRequest::Kind::cas
              ? "CAS"
              : "FAA",
          why);
  }
  return {};
}

// Adds with both widths to one word at the same time: every addition must return a different value.
std::string Trial::run_mixed() {
  if (std::string why = prepare(2, true); !why.empty()) return why;
  Verb narrow;
  narrow.kind = VerbKind::faa;
  narrow.value.lo = 1;
  Verb wide = narrow;
  wide.kind = VerbKind::masked_faa;
  wide.bytes = 16;
  area_.words.fill(0);
  std::vector<bool> seen(2 * Loop::kBurst * kBursts);
  for (std::uint32_t burst = 0; burst < kBursts; ++burst) {
    std::array<std::vector<WorkRequest>, 2> requests;
    for (std::uint32_t i = 0; i < Loop::kBurst; ++i) {
      requests[0].push_back(request_for(narrow, i));
      requests[1].push_back(request_for(wide, Loop::kBurst + i));
    }
    for (std::size_t i = 0; i < 2; ++i)
      if (loops_[i].post(requests[i]) != 0) return "they are not taken";
    if (std::string why = wait(2 * Loop::kBurst); !why.empty()) return why;
    for (std::uint32_t i = 0; i < 2 * Loop::kBurst; ++i) {
      const std::uint64_t found = masked_reply(area_.landings[i], i < Loop::kBurst ? 8 : 16).lo;
      if (found >= seen.size() || seen[found]) return "additions of both widths get lost";
      seen[found] = true;
    }
  }
  return area_.words[0] == seen.size() ? "" : "additions of both widths get lost";
}

// The operands are chosen so that errors in unmasked bits, and carries between fields, show.
std::vector<Verb> verbs_to_try(VerbKind cas, VerbKind faa, std::uint32_t bytes) {
  Verb swap;
  swap.kind = cas;
  swap.bytes = bytes;
  swap.compare = {0x0123'4567'89ab'cdef, 0xf0e1'd2c3'b4a5'9687};
  swap.value = {0x1112'1314'1516'1718, 0x2122'2324'2526'2728};
  Verb add;
  add.kind = faa;
  add.bytes = bytes;
  add.value = {0xff00'0000'9999'9999, 0x1f1e'2d3c'4b5a'6979};
  if (cas == VerbKind::masked_cas) {
    swap.compare_mask = {0xffff'0000'ffff'0000, 0x0000'ffff'0000'ffff};
    swap.swap_mask = {0x00ff'00ff'00ff'00ff, 0xff00'ff00'ff00'ff00};
    swap.compare.lo ^= ~swap.compare_mask.lo;
    swap.compare.hi ^= ~swap.compare_mask.hi;
    add.boundary = {0x8000'0000'8000'0000, 0x8000'0000'0000'0080};
  }
  Verb fails = swap;
  fails.compare.lo ^= 1ULL << 32 << 16;
  std::vector<Verb> all = {swap, fails, add};
  if (bytes == 16) {
    all.push_back(swap);
    all.back().compare.hi ^= 1;
  }
  return all;
}

NativeAtomics try_plain(const Device& device) {
  const std::string& name = device.facts().name;
  if (!device.facts().atomics) return {0, name + " has no atomics"};
  const std::string why = Trial(device).run(verbs_to_try(VerbKind::cas, VerbKind::faa, 8));
  if (!why.empty()) return {0, fmt::format("{}: atomics of 8 bytes: {}", name, why)};
  return {NativeAtomics::plain, "verbs of this device have one width and no masks"};
}

NativeAtomics try_all(const Device& device, const Mlx5Facts& firmware) {
  NativeAtomics found;
  const auto tried = [&](std::uint32_t kind, const char* name, const std::string& why) {
    if (why.empty())
      found.kinds |= kind;
    else
      found.lacking += fmt::format("{}{}: {}: {}", found.lacking.empty() ? "" : "; ",
                                   device.facts().name, name, why);
  };
  tried(NativeAtomics::plain, "atomics of 8 bytes",
        Trial(device).run(verbs_to_try(VerbKind::cas, VerbKind::faa, 8)));
  const auto masked = [&](std::uint32_t bytes, const char* name) {
    tried(bytes, name,
          (firmware.masked & bytes) == 0
              ? "the firmware has none"
              : Trial(device).run(verbs_to_try(VerbKind::masked_cas, VerbKind::masked_faa, bytes)));
  };
  masked(NativeAtomics::masked_8, "masked atomics of 8 bytes");
  masked(NativeAtomics::masked_16, "masked atomics of 16 bytes");
  if (found.has(NativeAtomics::plain) && found.has(NativeAtomics::masked_16))
    tried(NativeAtomics::mixed, "atomics of both widths", Trial(device).run_mixed());
  if (!firmware.dc) return found;
  tried(NativeAtomics::dc, "atomics by DC",
        Trial(device, true).run(verbs_to_try(VerbKind::cas, VerbKind::faa, 8)));
  for (const std::uint32_t bytes : {8U, 16U}) {
    const auto verbs = verbs_to_try(VerbKind::masked_cas, VerbKind::masked_faa, bytes);
    if (found.has(NativeAtomics::dc) && found.has(bytes))
      tried(bytes << NativeAtomics::kByDc, "masked atomics by DC",
            (firmware.masked_dc & bytes) == 0 ? "the firmware has none of this width"
                                              : Trial(device, true).run(verbs));
  }
  return found;
}

}  // namespace

NativeAtomics try_atomics(const Device& device) {
  static std::mutex mutex;
  static std::map<std::string, NativeAtomics> found;  // by device, port and GID
  const DeviceFacts& facts = device.facts();
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] =
      found.try_emplace(fmt::format("{} {} {}", facts.name, facts.port, device.gid_index()));
  if (is_new) entry->second = facts.mlx5 ? try_all(device, *facts.mlx5) : try_plain(device);
  return entry->second;
}

}  // namespace ib
}  // namespace latchlab
