#include "core/protocols/dslr/dslr.h"

#include <string>

#include "core/protocols/dslr/client.h"

namespace latchlab {

namespace {

class Dslr final : public Protocol {
 public:
  explicit Dslr(const ParamSet& params)
      : options_(params),
        wide_(params.choice("entry") == "wide16"),
        masked_(params.choice("fields") == "masked_faa") {}

  Layout layout(const Shape& /*shape*/) const override {
    Layout layout;
    layout.entry_bytes = layout.entry_align = wide_ ? 16 : 8;
    return layout;
  }
  Limits limits() const override {
    Limits limits;
    // Above COUNT_MAX a field has room for COUNT_MAX - 1 tickets that will not be served.
    limits.max_clients = options_.word.count_max() - 1;
    return limits;
  }
  std::vector<Capability> needs() const override {
    std::vector<Capability> needed;
    if (options_.lease.ps > 0) needed.push_back(Capability::timing);
    if (masked_ && !wide_) needed.push_back(Capability::masked_atomics_8);
    if (wide_) needed.push_back(Capability::masked_atomics_16);
    return needed;
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<dslr::Client>(options_, env);
  }
  // DSLR (SIGMOD'18) appendix A.2, Lemma 2 and Theorem 3: whoever takes a later ticket does not get
  // ahead, the lock is given first come, first served. That is within one era (4.9): a client that
  // finds no tickets left starts anew in the next one, behind others that came after it, and
  // neither the paper nor the repairs bound how often. COUNT_MAX acquisitions fit in one era.
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t acquisitions) const override {
    if (waiter == LockMode::shared && winner == LockMode::shared) return std::nullopt;
    const bool one_era = options_.wraps() || acquisitions <= options_.word.count_max();
    return one_era ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
  bool is_free(RemoteAddr /*entry*/, std::span<const std::uint64_t> words) const override {
    const dslr::Tickets t = tickets(words);
    return (t.nx == t.max_x && t.ns == t.max_s) || dslr::is_tombstone(options_, t);
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    const dslr::Tickets t = tickets(words);
    return "nX=" + std::to_string(t.nx) + " nS=" + std::to_string(t.ns) +
           " maxX=" + std::to_string(t.max_x) + " maxS=" + std::to_string(t.max_s);
  }

 private:
  dslr::Tickets tickets(std::span<const std::uint64_t> words) const {
    return options_.word.unpack({words[0], wide_ ? words[1] : 0});
  }

  dslr::Options options_;
  bool wide_;
  bool masked_;
};

std::vector<ParamSpec> number_params() {
  return {
      integer_param("ticket_bits", 16, 3, 16,
                    "bits of each counter of a word8 entry; COUNT_MAX = 2^(bits-1) (DSLR 4.9)"),
      duration_param("lease", milliseconds(10), Duration{}, seconds(60),
                     "longest hold; 0: failures are not looked for (DSLR 4.1)"),
      duration_param("omega", microseconds(5), Duration{}, milliseconds(1),
                     "pause between READs for each ticket ahead (DSLR 4.6)"),
      duration_param("backoff_first", microseconds(10), Duration{}, seconds(1),
                     "R: random backoff after a failed acquisition; 0: none (DSLR A.3)"),
      duration_param("backoff_bound", milliseconds(10), Duration{}, seconds(10),
                     "L: its longest pause (DSLR A.3)"),
  };
}

std::vector<ParamSpec> switch_params() {
  return {
      choice_param("entry", "word8", {"word8", "wide16"},
                   "four counters in 8 bytes (DSLR 4.4) or 4 x 32 bits (ShiftLock artifact)"),
      choice_param("fields", "plain_faa", {"plain_faa", "masked_faa"},
                   "verb that adds to one counter (DSLR 4.5; ShiftLock artifact: masked)"),
      choice_param("over_limit", "stay", {"undo", "stay", "wrap"},
                   "a ticket taken at COUNT_MAX: undone (DSLR 4.9), left, or no limit (port)"),
      choice_param("overtaken", "after_turn", {"before_turn", "after_turn"},
                   "test for a passed ticket before (DSLR algorithm 2) or after that for the turn"),
      choice_param("progress", "any", {"any", "both"},
                   "counters that must change for the lock to count as alive (DSLR 4.6: both)"),
      choice_param("repair", "everyone", {"own_ticket", "everyone"},
                   "whom a repair sends back: up to the own ticket (DSLR algorithm 2), or all"),
      choice_param("late_release", "suppress", {"suppress", "suppress_unless_reset", "always"},
                   "release after the lease (DSLR algorithm 3: suppress_unless_reset)"),
      choice_param("reader_pacing", "both", {"both", "exclusive"},
                   "tickets ahead that a reader's pause counts (DSLR 4.6: both)"),
      boolean_param("pause_before_read", false,
                    "pause before the first READ as well (ShiftLock artifact: yes)"),
  };
}

std::vector<Profile> profiles() {
  const auto text = [](const char* value) { return ParamValue(std::string(value)); };
  return {
      {"repaired", "sigmod18 with one change for each counter-example in dslr.h", {}},
      {"sigmod18",
       "DSLR (SIGMOD'18), algorithms 1 to 3 as printed",
       {{"over_limit", text("undo")},
        {"overtaken", text("before_turn")},
        {"progress", text("both")},
        {"repair", text("own_ticket")},
        {"late_release", text("suppress_unless_reset")}}},
      {"shiftlock_port",
       "ShiftLock artifact, its DSLR baseline",
       {{"entry", text("wide16")},
        {"fields", text("masked_faa")},
        {"over_limit", text("wrap")},
        {"overtaken", text("after_turn")},
        {"progress", text("both")},
        {"repair", text("own_ticket")},
        {"late_release", text("always")},
        {"reader_pacing", text("exclusive")},
        {"pause_before_read", true},
        {"lease", seconds(1)},
        {"omega", nanoseconds(1862)},
        {"backoff_first", Duration{}}}},
  };
}

std::string contradiction(const ParamSet& params) {
  const bool wide = params.choice("entry") == "wide16";
  const bool wraps = params.choice("over_limit") == "wrap";
  if (wide != wraps)
    return "entry is " + params.choice("entry") + " and over_limit is " +
           params.choice("over_limit") +
           ": 32-bit counters run round and 8-byte entries stop at COUNT_MAX; take wide16 with "
           "wrap, or word8 with undo or stay";
  if (wide && params.choice("fields") == "plain_faa")
    return "entry is wide16 and fields is plain_faa: a plain FAA has 8 bytes; set fields to "
           "masked_faa";
  if (params.duration("backoff_first") > params.duration("backoff_bound"))
    return "backoff_first is longer than backoff_bound: raise backoff_bound";
  return {};
}

ParamSet small_model(const ProtocolInfo& info) {
  ParamSet params = info.resolve(info.profiles.front().name);
  params.set("ticket_bits", std::int64_t{3});
  params.set("lease", microseconds(100));
  params.set("omega", microseconds(1));
  params.set("backoff_first", microseconds(1));
  params.set("backoff_bound", microseconds(8));
  return params;
}

}  // namespace

ProtocolEntry dslr_entry() {
  ProtocolEntry entry;
  entry.info.name = "dslr";
  entry.info.summary = "tickets for readers and writers in one word, with leases";
  entry.info.source = "DSLR (SIGMOD'18), algorithms 1 to 3";
  entry.info.shared_mode = true;
  entry.info.params = number_params();
  for (ParamSpec& spec : switch_params()) entry.info.params.push_back(std::move(spec));
  entry.info.profiles = profiles();
  entry.info.entry_bytes = 8;
  entry.info.longest_timeout = [](const ParamSet& params) { return params.duration("lease") * 2; };
  entry.info.contradiction = contradiction;
  entry.make = [](const ParamSet& params) -> std::unique_ptr<Protocol> {
    return std::make_unique<Dslr>(params);
  };
  entry.small_model = small_model;
  return entry;
}

}  // namespace latchlab
