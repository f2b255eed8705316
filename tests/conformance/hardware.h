#pragma once
// Worlds on the RDMA device of this machine, for tests that are told to run there. The environment
// variable LATCHLAB_WORLD tells them: a machine without a device has no other way to pass them.

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/ibverbs/ibverbs_backend.h"
#include "core/base/check.h"

namespace latchlab {

inline bool on_hardware() {
  const char* const world = std::getenv("LATCHLAB_WORLD");
  return world != nullptr && std::string_view(world) == "ibverbs";
}

// Whether worlds use the DC transport: LATCHLAB_TRANSPORT=dc.
inline bool tests_dc() {
  const char* const transport = std::getenv("LATCHLAB_TRANSPORT");
  return transport != nullptr && std::string_view(transport) == "dc";
}

// Whether clients learn of completions by event: LATCHLAB_COMPLETIONS=event.
inline bool tests_events() {
  const char* const completions = std::getenv("LATCHLAB_COMPLETIONS");
  return completions != nullptr && std::string_view(completions) == "event";
}

// A duration far longer than a verb takes, even when other programs use the cores: a second, or
// LATCHLAB_PATIENCE, in milliseconds. It is the length of leases, and of what a body of the
// conformance suite calls a millisecond.
inline Duration hardware_patience() {
  const char* const told = std::getenv("LATCHLAB_PATIENCE");
  const int ms = told == nullptr ? 1000 : std::atoi(told);
  LATCHLAB_CHECK(ms > 0, "LATCHLAB_PATIENCE is a number of milliseconds");
  return milliseconds(ms);
}

// All nodes are in this process, each with an address of its own as far as the device has enough
// addresses.
inline std::unique_ptr<IbverbsBackend> hardware_world(const WorldPlan& plan,
                                                      IbverbsOptions options) {
  const auto devices = ib::list_devices();
  LATCHLAB_CHECK(devices.ok(), devices.ok() ? "" : devices.error().text());
  LATCHLAB_CHECK(!devices.value().empty(), "LATCHLAB_WORLD says ibverbs, and there is no device");
  options.dc = options.dc || tests_dc();
  options.by_event = options.by_event || tests_events();
  options.addresses = devices.value().front().ipv4_addresses();
  auto made = make_ibverbs(plan, options);
  LATCHLAB_CHECK(made.ok(), made.ok() ? "" : made.error().text());
  return std::move(made).value();
}

// What the device of this machine executes natively over the transport of these worlds.
inline const NativeAtomics& atomics_here() {
  static const auto found = native_atomics({});
  LATCHLAB_CHECK(found.ok(), found.ok() ? "" : found.error().text());
  static const NativeAtomics used = tests_dc() ? found.value().by_dc() : found.value();
  return used;
}

inline bool has_device() {
  const auto devices = ib::list_devices();
  return devices.ok() && !devices.value().empty();
}

// Bytes of device memory of this machine's device; 0: it has none.
inline std::uint64_t own_memory_here() {
  static const auto devices = ib::list_devices();
  return devices.ok() && !devices.value().empty() ? devices.value().front().own_memory : 0;
}

inline std::unique_ptr<Backend> hardware_world(const WorldPlan& plan, bool agents) {
  IbverbsOptions options;
  options.software_atomics = agents;
  return hardware_world(plan, options);
}

}  // namespace latchlab
