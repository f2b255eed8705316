#include "tools/soft-mlx5/config.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/soft-mlx5/bits.h"

namespace soft_mlx5 {

namespace {

std::uint64_t number(const std::string& text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != 0) die("SOFT_MLX5 has no number where it says %s", text.c_str());
  return value;
}

void set(Config& config, const std::string& key, const std::string& value) {
  const auto rate = [&value] { return static_cast<std::uint32_t>(number(value)); };
  if (key == "link" && (value == "roce" || value == "ib"))
    config.infiniband = value == "ib";
  else if (key == "nodes")
    config.nodes = static_cast<int>(number(value));
  else if (key == "seed")
    config.seed = number(value);
  else if (key == "dir")
    config.directory = value;
  else if (key == "rnr")
    config.rnr = rate();
  else if (key == "flush")
    config.flush = rate();
  else if (key == "retry")
    config.retry = rate();
  else if (key == "loss")
    config.loss = rate();
  else if (key == "dct")
    config.dct = rate();
  else if (key == "no-masks")
    config.no_masks = true;
  else if (key == "swapped-reply")
    config.swapped_reply = true;
  else if (key == "no-extended")
    config.no_extended = true;
  else if (key == "other-driver")
    config.other_driver = true;
  else if (key == "no-srq")
    config.no_srq = true;
  else if (key == "no-atomics")
    config.no_atomics = true;
  else if (key == "ipv6")
    config.ipv6 = true;
  else if (key == "grh")
    config.needs_grh = true;
  else if (key == "rd-atomic")
    config.rd_atomic = rate();
  else if (key == "log")
    config.log = true;
  else
    die("SOFT_MLX5 says %s=%s, which means nothing", key.c_str(), value.c_str());
}

Config parse() {
  Config config;
  const char* const given = std::getenv("SOFT_MLX5");
  std::string text = given != nullptr ? given : "";
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string item = text.substr(0, comma);
    text = comma == std::string::npos ? "" : text.substr(comma + 1);
    const std::size_t equals = item.find('=');
    set(config, item.substr(0, equals), equals == std::string::npos ? "" : item.substr(equals + 1));
  }
  return config;
}

// Must agree with what tools/soft-mlx5/run writes.
std::vector<Gid> make_gids() {
  std::vector<Gid> all;
  const auto add_guid = [&all](std::uint64_t guid) {
    Gid gid = {0xfe, 0x80};
    store_be64(gid.data() + 8, guid);
    all.push_back(gid);
  };
  if (config().infiniband) {
    for (int i = 0; i < config().nodes; ++i) add_guid(kGuid + static_cast<std::uint64_t>(i));
    return all;
  }
  add_guid(kGuid);  // RoCE v1
  add_guid(kGuid);  // RoCE v2
  for (int i = 1; i <= config().nodes; ++i) {
    Gid gid = {};
    if (config().ipv6) {
      gid = {0xfd, 0x93, 0, 1};
    } else {
      gid[10] = gid[11] = 0xff;
      gid[12] = 10;
      gid[13] = 77;
    }
    gid[15] = static_cast<std::uint8_t>(i);
    all.push_back(gid);
  }
  return all;
}

}  // namespace

const Config& config() {
  static const Config* const parsed = new Config(parse());
  return *parsed;
}

const std::vector<Gid>& gids() {
  static const auto* const all = new std::vector<Gid>(make_gids());
  return *all;
}

// ---- faults ----

namespace {

std::uint64_t next_random() {  // splitmix64
  static std::uint64_t state = config().seed;
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint32_t millionths(Fault fault) {
  switch (fault) {
    case Fault::rnr:
      return config().rnr;
    case Fault::flush:
      return config().flush;
    case Fault::retry:
      return config().retry;
    case Fault::loss:
      return config().loss;
    case Fault::dct:
      return config().dct;
  }
  return 0;
}

}  // namespace

bool draw(Fault fault) {
  const std::uint32_t rate = millionths(fault);
  if (rate == 0 || next_random() % 1'000'000 >= rate) return false;
  static constexpr const char* kNames[] = {"RNR NAK", "flush", "no answer", "lost packet",
                                           "dead DCT"};
  if (config().log) std::fprintf(stderr, "soft-mlx5: fault: %s\n", kNames[static_cast<int>(fault)]);
  return true;
}

}  // namespace soft_mlx5
