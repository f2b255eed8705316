#pragma once
// What clients of a cache did to its objects, from a file in the format of Twitter's cache traces
// (github.com/twitter/cache-trace; Yang, Yue and Rashmi, OSDI 2020), decompressed and otherwise as
// they are published. A line is an access, without a first line that says so:
//
//   timestamp,anonymized key,key size,value size,client id,operation,TTL
//
// get and gets read; set, add, replace, cas, append, prepend, delete, incr and decr write. A key is
// what stands between the first field and the last five: it may have commas. Lines that are blank
// or begin with # say nothing. The file is read once, a line at a time; each access is kept in 12
// bytes, and while reading, each key in 21 to 27 (key_numbers.h). The times of accesses are not
// kept: clients replay them as fast as they can.

#include <cstdint>
#include <deque>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/workload/trace_turns.h"

namespace latchlab {

inline constexpr std::uint64_t kMostCacheAccesses = 0xffff'fffe;

struct CacheAccess {
  std::uint64_t object = 0;  // keys are numbered in the order in which they first appear
  bool writes = false;
  std::uint32_t value_bytes = 0;
  std::uint32_t client = 0;  // of the trace; numbered as keys are

  bool operator==(const CacheAccess&) const = default;
};

class CacheTrace {
 public:
  // `name` stands for the trace in errors.
  explicit CacheTrace(std::string name);
  void add(const CacheAccess& access);

  const std::string& name() const { return name_; }
  std::uint64_t accesses() const { return accesses_.size(); }
  std::uint64_t locks() const { return objects_; }  // as many as keys
  std::uint32_t clients() const { return clients_; }
  std::uint32_t largest_value_bytes() const { return largest_value_bytes_; }
  CacheAccess access(std::uint64_t number) const;  // from 0

 private:
  struct Packed {
    std::uint32_t object, value_bytes;
    std::uint32_t client_and_write;  // which is the lowest bit
  };
  static_assert(sizeof(Packed) == 12);

  std::string name_;
  std::deque<Packed> accesses_;
  std::uint64_t objects_ = 0;
  std::uint32_t clients_ = 0, largest_value_bytes_ = 0;
};

// At most so many accesses, from the beginning; what follows is not looked at. None: all.
struct CacheTraceOptions {
  std::optional<std::uint64_t> most = std::nullopt;
};

Result<std::shared_ptr<const CacheTrace>> read_cache_trace(const std::string& path,
                                                           const CacheTraceOptions& options);
// The same of any stream.
Result<std::shared_ptr<const CacheTrace>> read_cache_trace(std::istream& in,
                                                           const std::string& name,
                                                           const CacheTraceOptions& options);

// Which accesses a client of the run has.
enum class TraceShare : std::uint8_t {
  turn,   // of n clients the c-th has accesses c, c + n, ... (trace_turns.h)
  client  // all of the trace's c-th client's, of its (c + n)-th's and so on, in the trace's order;
          // each has to get one at least. For each access here, 4 bytes more
};

class CacheReplay {
 public:
  // `all` clients of the run share the trace; `here` are those that will ask.
  static Result<std::unique_ptr<CacheReplay>> make(std::shared_ptr<const CacheTrace> trace,
                                                   const ClientRange& here, const ClientRange& all,
                                                   TraceShare by);
  CacheAccess next(ClientId client);

 private:
  struct Own {
    std::vector<std::uint32_t> accesses;
    std::size_t at = 0;
  };

  CacheReplay(std::shared_ptr<const CacheTrace> trace, const ClientRange& here,
              const ClientRange& all);
  void sort_by_client(const ClientRange& all);

  std::shared_ptr<const CacheTrace> trace_;
  ClientRange here_;
  TraceTurns turns_;
  std::vector<Own> own_;  // by client; empty: they take turns
};

}  // namespace latchlab
