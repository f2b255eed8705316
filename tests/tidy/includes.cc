// Which folder may include which, and where vendor headers may be used.

#include <optional>
#include <string>
#include <vector>

#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace {

using Paths = std::vector<std::string>;

struct Layer {
  std::string folder;
  Paths may_include;  // prefixes; the folder's own files are always allowed
};

// The first layer whose folder holds the file decides. Other tools and tests may include
// everything.
const std::vector<Layer>& layers() {
  static const Paths plain = {"core/base/"};
  // The part of core/verbs that locks may use; the rest is for backends and wrappers.
  static const Paths for_locks = {"core/base/",           "core/coro/",
                                  "core/verbs/verb.h",    "core/verbs/verbs.h",
                                  "core/verbs/message.h", "core/verbs/wait.h",
                                  "core/verbs/phases.h",  "core/verbs/capabilities.h",
                                  "core/verbs/batch.h"};
  static const Paths beside_the_seam = {"core/base/",
                                        "core/coro/",
                                        "core/verbs/",
                                        "core/workload/",
                                        "core/measure/",
                                        "core/checks/",
                                        "core/protocols/lock.h",
                                        "core/scenario/scenario.h",
                                        "core/scenario/file_io.h",
                                        "core/scenario/index.h"};
  static const std::vector<Layer> table = {
      {"core/base/", {}},
      {"core/coro/", plain},
      {"core/verbs/", {"core/base/", "core/coro/"}},
      {"core/protocols/", for_locks},
      {"core/workload/", beside_the_seam},
      {"core/measure/", beside_the_seam},
      {"core/checks/", beside_the_seam},
      {"core/scenario/", plain},
      {"core/launch/", plain},
      {"core/world/",
       {"core/base/", "core/coro/", "core/verbs/", "core/scenario/", "core/workload/",
        "core/protocols/"}},
      {"core/run/",
       {"core/base/", "core/coro/", "core/verbs/", "core/scenario/", "core/workload/",
        "core/protocols/", "core/measure/", "core/checks/", "core/world/"}},
      {"core/conclude/", {"core/"}},
      {"models/", {"core/"}},
      {"tools/report/", {"core/"}},
      {"backends/",
       {"core/base/", "core/coro/", "core/verbs/", "core/scenario/nic.h",
        "core/scenario/node_hardware.h", "core/scenario/topology.h", "core/world/backend.h",
        "core/world/effects.h"}},
  };
  return table;
}

struct Vendor {
  std::string name;
  Paths headers;  // prefixes
  Paths folders;  // which may include these headers
  bool sources_only = true;
};

const std::vector<Vendor>& vendors() {
  static const Paths above = {"tools/", "tests/"};
  static const std::vector<Vendor> table = {
      {"yaml-cpp", {"yaml-cpp/"}, {"core/scenario/"}},
      {"SimGrid", {"simgrid/", "xbt/"}, {"backends/simgrid/", "tools/benchmarks/"}},
      {"libibverbs",
       {"infiniband/", "rdma/"},
       {"backends/ibverbs/", "tools/soft-mlx5/", "tests/soft_mlx5/",
        "tests/hardware/timestamps_test.cc"}},
      {"CLI11", {"CLI/"}, {"tools/latchlab/cli/"}, false},
      {"Eigen", {"Eigen/"}, {"models/"}},
      {"nlohmann-json", {"nlohmann/"}, {"core/base/json.h"}, false},
      {"fmt",
       {"fmt/"},
       {"core/verbs/", "core/workload/", "core/measure/", "core/checks/", "core/scenario/",
        "core/launch/", "core/run/", "core/conclude/", "backends/", "models/", "tools/", "tests/"}},
      {"hiredis", {"hiredis/"}, {"tools/redlock/"}},
      {"MPI", {"mpi.h"}, {"core/launch/"}},
      {"OpenSSL", {"openssl/"}, {"core/launch/", "tests/launch/"}},
      {"GoogleTest", {"gtest/", "gmock/"}, {"tests/"}, false},
      // core/base/secret.cc: sys/random.h, whose getrandom asks the kernel for a secret.
      {"the operating system",
       {"sys/", "unistd.h", "fcntl.h", "poll.h", "signal.h", "spawn.h", "malloc.h", "ucontext.h",
        "dlfcn.h", "sanitizer/", "netdb.h", "netinet/", "sched.h", "time.h"},
       {"core/base/secret.cc", "core/coro/frame_pool.cc", "core/launch/", "core/run/",
        "core/conclude/output.cc", "backends/", "tools/", "tests/"}},
      // backends/ibverbs/port.cc: arpa/inet.h turns addresses into text and back; it opens no
      // socket.
      {"the network",
       {"arpa/", "endian.h", "linux/netlink.h"},
       {"backends/ibverbs/port.cc", "tools/soft-mlx5/", "tests/soft_mlx5/"}},
  };
  return table;
}

