#pragma once
// ShiftLock's server part (3.6): resets a lock whose RelCnt has not changed for three leases, once
// per era.

#include <memory>

#include "core/protocols/lock.h"
#include "core/protocols/shiftlock/switches.h"

namespace latchlab::shiftlock {

inline constexpr std::uint64_t kServerBytes = 8;  // the era

std::unique_ptr<ServerPart> make_server_part(const Switches& on, const ServerEnv& env);

}  // namespace latchlab::shiftlock
