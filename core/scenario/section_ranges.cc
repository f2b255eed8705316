// Keys of a workload: the units and files that sections acquire parts of.

#include <fmt/format.h>

#include "core/scenario/file_io.h"
#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

using Workload = WorkloadSpec;

constexpr const char* kMostUnits = "281474976710656";  // 2^48
constexpr std::size_t kMostSizes = 64;                 // each has a distribution of its own

// One size, or a list of sizes.
Value<Workload> sizes_alone() {
  return value_of<Workload>(
      quantity(some_counts, "1", kMostUnits),
      [](const Given& given, Workload& workload) {
        RangeSpec& range = workload.range;
        range.by_operation = false;
        range.sizes.clear();
        const auto add = [&](const YamlNode& node, const std::string& path) {
          assign(range.sizes.emplace_back(), read_number({given.key, node, path}));
        };
        if (!given.node.is_sequence()) return add(given.node, given.path);
        for (const YamlNode& size : read_list(given, kMostSizes))
          add(size, path_of(given.path, std::to_string(range.sizes.size())));
        if (range.sizes.empty())
          reject(given.node.place, "{} is an empty list; expected 1 to {} sizes in units",
                 given.path, kMostSizes);
      },
      [](const ScenarioKey& key, const Workload& workload) {
        const auto number = [&](std::uint64_t size) { return write_number(key, number_of(size)); };
        const std::vector<std::uint64_t>& sizes = workload.range.sizes;
        if (sizes.size() == 1) return number(sizes.front());
        YamlNode list = yaml_sequence();
        for (const std::uint64_t size : sizes) list.items.push_back(number(size));
        return list;
      });
}

const Keys& size_keys() {
  // If sizes are assigned to clients in turn, the list is written without this mapping.
  Value<Workload> values = sizes_alone();
  values.key.write = [list = values.key.write](const ScenarioKey& key, const void* spec) {
    const bool drawn = static_cast<const Workload*>(spec)->range.by_operation;
    return drawn ? list(key, spec) : YamlNode();
  };
  const auto by = words<Workload>(
      {"operation", "client"},
      [](const Workload& workload) { return workload.range.by_operation ? 0 : 1; },
      [](Workload& workload, std::int64_t value) { workload.range.by_operation = value == 0; });
  static const Keys keys = rows<Workload>({
      {"values", values, "[1, 16, 256]", "The sizes in units.", kRequired},
      {"by", by, "operation",
       "operation: each section draws one of the sizes, all equally likely; client: the sizes are "
       "assigned to clients in turn.",
       kRequired},
  });
  return keys;
}

std::uint32_t usual_access(FilePattern pattern) {
  return pattern == FilePattern::oltp ? 8192 : FileSpec().access_bytes;
}

// The default depends on the pattern.
Value<FileSpec> access_bytes(FilePattern pattern) {
  return number<FileSpec>(
      bytes,
      [pattern](const FileSpec& file) {
        return number_of(file.pattern == pattern ? file.access_bytes : usual_access(pattern));
      },
      [](FileSpec& file, std::int64_t value) { assign(file.access_bytes, value); }, "8B", "64MiB");
}

constexpr std::uint64_t kUsualBlock = 1U << 20U;

// Data on servers and no data are written as true and false.
const Keys& data_keys() {
  const auto on = words<FileSpec>(
      {"clients", "servers", "none"},
      [](const FileSpec& file) { return file.data == FileData::clients ? 0 : -1; },
      [](FileSpec& file, std::int64_t value) {
        assign(file.data, value);
        file.block_bytes = file.data == FileData::clients ? kUsualBlock : 0;
      });
  static const Keys keys = rows<FileSpec>({
      {"on", on, "clients",
       "clients: files are spread over all client nodes in blocks, and each access is one READ or "
       "WRITE of each block that it touches. Verbs to the client's own node loop back. servers: as "
       "true. none: as false.",
       kRequired},
      {"block", number(bytes, &FileSpec::block_bytes, "8B", "1GiB"), "1MiB",
       "Bytes of a block, a multiple of 8B, for data on clients; 1MiB unless given. Block b of "
       "file f is on client node f + b, modulo their number."},
  });
  return keys;
}

Value<FileSpec> data() {
  return either(number<FileSpec>(
                    boolean, [](const FileSpec& file) { return file.data == FileData::servers; },
                    [](FileSpec& file, std::int64_t value) {
                      file.data = value != 0 ? FileData::servers : FileData::none;
                      file.block_bytes = 0;
                    }),
                data_keys);
}

