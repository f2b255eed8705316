// The capabilities of runs on this backend.

#include <algorithm>
#include <array>

#include "backends/ibverbs/ibverbs_backend.h"
#include "backends/ibverbs/queues.h"

namespace latchlab {

namespace {

struct BySoftware {
  Capability capability;
  NativeAtomics::Kind unless;
};
constexpr std::array kBySoftware = {
    BySoftware{Capability::masked_atomics_8, NativeAtomics::masked_8},
    BySoftware{Capability::masked_atomics_16, NativeAtomics::masked_16},
    BySoftware{Capability::mixed_width_atomic, NativeAtomics::mixed}};

}  // namespace

Result<NativeAtomics> native_atomics(const ib::DeviceChoice& choice) {
  const auto device = ib::Device::open(choice);
  if (!device) return device.error();
  if (const auto queues = ib::try_queues(*device.value()); !queues) return queues.error();
  return ib::try_atomics(*device.value());
}

bool needs_software_atomics(const std::vector<Capability>& needs, const NativeAtomics& native) {
  if (!native.has(NativeAtomics::plain)) return true;
  return std::any_of(kBySoftware.begin(), kBySoftware.end(), [&](const BySoftware& each) {
    return !native.has(each.unless) &&
           std::find(needs.begin(), needs.end(), each.capability) != needs.end();
  });
}

Capabilities ibverbs_capabilities(const NativeAtomics& native, bool software_atomics,
                                  bool one_machine, bool dc) {
  using enum Capability;
  const std::string by_frames = "RECVs counted by the receiver's thread, answers over RC";
  const std::string by_proxy = "an agent thread at the memory's node executes every verb";
  Capabilities all;
  for (const auto& [capability, unless] : kBySoftware) {
    if (software_atomics)
      all.set(capability, Support::emulated, by_proxy);
    else if (native.has(unless))
      all.set(capability, Support::native);
    else
      all.set(capability, Support::absent, native.lacking);
  }
  all.set(reliable_messages, Support::emulated, by_frames);
  all.set(datagrams, Support::emulated, by_frames);
  all.set(receive_timestamps, Support::emulated, "the thread's polls before and after");
  if (one_machine)
    all.set(synchronised_clock, Support::native);
  else
    all.set(synchronised_clock, Support::absent, "the nodes are on different machines");
  for (const Capability each :
       {calls, local_words, node_state, membership, evict, allocate, timing, client_crash})
    all.set(each, Support::native);
  if (dc && !software_atomics)
    all.set(evict, Support::absent,
            "with --transport dc the verbs of all clients arrive at one target, and no client can "
            "be cut "
            "off alone; use --transport rc");
  return all;
}

}  // namespace latchlab
