#pragma once
// Accesses of clients of a cache to its objects, from a file in the format of Twitter's cache
// traces (github.com/twitter/cache-trace; Yang, Yue and Rashmi, OSDI 2020), decompressed and
// otherwise as published. A line is an access; there is no header line:
//
//   timestamp,anonymized key,key size,value size,client id,operation,TTL
//
// get and gets read; set, add, replace, cas, append, prepend, delete, incr and decr write. The key
// is the text between the first field and the last five: it may contain commas. Blank lines and
// lines that begin with # are skipped. The file is read once, line by line. Each access is kept in
// 12 bytes, and while reading, each key in 21 to 27 (key_numbers.h). Timestamps are not kept:
// clients replay accesses as fast as they can.

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
  std::uint32_t client = 0;  // of the trace; numbered in the same way as keys

  bool operator==(const CacheAccess&) const = default;
};

class CacheTrace {
 public:
  // Errors call the trace `name`.
  explicit CacheTrace(std::string name);
  void add(const CacheAccess& access);

  const std::string& name() const { return name_; }
  std::uint64_t accesses() const { return accesses_.size(); }
  std::uint64_t locks() const { return objects_; }  // one for each key
  std::uint32_t clients() const { return clients_; }
  std::uint32_t largest_value_bytes() const { return largest_value_bytes_; }
  CacheAccess access(std::uint64_t number) const;  // from 0

 private:
  struct Packed {
    std::uint32_t object, value_bytes;
    std::uint32_t client_and_write;  // `writes` is the lowest bit
  };
  static_assert(sizeof(Packed) == 12);

  std::string name_;
  std::deque<Packed> accesses_;
  std::uint64_t objects_ = 0;
  std::uint32_t clients_ = 0, largest_value_bytes_ = 0;
};

// The most accesses to read, from the beginning; the rest of the file is ignored. None: all.
struct CacheTraceOptions {
  std::optional<std::uint64_t> most = std::nullopt;
};

Result<std::shared_ptr<const CacheTrace>> read_cache_trace(const std::string& path,
                                                           const CacheTraceOptions& options);
// The same for any stream.
Result<std::shared_ptr<const CacheTrace>> read_cache_trace(std::istream& in,
                                                           const std::string& name,
                                                           const CacheTraceOptions& options);

// Which accesses a client of the run replays.
enum class TraceShare : std::uint8_t {
  turn,   // of n clients the c-th has accesses c, c + n, ... (trace_turns.h)
  client  // the c-th has those of the trace's clients c, c + n and so on, in the trace's order, at
          // least one. Takes 4 bytes more for each access of a client in this process
};

class CacheReplay {
 public:
  // `all` clients of the run share the trace; `here` are the clients of this process.
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
  std::vector<Own> own_;  // by client; empty: TraceShare::turn
};

}  // namespace latchlab
