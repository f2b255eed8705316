#include <algorithm>

#include "backends/ibverbs/ibverbs_backend.h"
#include "core/base/json.h"
#include "core/protocols/registry.h"
#include "tools/latchlab/hardware/hardware.h"

namespace latchlab::tool {

namespace {}  // namespace

std::string write_job(const NodeJob& job) {
  Json json;
  json["scenario"] = job.scenario;
  json["point"] = job.point;
  json["repeat"] = job.repeat;
  json["workers"] = job.workers;
  json["server_workers"] = job.server_workers;
  json["agents"] = job.software_atomics;
  json["dc"] = job.dc;
  json["path"] = {job.path.pkey, job.path.sl, job.path.traffic_class};
  return dump_json(json);
}

Result<NodeJob> read_job(const std::string& text) {
  const Json json = parse_json(text);
  const auto has = [&json](const char* key, auto is) {
    return json.is_object() && json.contains(key) && (json[key].*is)();
  };
  if (!has("scenario", &Json::is_string) || !has("point", &Json::is_number_unsigned) ||
      !has("repeat", &Json::is_number_unsigned) || !has("workers", &Json::is_number_unsigned) ||
      !has("server_workers", &Json::is_number_unsigned) || !has("agents", &Json::is_boolean) ||
      !has("dc", &Json::is_boolean) || !has("path", &Json::is_array) || json["path"].size() != 3 ||
      !std::all_of(json["path"].begin(), json["path"].end(),
                   [](const Json& number) { return number.is_number_unsigned(); }))
    return Error{"the coordinator has sent a job that this program does not understand", {}};
  NodeJob job;
  job.scenario = json["scenario"].get<std::string>();
  job.point = json["point"].get<std::uint64_t>();
  job.repeat = json["repeat"].get<std::uint32_t>();
  job.workers = std::clamp(json["workers"].get<std::uint32_t>(), 1U, 254U);
  job.server_workers = std::clamp(json["server_workers"].get<std::uint32_t>(), 1U, 254U);
  job.software_atomics = json["agents"].get<bool>();
  job.dc = json["dc"].get<bool>();
  job.path = {json["path"][0].get<std::uint16_t>(), json["path"][1].get<std::uint8_t>(),
              json["path"][2].get<std::uint8_t>()};
  return job;
}

bool needs_software_atomics(const Point& point, const NativeAtomics& native) {
  const ProtocolEntry* const entry = find_protocol(point.protocol.name);
  if (entry == nullptr) return false;
  return latchlab::needs_software_atomics(entry->make(point.protocol.params)->needs(), native);
}

}  // namespace latchlab::tool
