#include "core/workload/files.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/scenario/file_io.h"

namespace latchlab {
namespace {

class BtIo final : public AccessPattern {
 public:
  BtIo(const FileSpec& file, std::uint32_t clients)
      : grid_(file.grid), reads_(file.reads), side_(side_of(clients)), cursors_(clients) {
    LATCHLAB_CHECK(side_ * side_ == clients && side_ <= grid_, "no such cube of clients");
  }

  FileAccess next(std::uint32_t client) override {
    Cursor& at = cursors_[client];
    const std::uint32_t bx = (client % side_ + at.layer) % side_;
    const std::uint32_t by = (client / side_ + side_ - at.layer) % side_;
    const std::uint64_t row = start(at.layer) + at.z;
    const std::uint64_t cell = (row * grid_ + start(by) + at.y) * grid_ + start(bx);
    const std::uint64_t step_cells = std::uint64_t{grid_} * grid_ * grid_;
    const FileAccess access{.offset = (at.step * step_cells + cell) * kCellBytes,
                            .bytes = part_of_edge(grid_, side_, bx) * kCellBytes,
                            .writes = !at.written};
    at.written = reads_ && !at.written;
    if (!at.written) advance(at, part_of_edge(grid_, side_, by));
    return access;
  }

 private:
  struct Cursor {
    std::uint32_t step = 0, layer = 0, z = 0, y = 0;
    bool written = false;  // and not yet read, with reads_
  };
  // The first cell of the n-th part of an edge.
  std::uint64_t start(std::uint32_t n) const {
    return std::uint64_t{grid_ / side_} * n + std::min(n, grid_ % side_);
  }
  void advance(Cursor& at, std::uint32_t rows) const {
    if (++at.y < rows) return;
    at.y = 0;
    if (++at.z < part_of_edge(grid_, side_, at.layer)) return;
    at.z = 0;
    if (++at.layer < side_) return;
    at.layer = 0;
    at.step = (at.step + 1) % kTimeSteps;
  }

  std::uint32_t grid_;
  bool reads_;
  std::uint32_t side_;
  std::vector<Cursor> cursors_;  // by client
};

// Numbers the accesses of clients that take turns.
class Turns {
 public:
  explicit Turns(std::uint32_t clients) : taken_(clients) {}
  std::uint64_t next(std::uint32_t client) { return taken_[client]++ * taken_.size() + client; }

 private:
  std::vector<std::uint64_t> taken_;
};

class HardWrite final : public AccessPattern {
 public:
  HardWrite(std::uint32_t bytes, std::uint32_t clients) : bytes_(bytes), turns_(clients) {}
  FileAccess next(std::uint32_t client) override {
    return {.offset = turns_.next(client) * bytes_, .bytes = bytes_};
  }

 private:
  std::uint32_t bytes_;
  Turns turns_;
};

class Oltp : public AccessPattern {
 public:
  explicit Oltp(const PartSetup& setup)
      : spec_(setup.spec.file), log_(setup.locks - 1), turns_(setup.clients) {
    LATCHLAB_CHECK(setup.locks > 1, "a log without data");
    for (std::uint32_t n = 0; n < setup.clients; ++n)
      streams_.push_back({Rng(setup.seed, setup.first_client + n, StreamPurpose::modes),
                          Rng(setup.seed, setup.first_client + n, StreamPurpose::keys)});
  }
  FileAccess next(std::uint32_t client) override {
    const std::uint64_t drawn = streams_[client].kinds.below(kReadOdds + kWriteOdds + kAppendOdds);
    if (drawn >= kReadOdds + kWriteOdds) {
      return append(turns_.next(client));
    }
    return access_of_data(client, drawn >= kReadOdds);
  }

 protected:
  FileAccess append(std::uint64_t turn) const {
    const std::uint64_t appends = spec_.file_bytes / spec_.append_bytes;
    return {log_, turn % appends * spec_.append_bytes, spec_.append_bytes, true};
  }
  FileAccess access_of_data(std::uint32_t client, bool writes) {
    Rng& places = streams_[client].places;
    const std::uint64_t file = places.below(log_);
    const std::uint64_t record = places.below(spec_.file_bytes / spec_.access_bytes);
    return {file, record * spec_.access_bytes, spec_.access_bytes, writes};
  }
  const FileSpec& spec() const { return spec_; }