const Keys& role_keys() {
  static const Keys keys = rows<OltpRoles>({
      {"readers", number(count, &OltpRoles::readers, "1", "10M"), "50",
       "Clients of each client node that read records of data files.", kRequired},
      {"writers", number(count, &OltpRoles::writers, "1", "10M"), "10",
       "The next clients, which write 100 records after each 1000 reads of their node.", kRequired},
      {"loggers", number(count, &OltpRoles::loggers, "1", "10M"), "1",
       "The next clients, which append to the log once after each 3200 reads of their node.",
       kRequired},
  });
  return keys;
}

// A key that is left out where it has its default.
Value<FileSpec> not_by_default(bool FileSpec::*field) {
  return number<FileSpec>(
      boolean,
      [field](const FileSpec& file) { return file.*field ? number_of(true) : std::nullopt; },
      [field](FileSpec& file, std::int64_t value) { assign(file.*field, value); });
}

const Keys& file_keys() {
  const auto kind = words<FileSpec>(
      {"bt_io", "oltp", "hard_write"},
      [](const FileSpec& file) { return static_cast<int>(file.pattern); },
      [](FileSpec& file, std::int64_t value) {
        assign(file.pattern, value);
        file.access_bytes = usual_access(file.pattern);
      });
  static const Keys keys = rows<FileSpec>({
      {"kind", kind, "hard_write",
       "The program whose accesses are modelled. bt_io: NAS BT-IO, simple: the file has the cells "
       "of a cube, 40B each, grows by a cube with each of 50 steps and then starts over; each "
       "client writes its own cells, one run along an edge at a time. oltp: Filebench OLTP: of "
       "3521 sections 3200 read data files, 320 write them, and one appends to the log, which is "
       "the last lock. hard_write: IO500 ior-hard-write: clients append to one file in turn.",
       kRequired},
      {"unit", number(bytes, &FileSpec::unit_bytes, "1B", "1GiB"), "4KiB",
       "Bytes of a file that one unit of the lock stands for. A section acquires every unit that "
       "contains a byte of its access."},
      {"access_bytes", access_bytes(FilePattern::hard_write), "47008B",
       "Length of each write: a multiple of 8B.", 0, "hard_write"},
      {"access_bytes", access_bytes(FilePattern::oltp), "8KiB",
       "Length of reads and writes of data files: a multiple of 8B.", 0, "oltp"},
      {"append_bytes", number(bytes, &FileSpec::append_bytes, "8B", "64MiB"), "256KiB",
       "Length of an append to the log: a multiple of 8B.", 0, "oltp"},
      {"file_bytes", number(bytes, &FileSpec::file_bytes, "8B", "1024GiB"), "10MiB",
       "Length of each data file, and of the log, which starts over at its end.", 0, "oltp"},
      {"grid", number(count, &FileSpec::grid, "1", "10k"), "408",
       "Cells along an edge of the cube: 408 are class D, 162 class C, 102 class B.", 0, "bt_io"},
      {"reads", not_by_default(&FileSpec::reads), "true",
       "true: a client reads each run that it has written before it writes the next one; without: "
       "it only writes.",
       "bt_io"},
      {"roles", nested(&FileSpec::roles, role_keys), "{readers: 50, writers: 10, loggers: 1}",
       "What the clients of each client node do, all of them in this order. With run.by_group they "
       "are the groups readers, writers and log. Without roles each section of any client is "
       "drawn.",
       "oltp"},
      {"exclusive_reads", not_by_default(&FileSpec::reads_exclude), "true",
       "true: reads acquire their units exclusively, as writes do; without: shared.", kOmitted,
       "bt_io oltp"},
      {"data", data(), "true",
       "true: each section also transfers its data: one READ or WRITE of the access's length, on "
       "the lock's server. Files are not stored: all accesses use the same bytes there, as many as "
       "the longest access has. false: sections only lock. {on: clients}: data is on the client "
       "nodes, apart from the locks."},
  });
  return keys;
}

template <class Refuse>
void check_sizes(const RangeSpec& range, const Refuse& refuse) {
  for (const std::uint64_t size : range.sizes)
    if (size > range.units)
      refuse("sizes",
             "workload.sizes has {}, and an object has {} units (workload.units); lower the size, "
             "or raise units",
             format_count(static_cast<std::int64_t>(size)),
             format_count(static_cast<std::int64_t>(range.units)));
}

template <class Refuse>
void check_length(const char* key, std::uint32_t length, const Refuse& refuse) {
  const std::uint32_t lower = length / 8 * 8;
  if (length % 8 != 0)
    refuse(key, "workload.{} is {}; expected a multiple of 8B, such as {} or {}", key,
           format_bytes(length), format_bytes(lower), format_bytes(lower + 8));
}

