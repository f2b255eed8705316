#pragma once
// N-CoSED's server part: counts the readers that have released a lock and have no writer to report
// to.

#include <memory>

#include "core/protocols/lock.h"
#include "core/protocols/n_cosed/options.h"

namespace latchlab::n_cosed {

std::unique_ptr<ServerPart> make_home(const Options& options);  // `options` outlives the result

}  // namespace latchlab::n_cosed