struct Include {
  std::string path;
  bool quoted = false;
};

std::optional<Include> parse_include(const std::string& line) {
  static const std::string directive = "#include ";
  if (line.rfind(directive, 0) != 0) return std::nullopt;
  const char open = line.size() > directive.size() ? line[directive.size()] : ' ';
  if (open != '"' && open != '<') return std::nullopt;
  const std::size_t begin = directive.size() + 1;
  const std::size_t end = line.find(open == '"' ? '"' : '>', begin);
  if (end == std::string::npos) return std::nullopt;
  return Include{line.substr(begin, end - begin), open == '"'};
}

bool is_standard(const std::string& header) {
  return header.find_first_of("./") == header.npos;
}

const Layer* layer_of(const std::string& path) {
  for (const Layer& layer : layers())
    if (path.rfind(layer.folder, 0) == 0) return &layer;
  return nullptr;
}

std::string joined(const Paths& paths) {
  std::string all;
  for (const std::string& path : paths) all += (all.empty() ? "" : ", ") + path;
  return all;
}

// Empty: the include is allowed.
std::string why_not_ours(const SourceFile& file, const std::string& target) {
  if (!begins_with_any(target, {"core/", "backends/", "models/", "tools/", "tests/"}))
    return "includes of ours are written from the root";
  const Layer* layer = layer_of(file.path);
  if (layer == nullptr || begins_with_any(target, layer->may_include)) return "";
  if (layer->folder != "backends/")
    return target.rfind(layer->folder, 0) == 0
               ? ""
               : layer->folder + " may include only itself and " + joined(layer->may_include);
  const std::string own = child_folder(file.path, "backends");
  return child_folder(target, "backends") == own
             ? ""
             : "backends/" + own + "/ may include only itself and " + joined(layer->may_include);
}

std::string why_not_vendor(const SourceFile& file, const std::string& header) {
  if (is_standard(header)) return "";
  for (const Vendor& vendor : vendors()) {
    if (!begins_with_any(header, vendor.headers)) continue;
    if (!begins_with_any(file.path, vendor.folders))
      return "headers of " + vendor.name + " may stand only in " + joined(vendor.folders);
    // Headers of tests are not installed.
    const bool in_tests = begins_with_any(file.path, {"tests/"});
    if (vendor.sources_only && file.is_header() && !in_tests)
      return "headers of " + vendor.name + " may stand only in .cc files";
    return "";
  }
  return "this vendor's headers are not in the table of tests/tidy/includes.cc";
}

}  // namespace

Findings check_includes(const SourceFile& file) {
  Findings findings;
  if (!file.is_cpp()) return findings;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::optional<Include> include = parse_include(file.lines[i]);
    if (!include) continue;
    const std::string why =
        include->quoted ? why_not_ours(file, include->path) : why_not_vendor(file, include->path);
    if (!why.empty())
      findings.push_back({file.path, i + 1, "includes " + include->path + ", but " + why,
                          "move the code to a layer that may, or pass what it needs as data"});
  }
  return findings;
}

Findings check_installed(const std::vector<SourceFile>& tree) {
  static const std::string manifest = "cmake/install.cmake";
  std::string installs;
  for (const SourceFile& file : tree)
    if (file.path == manifest)
      for (const std::string& line : file.lines) installs += line + ' ';
  const auto is_installed = [&](const std::string& path) {
    return installs.find(' ' + path + ' ') != installs.npos;
  };
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.is_header() || !begins_with_any(file.path, {"tests/"}) || !is_installed(file.path))
      continue;
    int conditions = 0;  // a header of a build that has what is not installed
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (file.lines[i].rfind("#if", 0) == 0) ++conditions;
      if (file.lines[i].rfind("#endif", 0) == 0) --conditions;
      const std::optional<Include> include = parse_include(file.lines[i]);
      if (conditions == 0 && include && include->path.rfind("tests/", 0) == 0 &&
          !is_installed(include->path))
        findings.push_back({file.path, i + 1,
                            "is installed and includes " + include->path + ", which is not",
                            "add that header to " + manifest});
    }
  }
  return findings;
}

}  // namespace latchlab::tidy
