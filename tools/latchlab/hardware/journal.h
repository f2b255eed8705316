#pragma once
// A node's guard journal (core/checks/guard_words.h) in shared memory. The process that created it
// can still read it after the node's process has ended. The journal has no name in a file system: a
// node opens it through its creator's file descriptors, so nothing remains after both have ended.

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/checks/guard_words.h"

namespace latchlab::tool {

// The directory in which this process's nodes find its journals: /proc/PID/fd.
std::string journal_directory();

class JournalFile {
 public:
  // Creates a journal of idle records. It exists as long as a process has it open.
  static Result<JournalFile> make(std::uint32_t clients);
  // `directory` and `name`: journal_directory() and name() of the creator. Error: the descriptor is
  // not a journal.
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
