#include "tools/redlock/on_rnics.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "core/protocols/registry.h"
#if LATCHLAB_WITH_IBVERBS
#include "backends/ibverbs/ibverbs_backend.h"
#endif

namespace latchlab::bank {

#if LATCHLAB_WITH_IBVERBS

namespace {

constexpr std::uint32_t kMostHeld = 3;       // locks of a transaction
constexpr Duration kLastOnes = seconds(60);  // limit for transactions that outlast the window
constexpr Duration kStopping = seconds(5);

struct RnicClient {
  RnicClient(ClientParts parts, Branch& branch, World& world, std::uint16_t port)
      : place(world.verbs(parts.id)), redis(port, place) {
    parts.place = &place;
    parts.locks = &world.client(parts.id);
    parts.redis = &redis;
    parts.peers = &world;
    parts.verbs = &world.verbs(parts.id);
    client = std::make_unique<Client>(parts, branch);
  }

  VerbsIo place;
  Connection redis;
  std::unique_ptr<Client> client;
};

BankRun none(RepeatStatus status, std::string why) {
  BankRun run;
  run.status = status;
  run.why = std::move(why);
  return run;
}

// The atomics that the device implements; none if that cannot be determined.
NativeAtomics atomics_of(const std::string& device) {
  const auto found = native_atomics({device, ""});
  return found ? found.value() : NativeAtomics{};
}

bool wants_agents(const Point& point, bool always, const NativeAtomics& native) {
  const auto protocol = find_protocol(point.protocol.name)->make(point.protocol.params);
  return always || needs_software_atomics(protocol->needs(), native);
}

}  // namespace

BankRun run_on_rnics(const Point& point, const Setting& setting, std::uint64_t seed,
                     std::uint16_t redis_port, Branch& branch, const std::function<void()>& look) {
  const auto protocol = find_protocol(point.protocol.name)->make(point.protocol.params);
  if (std::string over = limits_exceeded(point, *protocol, kMostHeld); !over.empty())
    return none(RepeatStatus::failed, std::move(over));
  World world(*protocol, shape_of(point, seed));
  IbverbsBackend* running = nullptr;
  Time stop_seen = kNever;
  IbverbsOptions options;
  options.device = setting.device;
  options.addresses = setting.addresses;
  options.workers = setting.workers;
  options.software_atomics = wants_agents(point, setting.agents, atomics_of(setting.device));
  options.pin = setting.workers > 1;
  options.look_around = [&] {
    look();
    if (!branch.stopped() || running == nullptr) return;
    const Time now = running->true_now();
    stop_seen = std::min(stop_seen, now);
    if (now >= stop_seen + kStopping) running->request_stop();  // a lock that hangs
  };
  std::vector<std::unique_ptr<RnicClient>> clients;
  auto made = make_ibverbs(world.plan(), options);
  if (!made) return none(RepeatStatus::failed, made.error().text());
  // Destroyed before the clients, because it owns their coroutines.
  const std::unique_ptr<IbverbsBackend> backend = std::move(made).value();
  running = backend.get();
  if (std::string missing = lacking(point, *protocol, backend->capabilities()); !missing.empty())
    return none(RepeatStatus::unavailable, std::move(missing));
  world.attach(*backend);
  for (std::uint32_t i = 0; i < point.platform.clients(); ++i) {
    ClientParts parts;
    parts.id = ClientId{i};
    parts.clients = point.platform.clients();
    parts.seed = seed;
    clients.push_back(std::make_unique<RnicClient>(parts, branch, world, redis_port));
    backend->spawn(world.verbs(parts.id), clients.back()->client->run(), Time{});
  }
  if (Status ready = backend->start_together(); !ready)
    return none(RepeatStatus::failed, ready.error().text());
  const RunEnd end = backend->run_until(branch.end() + kLastOnes);
  if (end != RunEnd::finished && branch.failure().empty())
    return none(RepeatStatus::stuck,
                fmt::format("transactions did not end within {:.0f} s of the window's end, or 5 s "
                            "of a request to stop: the lock hangs",
                            kLastOnes.seconds()));
  BankRun run;
  for (const auto& each : clients) {
    run.shares.push_back(each->client->share());
    run.outside += each->client->outside();
  }
  return run;
}

std::string why_no_rnics() {
  const auto devices = ib::list_devices();
  if (!devices) return devices.error().text();
  return devices.value().empty()
             ? "this machine has no RDMA device; latchlab doctor says more, and "
               "--lock redlock needs none"
             : "";
}

std::string rnic_name(const std::string& device) {
  const auto devices = ib::list_devices();
  const auto* const chosen = devices ? ib::choose_device(devices.value(), device) : nullptr;
  return chosen != nullptr ? chosen->name : "no device";
}

std::string rnic_software(const std::string& device) {
  const auto devices = ib::list_devices();
  const auto* const chosen = devices ? ib::choose_device(devices.value(), device) : nullptr;
  return chosen != nullptr ? chosen->software : std::string();
}

std::vector<std::string> emulated_for(const Point& point, const Setting& setting) {
  const NativeAtomics native = atomics_of(setting.device);
  const Capabilities can =
      ibverbs_capabilities(native, wants_agents(point, setting.agents, native), true);
  std::vector<std::string> lines;
  const auto protocol = find_protocol(point.protocol.name)->make(point.protocol.params);
  for (const Capability needed : protocol->needs())
    if (can.of(needed) == Support::emulated)
      lines.push_back(
          fmt::format("{}: {} ({})", name_of(needed), can.how(needed), point.protocol.label));
  return lines;
}

#else

BankRun run_on_rnics(const Point& /*point*/, const Setting& /*setting*/, std::uint64_t /*seed*/,
                     std::uint16_t /*redis_port*/, Branch& /*branch*/,
                     const std::function<void()>& /*look*/) {
  return {{}, 0, RepeatStatus::unavailable, why_no_rnics()};
}
std::string why_no_rnics() {
  return "this build has no backend for RDMA devices: configure it with -DLATCHLAB_IBVERBS=ON; "
         "--lock redlock needs none";
}
std::string rnic_name(const std::string& /*device*/) {
  return {};
}
std::string rnic_software(const std::string& /*device*/) {
  return {};
}
std::vector<std::string> emulated_for(const Point& /*point*/, const Setting& /*setting*/) {
  return {};
}

#endif

}  // namespace latchlab::bank
