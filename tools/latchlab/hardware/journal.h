#pragma once
// A node's guard journal (core/checks/guard_words.h) in a file of shared memory, which whoever made
// it can still read when the node's process is gone.

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/checks/guard_words.h"

namespace latchlab::tool {

class JournalFile {
 public:
  // Makes it, all idle; the file goes when the maker goes.
  static Result<JournalFile> make(std::uint32_t clients);
  static Result<JournalFile> open(const std::string& path, std::uint32_t clients);
  JournalFile() = default;
  ~JournalFile();
  JournalFile(JournalFile&& other) noexcept;
  JournalFile& operator=(JournalFile&& other) noexcept;

  const std::string& path() const { return path_; }
  std::span<GuardRecord> records() const { return {records_, clients_}; }

 private:
  static Result<JournalFile> map(const std::string& path, int file, std::uint32_t clients);
  std::string path_;
  bool mine_ = false;
  GuardRecord* records_ = nullptr;
  std::uint32_t clients_ = 0;
};

}  // namespace latchlab::tool