 private:
  struct Streams {
    Rng kinds, places;
  };
  FileSpec spec_;
  std::uint64_t log_;
  Turns turns_;
  std::vector<Streams> streams_;
};

// Each client has a role, and the clients of a machine are coupled by the reads that it counts.
class OltpByRole final : public Oltp {
 public:
  explicit OltpByRole(const PartSetup& setup)
      : Oltp(setup), here_(setup.clients_per_machine), done_(setup.clients) {
    LATCHLAB_CHECK(roles().clients() == here_, "roles that are not those of a machine's clients");
  }
  FileAccess next(std::uint32_t client) override {
    const std::uint32_t place = client % here_;
    const std::uint32_t writers_end = roles().readers + roles().writers;
    FileAccess access;
    if (place < roles().readers) {
      access = access_of_data(client, false);
      access.counts = true;
      return access;
    }
    const std::uint64_t nth = done_[client]++;
    if (place < writers_end) {
      const std::uint64_t write = nth * roles().writers + place - roles().readers;
      access = access_of_data(client, true);
      access.after = (write / kWritesAtOnce + 1) * kReadsPerWrites;
      return access;
    }
    const std::uint64_t logger = place - writers_end, machines = done_.size() / here_;
    const std::uint64_t machine = client / here_, loggers = roles().loggers;
    access = append((nth * machines + machine) * loggers + logger);
    access.after = (nth * loggers + logger + 1) * kReadsPerAppend;
    return access;
  }

 private:
  const OltpRoles& roles() const { return spec().roles; }

  std::uint32_t here_;               // clients of a machine
  std::vector<std::uint64_t> done_;  // by client
};

class Files final : public PartChooser {
 public:
  explicit Files(const PartSetup& setup)
      : file_(setup.spec.file),
        machines_(setup.machines),
        first_client_(setup.first_client),
        pattern_(make_pattern(setup)) {}
  void next(ClientId client, SectionWanted& wanted) override {
    const FileAccess access = pattern_->next(client.value - first_client_);
    const bool excludes = access.writes || file_.reads_exclude;
    wanted.parts.push_back({LockId{access.file}, extent_of(access, file_.unit_bytes),
                            excludes ? LockMode::exclusive : LockMode::shared});
    wanted.after = access.after;
    wanted.counts = access.counts;
    if (file_.data == FileData::none) return;
    (access.writes ? wanted.writes : wanted.reads) = 1;
    wanted.bytes = wanted.file_bytes = access.bytes;
    if (file_.data == FileData::clients) place_blocks(access, wanted);
  }

 private:
  void place_blocks(const FileAccess& access, SectionWanted& wanted) const {
    const std::uint64_t end = access.offset + access.bytes;
    for (std::uint64_t at = access.offset; at < end;) {
      const std::uint64_t block = at / file_.block_bytes;
      const std::uint64_t next = std::min(end, (block + 1) * file_.block_bytes);
      wanted.places.push_back({static_cast<std::uint32_t>((access.file + block) % machines_),
                               static_cast<std::uint32_t>(next - at)});
      at = next;
    }
  }

  FileSpec file_;
  std::uint32_t machines_;
  std::uint32_t first_client_;
  std::unique_ptr<AccessPattern> pattern_;
};

}  // namespace

std::unique_ptr<AccessPattern> make_pattern(const PartSetup& setup) {
  const FileSpec& file = setup.spec.file;
  switch (file.pattern) {
    case FilePattern::bt_io:
      return std::make_unique<BtIo>(file, setup.clients);
    case FilePattern::oltp:
      if (file.roles.clients() > 0) return std::make_unique<OltpByRole>(setup);
      return std::make_unique<Oltp>(setup);
    case FilePattern::hard_write:
      break;
  }
  return std::make_unique<HardWrite>(file.access_bytes, setup.clients);
}

Extent extent_of(const FileAccess& access, std::uint64_t unit_bytes) {
  const std::uint64_t first = access.offset / unit_bytes;
  const std::uint64_t last = (access.offset + access.bytes - 1) / unit_bytes;
  return {first, last - first + 1};
}

std::unique_ptr<PartChooser> make_files(const PartSetup& setup) {
  return std::make_unique<Files>(setup);
}

}  // namespace latchlab
