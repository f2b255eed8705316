#pragma once
// N-CoSED's server part: counts the readers that have left a lock on which no writer can be told.

#include <memory>

#include "core/protocols/lock.h"
#include "core/protocols/n_cosed/options.h"

namespace latchlab::n_cosed {

std::unique_ptr<ServerPart> make_home(const Options& options);  // which outlive it

}  // namespace latchlab::n_cosed
