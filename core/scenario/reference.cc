#include "core/scenario/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/scenario/nic_constants.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr const char* kHead = R"(# Scenario reference

Written by `latchlab schema --markdown`; do not edit. Every key that a scenario may have, with its
default. Terms are explained in [the glossary](glossary.md), and `latchlab explain NAME` says the
same about each key on the terminal.

Values carry units: durations `ps ns us ms s`, sizes `B KiB MiB GiB kB MB GB`, counts `k M G`
(decimal), ratios `40%`, `0.4`, `100ppm` or `ppb`, bit rates `kbps Mbps Gbps Tbps`. A key that is
unknown or written twice is an error that suggests the nearest one. The resolved scenario, every
default visible, is written with each run.

## An editor that knows it

```
latchlab schema > scenario.schema.json
```

prints this page as a JSON Schema, with which editors complete keys, show what they mean and
underline mistakes. In Visual Studio Code with the YAML extension (and in every editor that uses
yaml-language-server) a first line tells where it is, relative to the scenario:

```yaml
# yaml-language-server: $schema=scenario.schema.json
schema: 1
```

or, for all scenarios of a folder, in its `.vscode/settings.json`:

```json
{"yaml.schemas": {"./scenario.schema.json": "scenarios/**/*.yaml"}}
```

`latchlab schema --nic` does the same for the files under `models/nics`. The schema knows keys,
units and words; `latchlab check` knows everything, such as whether 10M locks fit into a NIC's
memory.
)";

constexpr const char* kAboutFactors = R"(
### Factors

`platform: {nic: {base: connectx-6, scale: {atomics: 4x}}}` asks what if without naming each
constant: a group touches every width and place of a kind. **A factor multiplies what its name
says.** `atomics` are so many per second, so that `4x` divides their times by 4; `latency` is a
time, and `2x` doubles it; a single constant is the number in its file, so that `atomic.window: 2x`
doubles the window and `atomic.same_address: 2x` the time that an atomic holds its slot. (Were every
factor a speed, nobody could guess what `atomic.window: 2x` or `latency: 0.5x` does.) 0 stays 0,
which mostly means: none.

Factors come after the values beside them, and on top of what the base says; a constant that its
group scales is not scaled alone as well. `--set platform.nic.scale.atomics=4x` does the same to
whatever the scenario has, and so does a sweep of `platform.nic.scale.atomics: [1x, 2x, 4x]`. In the
resolved scenario such a constant is `overridden`, and `scaled: 341ns by atomics 4x` says by what.

| group | what a factor multiplies | `4x` | constants |
|---|---|---|---|
)";

std::string in_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

void add_table_head(std::string& page) {
  page += "\n| key | allowed | default | meaning |\n|---|---|---|---|\n";
}

std::string default_of(const ScenarioKey& key) {
  if (!key.supported) return "not in this build";
  return key.required ? "required" : code(key.fallback);
}

void add_row(std::string& page, const ScenarioKey& key, const std::string& shown) {
  std::string says = key.says;
  const std::vector<std::string>& when = key.when;
  if (!when.empty()) says = fmt::format("({}) {}", joined(when), says);
  if (key.example != key.fallback && key.supported && key.kind != KeyKind::choice)
    says += " Example: " + code(key.example);
  page += fmt::format("| `{}` | {} | {} | {} |\n", shown, in_cell(allowed_values(key)),
                      in_cell(default_of(key)), in_cell(says));
}

void add_sections(std::string& page) {
  page += "\n## At the top\n";
  add_table_head(page);
  for (const ScenarioKey& key : scenario_keys())
    if (key.mapping().empty()) add_row(page, key, key.path);
  for (const std::string& section : keys_of("")) {
    const auto below = [&](const ScenarioKey& key) {
      return key.path.starts_with(section + ".") || key.path.starts_with(section + "[]");
    };
    if (std::none_of(scenario_keys().begin(), scenario_keys().end(), below)) continue;
    page += fmt::format("\n## {}\n\n{}\n", section, find_scenario_keys(section).front()->says);
    page += fmt::format("Example: `{}: {}`\n", section, find_scenario_keys(section)[0]->example);
    add_table_head(page);
    for (const ScenarioKey& key : scenario_keys())
      if (below(key)) add_row(page, key, key.path);
  }
}

void add_protocol(std::string& page, const ProtocolInfo& info) {
  page += fmt::format("\n### {}\n\n{}. Source: {}.\n\n", info.name, info.summary, info.source);
  for (const Profile& profile : info.profiles)
    page += fmt::format("- `profile: {}`{}: {}\n", profile.name,
                        &profile == &info.profiles.front() ? " (default)" : "", profile.source);
  add_table_head(page);
  for (const ParamSpec& param : info.params) add_row(page, key_of(param), param.name);
}

void add_nic(std::string& page) {
  page +=
      "\n## Constants of a NIC\n\nIn files under `models/nics`, each with value, source and "
      "status; in a scenario\n`platform: {nic: {base: connectx-5, atomic.window: 48}}` replaces "
      "some, and a sweep varies\n`platform.nic.atomic.window`. `docs/models.md` says what they "
      "do.\n\n| constant | allowed | meaning |\n|---|---|---|\n";
  for (const NicConstant& constant : nic_constants()) {
    page += fmt::format("| `{}` | {} | {} |\n", constant.key(),
                        in_cell(allowed_values(constant.as_key)), in_cell(constant.as_key.says));
  }
  page += kAboutFactors;
  for (const NicGroup& group : nic_groups()) {
    std::string keys;
    for (const std::string& key : group.keys) keys += (keys.empty() ? "" : ", ") + code(key);
    page += fmt::format("| `{}` | {} | {} | {} |\n", group.name, in_cell(group.says),
                        group.per_second ? "times divided by 4" : "multiplied by 4", keys);
  }
}

}  // namespace

std::string allowed_values(const ScenarioKey& key) {
  std::string words;
  if (!key.choices.empty())
    words = fmt::format("{}", fmt::join(key.choices, " | "));
  else if (!key.min.empty() && key.min == key.max)
    words = key.min;
  else if (!key.min.empty() && !key.max.empty())
    words = fmt::format("{}, {} to {}", name_of(key.kind), key.min, key.max);
  else if (!key.min.empty())
    words = fmt::format("{}, at least {}", name_of(key.kind), key.min);
  else
    words = name_of(key.kind);
  if (!key.automatic.empty()) words += " | " + key.automatic;
  return words + (key.nullable && key.supported ? ", or null" : "");
}

std::string scenario_reference(const std::vector<ProtocolInfo>& protocols) {
  std::string page = kHead;
  add_sections(page);
  page += "\n## Parameters of each lock\n\nBeside `protocol.name`.\n";
  for (const ProtocolInfo& info : protocols) add_protocol(page, info);
  add_nic(page);
  return page;
}

}  // namespace latchlab
