#include "core/scenario/nic_values.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/scenario/map_reader.h"
#include "core/scenario/quantities.h"
#include "core/scenario/scenario.h"

namespace latchlab {
namespace {

constexpr Duration kLongest = seconds(100);
constexpr std::int64_t kMostCount = 65'536;
constexpr std::int64_t kMostQps = 100'000'000;
constexpr std::int64_t kWholePpb = 1'000'000'000;
constexpr std::int64_t kFewestPpb = 1'000;  // a rate of one millionth

template <class T>
T parsed(const Result<T>& result, const YamlNode& value, const std::string& path) {
  if (!result) reject(value.place, path + ": " + result.error().message);
  return result.value();
}

std::int64_t read_number(const NicConstant& constant, const YamlNode& value) {
  const std::string path = constant.key();
  switch (constant.unit) {
    case NicUnit::time:
      return read_duration(value, path, Duration{0}, kLongest).ps;
    case NicUnit::count:
      return read_count(value, path, constant.min, kMostCount);
    case NicUnit::bytes:
      return static_cast<std::int64_t>(
          parsed(parse_bytes(scalar(value, path, "a size such as 256KiB")), value, path));
    case NicUnit::bit_rate: {
      const std::int64_t rate =
          parsed(parse_bit_rate(scalar(value, path, "a rate such as 100Gbps")), value, path);
      if (rate < constant.min) reject(value.place, path + " is 0; expected a rate such as 100Gbps");
      return rate;
    }
    case NicUnit::curve:
      break;
  }
  return read_ratio_ppb(value, path, kFewestPpb, kWholePpb);
}

std::vector<RatePoint> read_curve(const NicConstant& constant, const YamlNode& value) {
  const std::string path = constant.key();
  const auto refuse = [&](const YamlNode& at, const std::string& problem) {
    reject(at.place, path + problem +
                         "; expected points [QPs, relative rate] such as [[450, 1], [3000, 0.5]]");
  };
  if (!value.is_sequence()) refuse(value, fmt::format(" holds {}", kind_name(value)));
  std::vector<RatePoint> curve;
  for (const YamlNode& item : value.items) {
    if (!item.is_sequence() || item.items.size() != 2)
      refuse(item, " has an entry that is not a pair");
    const RatePoint point{read_count(item.items[0], path, 1, kMostQps),
                          read_ratio_ppb(item.items[1], path, kFewestPpb, kWholePpb)};
    if (curve.empty() && point.rate_ppb != kWholePpb) refuse(item, " does not begin at rate 1");
    if (!curve.empty() && point.qps <= curve.back().qps) refuse(item, " does not ascend in QPs");
    curve.push_back(point);
  }
  return curve;
}

YamlNode literal(std::string text, std::string json) {
  YamlNode node = yaml_text(std::move(text));
  node.json = std::move(json);
  return node;
}

YamlNode write_curve(const std::vector<RatePoint>& curve) {
  YamlNode list = yaml_sequence();
  for (const RatePoint& point : curve) {
    YamlNode pair = yaml_sequence();
    const std::string rate = format_decimal(point.rate_ppb);
    pair.items = {literal(fmt::format("{}", point.qps), fmt::format("{}", point.qps)),
                  literal(rate, rate)};
    list.items.push_back(std::move(pair));
  }
  return list;
}

}  // namespace

std::int64_t read_nic_value(const NicConstant& constant, const YamlNode& value, NicModel& nic) {
  if (const auto* field = std::get_if<std::vector<RatePoint> NicModel::*>(&constant.field)) {
    std::vector<RatePoint>& curve = nic.*(*field);
    curve = read_curve(constant, value);
    return curve.empty() ? kWholePpb : curve.back().rate_ppb;
  }
  const std::int64_t number = read_number(constant, value);
  if (const auto* time = std::get_if<Duration NicModel::*>(&constant.field))
    nic.*(*time) = Duration{number};
  else
    nic.*std::get<std::int64_t NicModel::*>(constant.field) = number;
  return number;
}

std::int64_t read_nic_bound(const NicConstant& constant, const YamlNode& value) {
  return read_number(constant, value);
}

YamlNode write_nic_value(const NicModel& nic, const NicConstant& constant) {
  if (const auto* time = std::get_if<Duration NicModel::*>(&constant.field))
    return yaml_text(format_duration(nic.*(*time)));
  if (const auto* curve = std::get_if<std::vector<RatePoint> NicModel::*>(&constant.field))
    return write_curve(nic.*(*curve));
  const std::int64_t number = nic.*std::get<std::int64_t NicModel::*>(constant.field);
  if (constant.unit == NicUnit::bit_rate) return yaml_text(format_bit_rate(number));
  if (constant.unit == NicUnit::bytes)
    return literal(format_bytes(static_cast<std::uint64_t>(number)), fmt::format("{}", number));
  return literal(format_count(number), fmt::format("{}", number));
}

}  // namespace latchlab
