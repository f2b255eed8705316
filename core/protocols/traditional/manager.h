#pragma once
// The lock manager of traditional (traditional.h) and traditional_ro: its parts and parameters. The
// server part is in server.cc, the client part in client.cc.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/paths.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/common/lock_table.h"
#include "core/protocols/common/served.h"
#include "core/protocols/lock.h"
#include "core/protocols/message_names.h"

namespace latchlab::traditional {

enum class Path : std::uint8_t {
  reader_enters,
  writer_enters,
  reader_queues,
  writer_queues,
  none_waits,
  writer_let_in,
  readers_let_in,
  withdrawn,
  withdrawal_lets_in,
  grant_crosses,
  request_overtaken,
  late_request,
  deadline,
  timeout,
  server_fails,
};

struct Options;

// What differs between the lock managers.
struct Kind {
  // May a reader enter before waiting requests? Null: never.
  bool (*may_pass)(const Options& options, const served::LockTable::Waiting& waiting) = nullptr;
  void (*note)(Path path) = nullptr;  // LATCHLAB_PATH, under the lock's own name
};

struct Options {
  const Kind* kind = nullptr;
  Duration timeout = {};  // zero: none
  Duration backoff_first = microseconds(10);
  Duration backoff_bound = milliseconds(10);
  std::uint64_t max_passes = 0;
  bool show = false;
};

class Client final : public served::Client {
 public:
  Client(const Options& options, const ClientEnv& env) : served::Client(env), options_(options) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;

 private:
  void note_failed_release() const override { options_.kind->note(Path::server_fails); }

  const Options& options_;  // the protocol's, which outlives its parts
  FailureBackoff failures_{options_.backoff_first, options_.backoff_bound};  // timeouts
};

std::unique_ptr<ServerPart> make_server_part(const Options& options);

class Manager : public Protocol, public MessageNames {
 public:
  explicit Manager(const Options& options) : options_(options) {}
  Limits limits() const override { return {.abortable = true, .clients_alike = true}; }
  std::vector<Capability> needs() const override;
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override;
  std::unique_ptr<ServerPart> make_server(const ServerEnv& env) const override;
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t acquisitions) const override;
  std::string_view request_name(std::uint64_t type) const override {
    return name_in({"Acquire", "Release", "Withdraw"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override;

 private:
  const Options options_;
};

// `Of` is an Options.
template <class Of>
Description<Of> describe() {
  return {
      .shared_mode = true,
      .handover = "the server's answer",
      .costs = {.free_exclusive = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                .exclusive_after_exclusive = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                .free_shared = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                .shared_after_exclusive = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                .exclusive_after_shared = {{0, 0, 1, 2}, {0, 0, 1, 2}}},
      .params = {{"timeout", &Options::timeout, Duration{}, seconds(60),
                  "time after which a waiting client withdraws its request and fails; 0: never "
                  "(DSLR 6.1: it has timeouts for all baselines, but states no lengths)"},
                 {"backoff_first", &Options::backoff_first, Duration{}, seconds(1),
                  "R: bound of the first random backoff after a timeout; 0: no backoff (DSLR A.3)"},
                 {"backoff_bound", &Options::backoff_bound, Duration{}, seconds(10),
                  "L: the longest backoff (DSLR A.3)"},
                 {"show", &Options::show, served::kShowHelp}},
      .profiles = {{"reconstructed", "DSLR (SIGMOD'18) 2.2.1 and 6.1, without timeouts"},
                   {"dslr_paper",
                    "DSLR (SIGMOD'18) 6.1 with timeouts, of DSLR's own length: two leases",
                    {{"timeout", milliseconds(20)}}}},
      .small_model = {{"show", true}},
      .claims =
          [](const Of& options) {
            Claims claims = never_recovers();
            if (options.timeout.ps > 0) claims.ways_within = slowest(options.timeout, 4);
            return claims;
          },
      .longest_timeout = [](const Of& options) { return options.timeout; },
      .contradiction =
          [](const Of& options) {
            return backoff_order_contradiction(options.backoff_first, options.backoff_bound);
          }};
}

}  // namespace latchlab::traditional

// Kind::note for the lock of this name: both locks have the same paths.
#define LATCHLAB_TRADITIONAL_PATHS(name)                                            \
  [](::latchlab::traditional::Path path) {                                          \
    using enum ::latchlab::traditional::Path;                                       \
    switch (path) {                                                                 \
      case reader_enters:                                                           \
        return LATCHLAB_PATH(name ": a reader is let in at once");                  \
      case writer_enters:                                                           \
        return LATCHLAB_PATH(name ": a writer is let in at once");                  \
      case reader_queues:                                                           \
        return LATCHLAB_PATH(name ": a reader queues up");                          \
      case writer_queues:                                                           \
        return LATCHLAB_PATH(name ": a writer queues up");                          \
      case none_waits:                                                              \
        return LATCHLAB_PATH(name ": a release grants to no client");               \
      case writer_let_in:                                                           \
        return LATCHLAB_PATH(name ": a release grants to a writer");                \
      case readers_let_in:                                                          \
        return LATCHLAB_PATH(name ": a release grants to readers");                 \
      case withdrawn:                                                               \
        return LATCHLAB_PATH(name ": a client leaves the queue");                   \
      case withdrawal_lets_in:                                                      \
        return LATCHLAB_PATH(name ": a writer leaves the queue and readers enter"); \
      case grant_crosses:                                                           \
        return LATCHLAB_PATH(name ": a withdrawal crosses its grant");              \
      case request_overtaken:                                                       \
        return LATCHLAB_PATH(name ": a withdrawal overtakes its request");          \
      case late_request:                                                            \
        return LATCHLAB_PATH(name ": a withdrawn request arrives");                 \
      case deadline:                                                                \
        return LATCHLAB_PATH(name ": a client gives up at its deadline");           \
      case timeout:                                                                 \
        return LATCHLAB_PATH(name ": a client gives up at the timeout");            \
      case server_fails:                                                            \
        return LATCHLAB_PATH(name ": the server fails a call");                     \
    }                                                                               \
  }
