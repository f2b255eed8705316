#pragma once
// Files that outlive whatever happens to the program: written whole or not at all.

#include <string>
#include <utility>

#include "core/base/result.h"

namespace latchlab {

// All or nothing: written beside, flushed to the disk, renamed. What stood there before stays until
// then.
Status write_atomically(const std::string& path, const std::string& text);

// Error: make_results_directory() would refuse what is there.
Status check_results_directory(const std::string& wanted);

// Creates the directory of a run: `wanted`, which must not exist or be empty, or, when that is
// empty, results/NAME-N with the first free N.
Result<std::string> make_results_directory(const std::string& wanted, const std::string& name);

// The directory to go on with: `wanted`, or results/NAME-N with the greatest N there is, which is
// made like a new one when there is none. `mark` is a file that shows what it is: a
// directory that holds other things, but not this, is refused. Empty: any will do.
Result<std::string> reopen_results_directory(const std::string& wanted, const std::string& name,
                                             const std::string& mark);

// Held while a program writes into a directory: a second one is refused, after a moment in which
// the processes of a killed one may end. A file system without locks grants every one.
class DirectoryLock {
 public:
  static Result<DirectoryLock> take(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_;
};

}  // namespace latchlab
