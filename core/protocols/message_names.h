#pragma once
// Names of a lock's messages and of the requests of its calls, for tracing and reports. A protocol
// that sends any may also derive from MessageNames; without it they are shown by number.

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "core/protocols/lock.h"

namespace latchlab {

class MessageNames {
 public:
  virtual ~MessageNames() = default;
  // By Message::type and Request::type; empty: there is no such type.
  virtual std::string_view message_name(std::uint64_t /*type*/) const { return {}; }
  virtual std::string_view request_name(std::uint64_t /*type*/) const { return {}; }
};

// For types that are numbered from 1.
inline std::string_view name_in(std::initializer_list<std::string_view> names, std::uint64_t type) {
  return type >= 1 && type <= names.size() ? names.begin()[type - 1] : std::string_view();
}

// Null: the protocol has no names.
inline const MessageNames* message_names_of(const Protocol& protocol) {
  return dynamic_cast<const MessageNames*>(&protocol);
}

}  // namespace latchlab
