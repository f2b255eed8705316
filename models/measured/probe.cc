#include "models/measured/probe.h"

#include <algorithm>

#include "core/protocols/common/entry.h"
#include "core/protocols/registry.h"
#include "core/verbs/batch.h"

namespace latchlab {
namespace {

enum class Probed : std::uint8_t {
  read,
  write,
  cas,
  failing_cas,
  faa,
  masked_cas,
  masked_faa,
  send,
  ping,
  call,
  load,
  visit,
  change,
};

constexpr std::uint64_t kOwnBytes = 16 * 1024;  // per client, for long READs and WRITEs
constexpr std::uint64_t kLine = 64;             // distance between the addresses of `apart`
constexpr std::int64_t kMostApart = 32;
constexpr std::uint32_t kRecvs = 64;

struct ProbeOptions {
  Probed verb = Probed::read;
  std::uint32_t bytes = 8;
  std::uint32_t outstanding = 1;
  bool detached = false;
  std::uint64_t addresses = 1;
  std::uint64_t stride = 64;
  std::uint32_t apart = 0;
  bool storm = false;
  bool read_last = false;
  std::uint32_t receivers = 0;

  bool is_message() const { return verb == Probed::send || verb == Probed::ping; }
  bool is_masked() const { return verb == Probed::masked_cas || verb == Probed::masked_faa; }
  std::uint64_t entry_bytes() const {
    return addresses * stride + (apart > 0 ? (apart + 1) * kLine : 0);
  }
};

class ProbeClient final : public LockClient {
 public:
  ProbeClient(const ProbeOptions& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        peers_(*env.peers),
        own_(env.client_words),
        endpoint_(env.endpoint) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    VerbStatus status = VerbStatus::ok;
    if (options_.is_message())
      status = co_await pass_a_message();
    else if (options_.verb >= Probed::call)
      status = co_await ask(want.lock.entry);
    else if (options_.detached)
      status = co_await post_detached(want.lock.entry);
    else
      status = co_await post_batch(want.lock.entry);
    if (status != VerbStatus::ok) co_return Aborted{AbortReason::server_failed};
    co_return Grant(want, LockMode::shared);
  }

  Task<ReleaseResult> release(Grant /*grant*/) override { co_return ReleaseResult::released; }

 private:
  RemoteAddr choose(RemoteAddr entry) {
    const std::uint64_t me = verbs_.client().value;
    if (me < options_.apart)
      return entry + (options_.addresses * options_.stride + (me + 1) * kLine);
    if (options_.addresses == 1) return entry;
    return entry + verbs_.random(options_.addresses) * options_.stride;
  }

  Verb verb_at(RemoteAddr at) const {
    if (options_.storm && verbs_.client().value >= options_.apart) return cas_verb(at, 0, 0);
    Verb verb;
    switch (options_.verb) {
      case Probed::write:
        verb = write_verb(at, 0);
        break;
      case Probed::cas:
        return cas_verb(at, 0, 0);
      case Probed::failing_cas:
        return cas_verb(at, 1, 2);
      case Probed::faa:
        return faa_verb(at, 0);
      case Probed::masked_cas:
        return masked_cas_verb(at, options_.bytes, {}, kAllOnes, {}, kAllOnes);
      case Probed::masked_faa:
        return masked_faa_verb(at, options_.bytes, {}, {});
      default:
        verb = read_verb(at);
        break;
    }
    verb.bytes = options_.bytes;
    if (verb.bytes > kByValueBytes) verb.local = own_;
    return verb;
  }

  Task<VerbStatus> post_batch(RemoteAddr entry) {
    if (options_.outstanding == 1 && !options_.read_last) {
      const Verb verb = verb_at(choose(entry));
      const Completion done = co_await verbs_.issue(verb);
      co_return done.status;
    }
    Batch batch(verbs_);
    for (std::uint32_t i = 0; i < options_.outstanding; ++i) batch.add(verb_at(choose(entry)));
    if (options_.read_last) batch.add(read_verb(choose(entry)));
    co_await batch.run();
    co_return batch.status();
  }

  Task<VerbStatus> post_detached(RemoteAddr entry) {
    for (std::uint32_t i = 0; i < options_.outstanding; ++i) verbs_.post(verb_at(choose(entry)));
    co_return co_await verbs_.flush();
  }

  Task<VerbStatus> pass_a_message() {
    const std::uint32_t clients = peers_.shape().clients;
    const std::uint32_t senders = clients - std::min(clients, options_.receivers);
    const std::uint32_t me = verbs_.client().value;
    const bool pings = options_.verb == Probed::ping;
    if (me < senders) {
      const VerbStatus sent = co_await send_to(ClientId{senders + me % (clients - senders)});
      if (!pings || sent != VerbStatus::ok) co_return sent;
    }
    const WaitOutcome came = co_await verbs_.receive(endpoint_, {});
    if (came.by != Woke::message) co_return VerbStatus::peer_failed;
    if (me < senders || !pings) co_return VerbStatus::ok;
    co_return co_await send_to(ClientId{static_cast<std::uint32_t>(came.message.words[0])});
  }

