#pragma once
// A range lock in the CPU of its object's server: parts, parameters and paths, for the locks that
// differ only in their structures (list_cpu, interval_tree, maple_tree, inode_mutex). The server
// part is in server.cc, the client part in client.cc.
//
// Entry    8 bytes that stay zero, as for all locks of common/served.h. With `show` the server's
//          CPU shows there, by FAA, how many clients hold ranges (as writers) and wait.
// Acquire  a call with the range. If no range conflicts the server answers at once, otherwise it
//          keeps the call and answers when the range is granted.
// Release  a call.
// Give up  at the caller's deadline the client stops waiting for its call, and calls to withdraw.
//          If the request waits, the server removes it, and grants ranges that it blocked. If it
//          has been granted meanwhile, the answer says so, and the client has the range. If it has
//          not arrived yet, the server remembers to refuse it.
//
// CPU time of a request, on one of the server's cores:
//          call_service  of the platform, before the handler begins. In the NIC files it is fitted
//                        to eRPC with a handler of 100 ns (CITRON 2.2), which it therefore
//                        includes: `handler` is 0, or 100 ns where the platform's is without.
//          + handler     in parallel to other requests
//          + steps x `step`, for the search or change: the steps that the structure counts,
//          including those of waiters that try again after a release. In parallel to other
//          requests, or one at a time for each object, as the lock says.
//          The result of a request is decided when its search of the structure begins, and takes
//          effect then; its answers leave when all of its time is over. Where requests are executed
//          one at a time, one core executes all that have arrived meanwhile while the others take
//          up new calls: cores that wait for a spin lock would be lost to other objects.
//
// Safe     One server decides each object's requests, each in one step, whatever the number of
//          cores. Requests of one client may overtake each other. They are told apart by the
//          acquisition's number, and a client sends no further request about an acquisition before
//          it has been answered, except to withdraw.
// Needs    calls. No clock assumption.
// Does not survive the crash of a client that holds or waits (its range stays locked), nor of the
// server, nor a network that loses an answer for good.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/paths.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/range_server/holders.h"
#include "core/protocols/message_names.h"

namespace latchlab::range_server {

enum class Path : std::uint8_t {
  enters,
  waits,
  none_granted,
  others_granted,
  withdrawn,
  grant_crosses,
  request_overtaken,
  late_request,
  deadline,
  server_fails,
};

struct Options;

// What differs between the locks.
struct Kind {
  std::unique_ptr<ObjectRanges> (*make_ranges)(const Options& options) = nullptr;
  bool one_at_a_time = true;  // requests for one object use its structure one at a time
  bool first_come = false;    // no request gets units that an earlier request waits for
  bool whole = false;         // grants are of the whole object, whatever range was requested
  void (*note)(Path path) = nullptr;  // LATCHLAB_PATH, under the lock's own name
};

struct Options {
  const Kind* kind = nullptr;
  Duration handler = {};
  Duration step = {};
  Tries tries = Tries::those_that_fit;  // of locks whose structures have no place for waiters
  bool show = false;
};

inline constexpr char kTriesHelp[] =
    "when a range is released, which requests that wait for it traverse the structure again: all, "
    "or those_that_fit beside the ranges just granted (assumed: CITRON does not say)";

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env) : options_(options), verbs_(*env.verbs) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  CallAwait ask(served::RequestType type, const Grant& about, Time deadline = kNever);

  const Options& options_;  // the protocol's, which outlives its parts
  Verbs& verbs_;
  std::uint32_t asked_for_ = 0;
};

std::unique_ptr<ServerPart> make_server_part(const Options& options);

class Manager : public Protocol, public MessageNames {
 public:
  explicit Manager(const Options& options) : options_(options) {}
  Limits limits() const override { return {.abortable = true, .clients_alike = true}; }
  std::vector<Capability> needs() const override { return {Capability::calls}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<Client>(options_, env);
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& /*env*/) const override {
    return make_server_part(options_);
  }
  std::optional<std::uint32_t> bypass_bound(LockMode /*waiter*/, LockMode /*winner*/,
                                            std::uint64_t /*acquisitions*/) const override {
    if (options_.kind->first_come) return 0;
    return std::nullopt;
  }
  std::string_view request_name(std::uint64_t type) const override {
    return name_in({"Acquire", "Release", "Withdraw"}, type);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return served::decode_entry(options_.show, words[0]);
  }

 private:
  const Options options_;
};

// `Of` is an Options; `step` is the help text of the parameter of that name.
template <class Of>
Description<Of> describe(const char* step) {
  return {
      .handover = "the server's answer",
      .costs = {.free_exclusive = {{0, 0, 1, 2}, {0, 0, 1, 2}},
                .exclusive_after_exclusive = {{0, 0, 1, 2}, {0, 0, 1, 2}}},
      .params = {{"handler", &Options::handler, Duration{}, milliseconds(1),
                  "CPU time of a request in addition to call_service and the structure; 100ns if "
                  "call_service does not include CITRON's handler (CITRON 2.2)"},
                 {"step", &Options::step, Duration{}, microseconds(100), step},
                 {"show", &Options::show, served::kShowHelp}},
      .profiles = {{"citron_baseline", "CITRON (FAST'23) Table 1 and 4.1; reconstructed"}},
      .small_model = {{"step", Duration{}}, {"show", true}}};
}

}  // namespace latchlab::range_server

// Kind::note for the lock of this name: all such locks have the same paths.
#define LATCHLAB_RANGE_SERVER_PATHS(name)                                   \
  [](::latchlab::range_server::Path path) {                                 \
    using enum ::latchlab::range_server::Path;                              \
    switch (path) {                                                         \
      case enters:                                                          \
        return LATCHLAB_PATH(name ": a range is granted at once");          \
      case waits:                                                           \
        return LATCHLAB_PATH(name ": a range has to wait");                 \
      case none_granted:                                                    \
        return LATCHLAB_PATH(name ": a release grants to no client");       \
      case others_granted:                                                  \
        return LATCHLAB_PATH(name ": a release grants to waiting clients"); \
      case withdrawn:                                                       \
        return LATCHLAB_PATH(name ": a client stops waiting");              \
      case grant_crosses:                                                   \
        return LATCHLAB_PATH(name ": a withdrawal crosses its grant");      \
      case request_overtaken:                                               \
        return LATCHLAB_PATH(name ": a withdrawal overtakes its request");  \
      case late_request:                                                    \
        return LATCHLAB_PATH(name ": a withdrawn request arrives");         \
      case deadline:                                                        \
        return LATCHLAB_PATH(name ": a client gives up at its deadline");   \
      case server_fails:                                                    \
        return LATCHLAB_PATH(name ": the server fails a call");             \
    }                                                                       \
  }
