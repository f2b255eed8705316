#pragma once
// A node's guard journal (core/checks/guard_words.h) in shared memory, which the process that made
// it can still read when the node's process is gone. It has no name in any file system: a node
// finds it among the descriptors of its maker, so that nothing is left behind however the two end.

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/checks/guard_words.h"

namespace latchlab::tool {

// Where nodes that this process starts find its journals: /proc/PID/fd.
std::string journal_directory();

class JournalFile {
 public:
  // Makes it, all idle. It exists as long as a process has it.
  static Result<JournalFile> make(std::uint32_t clients);
  // `directory`: as journal_directory() of the maker says; `name`: as name() says. Refused is what
  // is no journal, such as another descriptor of that process.
  static Result<JournalFile> open(const std::string& directory, const std::string& name,
                                  std::uint32_t clients);
  JournalFile() = default;
  ~JournalFile();
  JournalFile(JournalFile&& other) noexcept;
  JournalFile& operator=(JournalFile&& other) noexcept;

  std::string name() const { return std::to_string(file_); }
  std::span<GuardRecord> records() const { return {records_, clients_}; }

 private:
  static Result<JournalFile> map(int file, std::uint32_t clients);
  int file_ = -1;
  GuardRecord* records_ = nullptr;
  std::uint32_t clients_ = 0;
};

}  // namespace latchlab::tool
