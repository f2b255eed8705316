// libFuzzer entry: for any bytes the scenario reader returns a value or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"
#include "tests/paths.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace latchlab;
  ProtocolInfo cas;
  cas.name = "cas";
  cas.params = {choice_param("backoff", "none", {"none", "truncated_exponential"}, "backoff"),
                integer_param("tries", 1, 1, 100, "tries"),
                duration_param("lease", milliseconds(10), microseconds(1), seconds(10), "lease")};
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const DataDirs data{{LATCHLAB_SOURCE_DIR}};
  const Result<Scenario> scenario = parse_scenario({text, "fuzz.yaml", ""}, {}, {cas}, data);
  if (!scenario) return 0;
  const Result<Scenario> again =
      parse_scenario({scenario.value().resolved_yaml, "resolved.yaml", ""}, {}, {cas}, data);
  LATCHLAB_CHECK(again.ok(), "a resolved scenario must read back: " + again.error().text());
  LATCHLAB_CHECK(again.value().resolved_yaml == scenario.value().resolved_yaml,
                 "a resolved scenario must resolve to itself");
  return 0;
}
