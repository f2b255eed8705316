#include "tools/latchlab/hardware/journal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace latchlab::tool {

namespace {

constexpr const char* kJournalName = "latchlab-guard";

Error cannot_make() {
  return {fmt::format("cannot make shared memory for a guard journal: {}", std::strerror(errno)),
          {}};
}

// The kernel names such memory "/memfd:NAME (deleted)".
bool is_journal(const std::string& path) {
  std::array<char, 64> target = {};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  const std::string_view found(target.data(),
                               static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return found.starts_with(fmt::format("/memfd:{} ", kJournalName));
}

}  // namespace

std::string journal_directory() {
  return fmt::format("/proc/{}/fd", ::getpid());
}

Result<JournalFile> JournalFile::map(int file, std::uint32_t clients) {
  JournalFile made;
  made.file_ = file;
  void* const at =
      ::mmap(nullptr, clients * sizeof(GuardRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED)
    return Error{fmt::format("cannot map a guard journal: {}", std::strerror(errno)), {}};
  made.records_ = static_cast<GuardRecord*>(at);
  made.clients_ = clients;
  return made;
}

Result<JournalFile> JournalFile::make(std::uint32_t clients) {
  const int file = ::memfd_create(kJournalName, MFD_CLOEXEC);
  if (file < 0) return cannot_make();
  if (::ftruncate(file, static_cast<off_t>(clients * sizeof(GuardRecord))) != 0) {
    const Error error = cannot_make();
    ::close(file);
    return error;
  }
  return map(file, clients);  // zeros are idle records
}

Result<JournalFile> JournalFile::open(const std::string& directory, const std::string& name,
                                      std::uint32_t clients) {
  if (name.empty() || name.find_first_not_of("0123456789") != std::string::npos)
    return Error{fmt::format("{} is not the name of a journal", name), {}};
  const std::string path = directory + "/" + name;
  if (!is_journal(path)) return Error{fmt::format("{} is no guard journal", path), {}};
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return Error{fmt::format("cannot open {}: {}", path, std::strerror(errno)), {}};
  struct stat size = {};
  if (::fstat(file, &size) != 0 ||
      size.st_size < static_cast<off_t>(clients * sizeof(GuardRecord))) {
    ::close(file);
    return Error{fmt::format("{} is no journal of {} clients", path, clients), {}};
  }
  return map(file, clients);
}

JournalFile::~JournalFile() {
  if (records_ != nullptr) ::munmap(records_, clients_ * sizeof(GuardRecord));
  if (file_ >= 0) ::close(file_);
}
JournalFile::JournalFile(JournalFile&& other) noexcept {
  *this = std::move(other);
}
JournalFile& JournalFile::operator=(JournalFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(records_, other.records_);
  std::swap(clients_, other.clients_);
  return *this;
}

}  // namespace latchlab::tool