template <class Refuse>
void check_data(const FileSpec& file, const Refuse& refuse) {
  if (file.block_bytes > 0 && file.data != FileData::clients)
    refuse("files.data",
           "workload.files.data.block is of data on clients, which there is none of; set on: "
           "clients, or remove block");
  if (file.block_bytes % 8 != 0)
    refuse("files.data", "workload.files.data.block is {}; expected a multiple of 8B, such as {}",
           format_bytes(file.block_bytes), format_bytes(file.block_bytes / 8 * 8 + 8));
}

template <class Refuse>
void check_roles(const OltpRoles& roles, const ClientCounts& clients, const Refuse& refuse) {
  const std::uint64_t wanted = roles.clients();
  if (wanted > 0 && wanted != clients.per_node)
    refuse("files.roles",
           "workload.files.roles are of {} clients on each client node, and there are {} "
           "(clients_per_node); let these two numbers be the same",
           wanted, clients.per_node);
}

template <class Refuse>
void check_oltp(const FileSpec& file, std::uint64_t locks, const ClientCounts& clients,
                const Refuse& refuse) {
  check_roles(file.roles, clients, refuse);
  check_length("files.append_bytes", file.append_bytes, refuse);
  if (locks < 2)
    refuse("files",
           "workload.files of kind oltp are data files and a log, a lock each: set locks.count to "
           "2 or more, such as 11");
  const bool log = file.append_bytes > file.access_bytes;
  const std::uint32_t longest = log ? file.append_bytes : file.access_bytes;
  if (longest > file.file_bytes)
    refuse("files", "workload.files.{} is {}, and a file has {} (file_bytes); raise file_bytes",
           log ? "append_bytes" : "access_bytes", format_bytes(longest),
           format_bytes(file.file_bytes));
}

template <class Refuse>
void check_one_file(const FileSpec& file, std::uint64_t locks, std::uint32_t clients,
                    const Refuse& refuse) {
  const bool cube = file.pattern == FilePattern::bt_io;
  if (locks != 1)
    refuse("files",
           "workload.files of kind {} are one file, which is one lock, and locks.count is {}; set "
           "it to 1",
           cube ? "bt_io" : "hard_write", locks);
  const std::uint64_t side = side_of(clients);
  if (cube && side * side != clients)
    refuse("files",
           "workload.files of kind bt_io need a square of clients, and there are {}; the nearest "
           "are {} and {}",
           clients, side * side, (side + 1) * (side + 1));
  if (cube && side > file.grid)
    refuse("files",
           "workload.files.grid is {}, and {} clients cut each edge into {} parts; raise grid, or "
           "run fewer clients",
           file.grid, clients, side);
}

template <class Refuse>
void check_files(const Workload& workload, std::uint64_t locks, const ClientCounts& clients,
                 const Refuse& refuse) {
  const FileSpec& file = workload.file;
  check_data(file, refuse);
  if (file.pattern != FilePattern::bt_io)
    check_length("files.access_bytes", file.access_bytes, refuse);
  if (file.pattern == FilePattern::oltp) return check_oltp(file, locks, clients, refuse);
  check_one_file(file, locks, clients.all, refuse);
}

}  // namespace

Keys range_keys() {
  const auto units = number<Workload>(
      count, [](const Workload& workload) { return number_of(workload.range.units); },
      [](Workload& workload, std::int64_t value) { assign(workload.range.units, value); }, "1",
      kMostUnits);
  return rows<Workload>({
      {"units", units, "4096",
       "Units of each object. The distribution draws the left end of a range from all positions "
       "that leave room for its size; the object is drawn uniformly.",
       0, "range"},
      {"sizes", either(sizes_alone(), size_keys), "[1, 16, 256]",
       "Units of a range. Several sizes are assigned to clients in turn; with {values: [1, 16], "
       "by: operation} each section draws one.",
       0, "range"},
      {"files", nested(&Workload::file, file_keys, "kind"), "{kind: hard_write, unit: 64KiB}",
       "What clients do to files. Each file is the object of one lock; a lock without ranges "
       "acquires the whole file, which ranges_as_whole counts.",
       0, "file_io"},
  });
}

void check_ranges(const WorkloadSpec& workload, std::uint64_t locks, const ClientCounts& clients,
                  const Refusal& refusal) {
  const auto refuse = [&](const char* key, const char* pattern, const auto&... values) {
    refusal(key, fmt::format(fmt::runtime(pattern), values...));
  };
  if (workload.kind == WorkloadKind::micro) return;
  if (workload.arrivals.kind == ArrivalKind::script)
    refuse("arrivals",
           "workload.arrivals of kind script name locks, and no parts of them: use workload.kind "
           "micro, or arrivals of kind poisson");
  if (workload.kind == WorkloadKind::range) return check_sizes(workload.range, refuse);
  if (workload.kind == WorkloadKind::file_io) check_files(workload, locks, clients, refuse);
}

}  // namespace latchlab
