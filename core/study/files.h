#pragma once
// Files that outlive whatever happens to the program: written whole or not at all.

#include <string>
#include <utility>

#include "core/base/result.h"

namespace latchlab {

// All or nothing: written beside, under a name of this process alone, flushed to the disk, renamed.
// What stood there before stays until then.
Status write_atomically(const std::string& path, const std::string& text);

// Makes an empty file where there is nothing; false: there is something already, maybe since
// another program made it at the same instant. Then the name belongs to the caller, who writes it.
Result<bool> claim_file(const std::string& path);

// Error: claim_results_directory() would refuse what is there.
Status check_results_directory(const std::string& wanted);

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

// Stands in a new directory until its run ends, so that it is not empty from the first instant.
// Of programs that claim one directory at once one gets it, on any file system that creates a file
// once. A killed program leaves it behind; a run that goes on there does not mind.
class DirectoryClaim {
 public:
  DirectoryClaim() = default;  // none is needed
  explicit DirectoryClaim(std::string file) : file_(std::move(file)) {}
  ~DirectoryClaim();
  DirectoryClaim(DirectoryClaim&& other) noexcept : file_(std::exchange(other.file_, {})) {}
  DirectoryClaim(const DirectoryClaim&) = delete;
  DirectoryClaim& operator=(const DirectoryClaim&) = delete;
  DirectoryClaim& operator=(DirectoryClaim&&) = delete;

 private:
  std::string file_;
};

// The directory of a run; no other program writes into it while this lives.
struct ResultsDirectory {
  std::string path;
  DirectoryLock lock;
  DirectoryClaim claim;
};

// Creates the directory of a run: `wanted`, which must not exist or be empty, or, when that is
// empty, results/NAME-N with the first free N. Of several programs that ask for one directory at
// the same time one gets it, the others an error.
Result<ResultsDirectory> claim_results_directory(const std::string& wanted,
                                                 const std::string& name);

// The directory to go on with: `wanted`, or results/NAME-N with the greatest N there is, which is
// made like a new one when there is none. `mark` is a file that shows what it is: a
// directory that holds other things, but not this, is refused. Empty: any will do.
Result<ResultsDirectory> reopen_results_directory(const std::string& wanted,
                                                  const std::string& name, const std::string& mark);

}  // namespace latchlab
