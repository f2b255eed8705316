#pragma once
// How a lock describes itself, with each fact stated once. Its parameters are members of an options
// struct, named in a table from which come their declarations, the reading of their values and the
// docs.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/split.h"
#include "core/protocols/lock.h"

namespace latchlab {

// One parameter: {name, &Options::member, allowed values, help}. Its default is that of Options{}.
template <class Options>
struct Param {
  ParamSpec spec;
  std::function<void(Options&, const ParamValue&)> assign;

  template <class Of>
  Param(const char* name, bool Of::*member, const char* help)
      : spec(boolean_param(name, Options{}.*member, help)),
        assign([member](Options& to, const ParamValue& value) {
          to.*member = std::get<bool>(value);
        }) {}

  template <class Of>
  Param(const char* name, Duration Of::*member, Duration min, Duration max, const char* help)
      : spec(duration_param(name, Options{}.*member, min, max, help)),
        assign([member](Options& to, const ParamValue& value) {
          to.*member = std::get<Duration>(value);
        }) {}

  template <class Number, class Of>
  Param(const char* name, Number Of::*member, std::int64_t min, std::int64_t max, const char* help)
      : spec(integer_param(name, static_cast<std::int64_t>(Options{}.*member), min, max, help)),
        assign([member](Options& to, const ParamValue& value) {
          to.*member = static_cast<Number>(std::get<std::int64_t>(value));
        }) {}

  // A bool or an enum. The n-th of the choices "one|another", from 0, stands for the value n.
  template <class Choice, class Of>
  Param(const char* name, Choice Of::*member, std::string_view choices, const char* help)
      : spec(choice_param(name, {}, split(choices, '|'), help)),
        assign([member, all = spec.choices](Options& to, const ParamValue& value) {
          const auto found = std::find(all.begin(), all.end(), std::get<std::string>(value));
          to.*member = static_cast<Choice>(found - all.begin());
        }) {
    spec.fallback = spec.choices.at(static_cast<std::size_t>(Options{}.*member));
  }
};

template <class Options>
using Params = std::vector<Param<Options>>;

template <class Options>
Options options_from(const Params<Options>& params, const ParamSet& values) {
  Options options;
  for (const Param<Options>& param : params)
    param.assign(options, values.values().at(param.spec.name));
  if constexpr (requires { options.derive(); }) options.derive();  // values that depend on others
  return options;
}

template <class Options>
struct Description {
  std::string name = {};
  std::string summary = {};
  std::string source = {};
  bool shared_mode = false;  // these seven as in ProtocolInfo
  bool update_mode = false;
  bool ranges = false;
  std::string fairness = {};
  std::string handover = {};
  std::string survives = {};
  Costs costs = {};
  Params<Options> params = {};
  std::vector<Profile> profiles = {};
  std::vector<std::string> printed = {};  // as in ProtocolInfo
  ParamValues small_model = {};           // ProtocolEntry::small_model
  // As in ProtocolInfo.
  Claims (*claims)(const Options&) = nullptr;
  Duration (*adaptation_period)(const Options&) = nullptr;
  Duration (*longest_timeout)(const Options&) = nullptr;
  Duration (*longest_grant)(const Options&) = nullptr;
  Duration (*longest_shared_grant)(const Options&) = nullptr;
  std::string (*contradiction)(const Options&) = nullptr;
};

// `Lock` is a Protocol that can be made from `const Lock::Options&`.
template <class Lock>
ProtocolEntry make_entry(const Description<typename Lock::Options>& lock) {
  const auto options = [params = lock.params](const ParamSet& values) {
    return options_from(params, values);
  };
  const auto on_values = [&](auto function) {
    using Result = decltype(function(typename Lock::Options{}));
    std::function<Result(const ParamSet&)> made;
    if (function)
      made = [options, function](const ParamSet& values) { return function(options(values)); };
    return made;
  };
  ProtocolEntry entry;
  entry.info = {.name = lock.name,
                .summary = lock.summary,
                .source = lock.source,
                .shared_mode = lock.shared_mode,
                .update_mode = lock.update_mode,
                .ranges = lock.ranges,
                .fairness = lock.fairness,
                .handover = lock.handover,
                .survives = lock.survives,
                .printed = lock.printed,
                .claims = on_values(lock.claims),
                .costs = lock.costs,
                .profiles = lock.profiles,
                .adaptation_period = on_values(lock.adaptation_period),
                .longest_timeout = on_values(lock.longest_timeout),
                .longest_grant = on_values(lock.longest_grant),
                .longest_shared_grant = on_values(lock.longest_shared_grant),
                .contradiction = on_values(lock.contradiction)};
  for (const auto& param : lock.params) entry.info.params.push_back(param.spec);
  const auto entry_bytes = [](const typename Lock::Options& made) {
    return Lock(made).layout(Shape{}).entry_bytes;
  };
  entry.info.entry_bytes = entry_bytes(typename Lock::Options{});
  entry.info.entry_bytes_of = on_values(+entry_bytes);
  entry.small_model = lock.small_model;
  entry.make = [options](const ParamSet& values) -> std::unique_ptr<Protocol> {
    return std::make_unique<Lock>(options(values));
  };
  return entry;
}

// A protocol whose clients are made from its options and their ClientEnv.
template <class LockOptions, class Client>
class ProtocolOf : public Protocol {
 public:
  using Options = LockOptions;
  explicit ProtocolOf(const Options& options) : options_(options) {}
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    return std::make_unique<Client>(options_, env);
  }

 protected:
  const Options options_;
};

}  // namespace latchlab
