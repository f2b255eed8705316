#include "core/protocols/lock.h"

#include <algorithm>

#include "core/base/check.h"

namespace latchlab {

Task<ReleaseResult> LockClient::write_and_release(Verb /*last*/, Grant /*grant*/) {
  LATCHLAB_CHECK(false, "this lock does not free itself with a WRITE");
  co_return ReleaseResult::released;
}
Task<AcquireResult> LockClient::upgrade(Grant /*grant*/, AcquireOptions /*options*/) {
  co_return Aborted{AbortReason::unsupported};
}
Task<AcquireResult> LockClient::extend(Grant /*grant*/, Duration /*longer*/) {
  co_return Aborted{AbortReason::unsupported};
}
Task<void> NodePart::background(Verbs& /*verbs*/) {
  co_return;
}
Task<void> ServerPart::background(Verbs& /*verbs*/) {
  co_return;
}
std::unique_ptr<NodePart> Protocol::make_node(const NodeEnv& /*env*/) const {
  return nullptr;
}
std::unique_ptr<ServerPart> Protocol::make_server(const ServerEnv& /*env*/) const {
  return nullptr;
}
void Protocol::initial_image(RemoteAddr /*entry*/, std::uint64_t /*first_word*/,
                             std::span<std::uint64_t> /*words*/) const {}
std::optional<std::uint32_t> Protocol::bypass_bound(LockMode /*waiter*/, LockMode /*winner*/,
                                                    std::uint64_t /*acquisitions*/) const {
  return std::nullopt;
}
bool Protocol::is_free(RemoteAddr entry, std::span<const std::uint64_t> words) const {
  std::vector<std::uint64_t> image(words.size(), 0);
  initial_image(entry, 0, image);
  return std::equal(words.begin(), words.end(), image.begin());
}

ParamSet ProtocolEntry::small_params() const {
  ParamSet params = info.resolve(info.profiles.front().name);
  params.set(small_model);
  return params;
}

}  // namespace latchlab
