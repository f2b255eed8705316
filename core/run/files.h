#pragma once
// Writes files that survive a crash of the program: each is written completely or not at all.

#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace latchlab {

// Writes atomically: to a temporary file next to `path` that is private to this process, flushed to
// disk and then renamed. Until then the previous file stays.
Status write_atomically(const std::string& path, const std::string& text);

// 16 hexadecimal digits; a change of any one byte of the text changes them.
std::string checksum_of(std::string_view text);

// Creates an empty file; returns false if `path` exists, even if another process created it at the
// same time. On true, the path belongs to the caller, who writes it.
Result<bool> claim_file(const std::string& path);

// Returns an error if claim_results_directory() would refuse `wanted`.
Status check_results_directory(const std::string& wanted);

// Lock on a directory while a program writes into it. A second program is refused, after about two
// seconds in which the processes of a killed one may end. File systems without locks grant every
// request.
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

// A marker file in a new directory until its run ends, so that the directory is never empty. If
// several programs claim a directory at once, one succeeds, on any file system with exclusive
// create. A killed program leaves the file behind; a resumed run ignores it.
class DirectoryClaim {
 public:
  DirectoryClaim() = default;  // no claim
  explicit DirectoryClaim(std::string file) : file_(std::move(file)) {}
  ~DirectoryClaim();
  DirectoryClaim(DirectoryClaim&& other) noexcept : file_(std::exchange(other.file_, {})) {}
  DirectoryClaim(const DirectoryClaim&) = delete;
  DirectoryClaim& operator=(const DirectoryClaim&) = delete;
  DirectoryClaim& operator=(DirectoryClaim&&) = delete;

 private:
  std::string file_;
};

// A run's directory; no other program writes into it during this object's lifetime.
struct ResultsDirectory {
  std::string path;
  DirectoryLock lock;
  DirectoryClaim claim;
};

// Creates the directory of a run: `wanted`, which must not exist or must be empty, or, if `wanted`
// is empty, results/NAME-N with the first free N. If several programs request one directory at the
// same time, one succeeds and the others get an error.
Result<ResultsDirectory> claim_results_directory(const std::string& wanted,
                                                 const std::string& name);

// Opens the directory of a run to resume: `wanted`, or results/NAME-N with the largest N, or a new
// one if there is none. `mark` names a file that identifies a run's directory: a directory with
// other files but without `mark` is refused. Empty: any directory is accepted.
Result<ResultsDirectory> reopen_results_directory(const std::string& wanted,
                                                  const std::string& name, const std::string& mark);

}  // namespace latchlab
