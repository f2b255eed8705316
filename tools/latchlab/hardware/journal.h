#pragma once
// A node's guard journal (core/checks/guard_words.h) in a file of shared memory, which whoever made
// it can still read when the node's process is gone. All of a run are in one directory, and a node
// opens nothing but a file there.

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/checks/guard_words.h"

namespace latchlab::tool {

class JournalDirectory {
 public:
  // Nobody else's; it goes when this goes, if it is empty then.
  static Result<JournalDirectory> make();
  ~JournalDirectory();
  JournalDirectory(JournalDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  JournalDirectory& operator=(JournalDirectory&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit JournalDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class JournalFile {
 public:
  // Makes it, all idle; the file goes when the maker goes.
  static Result<JournalFile> make(const JournalDirectory& directory, std::uint32_t clients);
  // `name`: as name() says; a path, or a symbolic link of that name, is refused.
  static Result<JournalFile> open(const std::string& directory, const std::string& name,
                                  std::uint32_t clients);
  JournalFile() = default;
  ~JournalFile();
  JournalFile(JournalFile&& other) noexcept;
  JournalFile& operator=(JournalFile&& other) noexcept;

  std::string name() const { return path_.substr(path_.rfind('/') + 1); }
  std::span<GuardRecord> records() const { return {records_, clients_}; }

 private:
  static Result<JournalFile> map(const std::string& path, int file, std::uint32_t clients);
  std::string path_;
  bool mine_ = false;
  GuardRecord* records_ = nullptr;
  std::uint32_t clients_ = 0;
};

}  // namespace latchlab::tool
