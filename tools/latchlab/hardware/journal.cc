#include "tools/latchlab/hardware/journal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace latchlab::tool {

namespace {

const std::string kAny(6, 'X');  // what mkstemp and mkdtemp replace

}  // namespace

Result<JournalFile> JournalFile::map(const std::string& path, int file, std::uint32_t clients) {
  void* const at =
      ::mmap(nullptr, clients * sizeof(GuardRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int why = errno;
  ::close(file);
  if (at == MAP_FAILED)
    return Error{fmt::format("cannot map {}: {}", path, std::strerror(why)), {}};
  JournalFile made;
  made.path_ = path;
  made.records_ = static_cast<GuardRecord*>(at);
  made.clients_ = clients;
  return made;
}

Result<JournalDirectory> JournalDirectory::make() {
  std::string path = "/dev/shm/latchlab-guard-" + kAny;
  if (::access("/dev/shm", W_OK) != 0) path = "/tmp/latchlab-guard-" + kAny;
  if (::mkdtemp(path.data()) == nullptr)
    return Error{fmt::format("cannot make {}: {}", path, std::strerror(errno)), {}};
  return JournalDirectory(std::move(path));
}

JournalDirectory::~JournalDirectory() {
  if (!path_.empty()) ::rmdir(path_.c_str());
}

Result<JournalFile> JournalFile::make(const JournalDirectory& directory, std::uint32_t clients) {
  std::string path = directory.path() + "/" + kAny;
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return Error{fmt::format("cannot make {}: {}", path, std::strerror(errno)), {}};
  if (::ftruncate(file, static_cast<off_t>(clients * sizeof(GuardRecord))) != 0) {
    const int why = errno;
    ::close(file);
    ::unlink(path.c_str());
    return Error{fmt::format("cannot make {}: {}", path, std::strerror(why)), {}};
  }
  auto made = map(path, file, clients);  // zeros are idle records
  if (!made) ::unlink(path.c_str());
  if (made) made.value().mine_ = true;
  return made;
}

Result<JournalFile> JournalFile::open(const std::string& directory, const std::string& name,
                                      std::uint32_t clients) {
  if (name.find('/') != std::string::npos)
    return Error{fmt::format("{} is not the name of a journal", name), {}};
  const std::string path = directory + "/" + name;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return Error{fmt::format("cannot open {}: {}", path, std::strerror(errno)), {}};
  struct stat size = {};
  if (::fstat(file, &size) != 0 || !S_ISREG(size.st_mode) ||
      size.st_size < static_cast<off_t>(clients * sizeof(GuardRecord))) {
    ::close(file);
    return Error{fmt::format("{} is no journal of {} clients", path, clients), {}};
  }
  return map(path, file, clients);
}

JournalFile::~JournalFile() {
  if (records_ != nullptr) ::munmap(records_, clients_ * sizeof(GuardRecord));
  if (mine_) ::unlink(path_.c_str());
}
JournalFile::JournalFile(JournalFile&& other) noexcept {
  *this = std::move(other);
}
JournalFile& JournalFile::operator=(JournalFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(mine_, other.mine_);
  std::swap(records_, other.records_);
  std::swap(clients_, other.clients_);
  return *this;
}

}  // namespace latchlab::tool
