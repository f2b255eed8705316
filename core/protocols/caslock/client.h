#pragma once
// The client part of caslock and of retry_on_fail, whose headers describe the locks: one word, CAS
// by writers, FAA by readers. The two locks differ in their options and in the prefix of their
// paths.

#include <cstdint>
#include <string>
#include <vector>

#include "core/protocols/common/backoff.h"
#include "core/protocols/common/entry.h"
#include "core/protocols/common/failure_backoff.h"
#include "core/protocols/common/masks.h"
#include "core/verbs/verbs.h"

namespace latchlab::caslock {

// The word of a lock that one writer owns or readers count in: the owner above, the count of
// readers in the low `count_bits` bits.

class Word {
 public:
  explicit Word(unsigned count_bits) : count_bits_(count_bits) {}

  std::uint64_t most_readers() const { return field_mask(0, count_bits_); }
  std::uint64_t readers(std::uint64_t word) const { return field_of(word, 0, count_bits_); }
  std::uint64_t owner(std::uint64_t word) const { return word >> count_bits_; }  // 0: none
  std::uint64_t owned_by(ClientId writer, std::uint64_t readers) const {
    return (std::uint64_t{writer.value} + 1) << count_bits_ | readers;
  }

  // Writers: from free to owned by this writer alone, and back.
  Verb take(RemoteAddr entry, ClientId writer) const {
    return cas_verb(entry, 0, owned_by(writer, 0));
  }
  Verb leave(RemoteAddr entry, ClientId writer, std::uint64_t readers) const {
    return cas_verb(entry, owned_by(writer, readers), readers);
  }
  Verb subtract(RemoteAddr entry, ClientId writer) const {
    return faa_verb(entry, ~owned_by(writer, 0) + 1);
  }
  // Readers.
  static Verb arrive(RemoteAddr entry) { return faa_verb(entry, 1); }
  static Verb depart(RemoteAddr entry) { return faa_verb(entry, ~0ULL); }

  std::string decode(std::uint64_t word) const {
    if (word == 0) return "free";
    std::string counted = std::to_string(readers(word)) + " readers counted";
    if (owner(word) == 0) return counted;
    return "held by client " + std::to_string(owner(word) - 1) + ", " + counted;
  }

 private:
  unsigned count_bits_;
};

// What a reader does when its FAA finds a writer (first: the FAA found no other reader's count):
//   withdraw     takes its count back and tries again
//   stay         leaves its count, and READs until there is no writer
//   first_looks  if first, takes its count back, READs until there is no writer, and tries again;
//                otherwise as withdraw
//   first_stays  if first, as stay; otherwise as withdraw
enum class Conflict : std::uint8_t { withdraw, stay, first_looks, first_stays };
// A writer releases by a CAS that expects no readers, or the count seen last; or by FAA.
enum class Release : std::uint8_t { exact, tracking, subtract };

struct Options : AdaptiveBackoffOptions {
  unsigned count_bits = 32;
  Conflict conflict = Conflict::stay;
  Release release = Release::tracking;
  bool adaptive = false;                      // pause between tries: AdaptiveBackoff
  bool random = false;                        // pause between tries: random_backoff
  std::uint64_t timeout_tries = 0;            // failed tries that end an acquisition; 0: no limit
  Duration backoff_first = microseconds(10);  // of random_backoff
  Duration backoff_bound = milliseconds(10);

  bool pauses() const { return adaptive || random; }
  // A count may stay in the word until the writer releases.
  bool counts_stay() const {
    return conflict == Conflict::stay || conflict == Conflict::first_stays;
  }
};

// Which lock the client belongs to. caslock always stays, tracks and has no limit of tries,
// whatever its options.
struct CasLock {
  static constexpr char kPrefix[] = "caslock: ";
  static constexpr bool kOnlyStays = true;
};
struct RetryOnFail {
  static constexpr char kPrefix[] = "retry_on_fail: ";
  static constexpr bool kOnlyStays = false;
};

template <class Lock>
class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options), word_(options.count_bits), verbs_(*env.verbs), adaptive_(options) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  // The outcome of an acquisition's tries.
  enum class End : std::uint64_t { entered, deadline, out_of_tries, server_failed };
  struct Tried {
    End end = End::entered;
    std::uint64_t retries = 0;
  };

  Task<Tried> enter_exclusive(RemoteAddr entry, Time deadline);
  Task<Tried> enter_shared(RemoteAddr entry, Time deadline);
  Task<Tried> stay_counted(RemoteAddr entry, Words seen, Time deadline);
  Task<Tried> withdraw_and_retry(RemoteAddr entry, Words seen, Time deadline);
  Task<Tried> keep_trying(Verb probe, Words seen, Time deadline);
  Task<Tried> wait_without_limit(Verb probe, Words seen, Time deadline);
  Task<AcquireResult> give_up(LockId lock, End end, Time deadline);
  Task<void> leave_exclusive(RemoteAddr entry);
  Task<void> leave_when_alone(RemoteAddr entry);

  ClientId me() const { return verbs_.client(); }
  bool may_enter(bool reader, std::uint64_t word) const {
    return reader ? word_.owner(word) == 0 : word == 0;
  }
  Salt salt() { return options_.pauses() ? Salt{verbs_.random(~0ULL)} : Salt{}; }
  Duration pause(std::uint64_t retry, Salt salt) const;
  Task<void> sleep_until(Duration length, Time deadline);

  const Options& options_;  // the protocol's, which outlives its clients
  Word word_;
  Verbs& verbs_;
  AdaptiveBackoff adaptive_;
  FailureBackoff failures_{options_.backoff_first, options_.backoff_bound};
};

template <class LockOptions, class Lock>
class WordLock final : public ProtocolOf<LockOptions, Client<Lock>> {
 public:
  using ProtocolOf<LockOptions, Client<Lock>>::ProtocolOf;
  // Each client counts at most once, so that the count does not overflow into the owner.
  Limits limits() const override {
    return {.max_clients = word().most_readers(), .abortable = true, .clients_alike = true};
  }
  std::string decode(std::span<const std::uint64_t> words) const override {
    return word().decode(words[0]);
  }

 private:
  Word word() const { return Word(this->options_.count_bits); }
};

}  // namespace latchlab::caslock
