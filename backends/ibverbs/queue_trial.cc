
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "backends/ibverbs/queues.h"

namespace latchlab::ib {

namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::uint64_t kValue = 0x0123'4567'89ab'cdef;

class QueueTrial {
 public:
  explicit QueueTrial(const Device& device) : device_(device) {}
  Status prepare();
  Status run();
  QueueKinds kinds() const { return {near_.is_extended(), cq_.is_extended()}; }

 private:
  enum Word : std::size_t { sent, written, read_back };
  WorkRequest request(WorkRequest::Kind kind, Word local) const;
  Status complete(const char* what, const WorkRequest& request, std::uint32_t completions);

  const Device& device_;
  std::array<std::uint64_t, 8> words_ = {};
  Registration registered_;
  CompletionQueue cq_;
  std::unique_ptr<RecvPool> recvs_;
  QueuePair near_, far_;
};

Status QueueTrial::prepare() {
  auto registered = Registration::make(device_, words_.data(), sizeof(words_), true);
  if (!registered) return registered.error();
  registered_ = std::move(registered).value();
  auto cq = CompletionQueue::make(device_, 16);
  if (!cq) return cq.error();
  cq_ = std::move(cq).value();
  auto recvs = RecvPool::make(device_, 1, sizeof(kValue));
  if (!recvs) return recvs.error();
  recvs_ = std::move(recvs).value();
  QpOptions options;
  options.recvs = recvs_.get();
  for (QueuePair* const qp : {&near_, &far_}) {
    auto made = QueuePair::make(device_, cq_, options);
    if (!made) return made.error();
    *qp = std::move(made).value();
  }
  if (Status there = far_.connect(near_.address()); !there) return there;
  return near_.connect(far_.address());
}

WorkRequest QueueTrial::request(WorkRequest::Kind kind, Word local) const {
  WorkRequest made;
  made.kind = kind;
  made.signalled = true;
  made.local = &words_.at(local);
  made.local_key = registered_.local_key();
  made.remote = reinterpret_cast<std::uint64_t>(&words_[written]);
  made.remote_key = registered_.remote_key();
  return made;
}

Status QueueTrial::complete(const char* what, const WorkRequest& request,
                            std::uint32_t completions) {
  const auto failed = [&](const std::string& why) {
    return Error{
        fmt::format("{}: a {} between two of its own QPs {}", device_.facts().name, what, why), {}};
  };
  if (const int status = near_.post({&request, 1}); status != 0)
    return failed(fmt::format("is refused: {}", std::strerror(status)));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (Done done; completions > 0;) {
    if (cq_.poll({&done, 1}) == 0) {
      if (std::chrono::steady_clock::now() > until) return failed("does not complete");
      continue;
    }
    if (done.status != 0) return failed(fmt::format("fails: {}", name_of_status(done.status)));
    --completions;
  }
  return fine();
}

Status QueueTrial::run() {
  words_[sent] = kValue;
  // Two completions: the SEND, and the RECV that it consumes.
  if (Status done = complete("SEND", request(WorkRequest::Kind::send, sent), 2); !done) return done;
  std::uint64_t received = 0;
  std::memcpy(&received, recvs_->slot(0), sizeof(received));
  if (Status done = complete("WRITE", request(WorkRequest::Kind::write, sent), 1); !done)
    return done;
  if (Status done = complete("READ", request(WorkRequest::Kind::read, read_back), 1); !done)
    return done;
  if (received == kValue && words_[written] == kValue && words_[read_back] == kValue) return fine();
  return Error{fmt::format("{}: what two of its own QPs exchange does not arrive as it was sent",
                           device_.facts().name),
               {}};
}

}  // namespace

std::string QueueKinds::text() const {
  std::string all = extended_qps ? "" : "work requests by ibv_post_send";
  if (!extended_cqs) all += fmt::format("{}completions by ibv_poll_cq", all.empty() ? "" : ", ");
  return all;
}

Result<QueueKinds> try_queues(const Device& device) {
  QueueTrial trial(device);
  if (Status ready = trial.prepare(); !ready) return ready.error();
  if (Status done = trial.run(); !done) return done.error();
  return trial.kinds();
}

}  // namespace latchlab::ib
