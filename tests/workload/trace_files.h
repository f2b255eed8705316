#pragma once
// Traces for tests: text in place of files, and files that are removed after the test.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/workload/cache_trace.h"
#include "core/workload/transactions/trace.h"

namespace latchlab {

inline Result<std::shared_ptr<const LockTrace>> lock_trace(const std::string& text,
                                                           const TraceOptions& options = {}) {
  std::istringstream in(text);
  return read_lock_trace(in, "t.csv", options);
}

inline Result<std::shared_ptr<const CacheTrace>> cache_trace(
    const std::string& text, const CacheTraceOptions& options = {}) {
  std::istringstream in(text);
  return read_cache_trace(in, "c.csv", options);
}

// The error message; empty: the trace is valid.
template <class T>
std::string complaint_of(const Result<T>& result) {
  return result ? "" : result.error().text();
}

class TraceFile {
 public:
  explicit TraceFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("latchlab-trace-" + std::to_string(::getpid()) + ".csv"))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TraceFile() {
    std::error_code failed;
    std::filesystem::remove(path_, failed);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace latchlab
