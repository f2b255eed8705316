#include "core/protocols/traditional/traditional.h"

#include "core/protocols/traditional/manager.h"

namespace latchlab {

namespace traditional {

std::vector<Capability> Manager::needs() const {
  std::vector<Capability> needed = {Capability::calls};
  if (options_.timeout.ps > 0) needed.push_back(Capability::timing);
  return needed;
}

std::unique_ptr<LockClient> Manager::make_client(const ClientEnv& env) const {
  return std::make_unique<Client>(options_, env);
}

std::unique_ptr<ServerPart> Manager::make_server(const ServerEnv& /*env*/) const {
  return make_server_part(options_);
}

// DSLR (SIGMOD'18) 6.1: "queues". First in, first out, except for readers that pass; the request
// that arrives first at the server is first in its queue. Readers that are granted together enter
// in any order.
std::optional<std::uint32_t> Manager::bypass_bound(LockMode waiter, LockMode winner,
                                                   std::uint64_t /*acquisitions*/) const {
  const bool reader_waits = waiter == LockMode::shared;
  const bool reader_wins = winner == LockMode::shared;
  if (reader_waits && reader_wins) return std::nullopt;
  return reader_wins ? static_cast<std::uint32_t>(options_.max_passes) : 0;
}

std::string Manager::decode(std::span<const std::uint64_t> words) const {
  return served::decode_entry(options_.show, words[0]);
}

}  // namespace traditional

namespace {

constexpr traditional::Kind kTraditional{nullptr, LATCHLAB_TRADITIONAL_PATHS("traditional")};

struct TraditionalOptions : traditional::Options {
  TraditionalOptions() { kind = &kTraditional; }
};

class Traditional final : public traditional::Manager {
 public:
  using Options = TraditionalOptions;
  using Manager::Manager;
};

}  // namespace

ProtocolEntry traditional_entry() {
  Description<TraditionalOptions> lock = traditional::describe<TraditionalOptions>();
  lock.name = "traditional";
  lock.summary = "a queue for each lock, on the server's CPU";
  lock.source = "DSLR (SIGMOD'18) 6.1, its Traditional baseline; reconstructed";
  lock.fairness = "first come, first served";
  return make_entry<Traditional>(lock);
}

}  // namespace latchlab