  SendAwait send_to(ClientId peer) {
    Message message;
    message.words[0] = verbs_.client().value;
    return verbs_.send(peers_.endpoint_of(peer), message);
  }

  Task<VerbStatus> ask(RemoteAddr entry) {
    if (options_.verb == Probed::call) {
      const Request request;
      const Reply reply = co_await verbs_.call(entry.node, request);
      co_return reply.status;
    }
    const auto nothing = [] {};
    if (options_.verb == Probed::load)
      co_await verbs_.load(own_);
    else if (options_.verb == Probed::change)
      co_await verbs_.exchange(entry, 0);
    else
      co_await verbs_.on_node(nothing);
    co_return VerbStatus::ok;
  }

  const ProbeOptions& options_;
  Verbs& verbs_;
  const Peers& peers_;
  RemoteAddr own_;
  EndpointAddr endpoint_;
};

class Answering final : public ServerPart {
 public:
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    verbs.reply(pending, Reply{});
    co_return;
  }
};

class VerbProbe final : public ProtocolOf<ProbeOptions, ProbeClient> {
 public:
  using ProtocolOf::ProtocolOf;
  Layout layout(const Shape& /*shape*/) const override {
    Layout layout{.entry_bytes = options_.entry_bytes()};
    if (layout.entry_bytes % kByValueBytes == 0) layout.entry_align = kByValueBytes;
    layout.client_bytes = options_.bytes > kByValueBytes ? kOwnBytes : kLine;
    if (options_.is_message()) layout.client_endpoint = {kRecvs, Transport::rc};
    return layout;
  }
  std::vector<Capability> needs() const override {
    if (options_.is_message()) return {Capability::reliable_messages};
    if (options_.verb == Probed::call) return {Capability::calls};
    if (options_.verb == Probed::load || options_.verb == Probed::change)
      return {Capability::local_words};
    if (options_.verb == Probed::visit) return {Capability::node_state};
    if (!options_.is_masked()) return {};
    return {options_.bytes == 16 ? Capability::masked_atomics_16 : Capability::masked_atomics_8};
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& /*env*/) const override {
    if (options_.verb != Probed::call) return nullptr;
    return std::make_unique<Answering>();
  }
  std::string decode(std::span<const std::uint64_t> /*words*/) const override { return "probed"; }
};

std::string probe_contradiction(const ProbeOptions& options) {
  const bool wide = options.is_masked() && options.bytes == 16;
  if (options.stride % (wide ? 16 : 8) != 0)
    return "stride: addresses of atomics are aligned to what they change";
  if (options.is_masked() && options.bytes != 8 && options.bytes != 16)
    return "bytes: masked atomics are of 8 or 16 bytes";
  return {};
}

}  // namespace

ProtocolEntry verb_probe_entry() {
  using Options = ProbeOptions;
  return make_entry<VerbProbe>(
      {.name = kProbeName,
       .summary = "no lock: the verbs that a NIC's constants are measured with",
       .source = "ours",
       .shared_mode = true,
       .fairness = "all clients at once",
       .handover = "none",
       .params = {{"verb", &Options::verb,
                   "read|write|cas|failing_cas|faa|masked_cas|masked_faa|send|ping|call|load|visit|"
                   "change",
                   "what an acquisition does"},
                  {"bytes", &Options::bytes, 8, kOwnBytes, "of a READ, WRITE or masked atomic"},
                  {"outstanding", &Options::outstanding, 1, 64, "verbs of an acquisition"},
                  {"detached", &Options::detached, "post them one by one, and wait for the end"},
                  {"addresses", &Options::addresses, 1, 1 << 20, "words that verbs go to"},
                  {"stride", &Options::stride, 8, 1 << 20, "bytes from one to the next"},
                  {"apart", &Options::apart, 0, kMostApart,
                   "clients, from the first, with an address of their own"},
                  {"storm", &Options::storm, "all other clients send CAS, whatever verb says"},
                  {"read_last", &Options::read_last, "a READ behind them, on the same QP"},
                  {"receivers", &Options::receivers, 0, 65535,
                   "clients, from the last, that take messages"}},
       .profiles = {{"probe", "ours"}},
       .contradiction = probe_contradiction});
}

Status register_verb_probe() {
  if (find_protocol(kProbeName) != nullptr) return fine();
  return register_protocol(verb_probe_entry());
}

}  // namespace latchlab
