#include "core/protocols/sherman_nh/sherman_nh.h"

#include "core/protocols/sherman/client.h"

namespace latchlab {
namespace {

struct ShermanNhOptions : sherman::Options {
  ShermanNhOptions() { local_queue = false; }
};

}  // namespace

ProtocolEntry sherman_nh_entry() {
  using Options = ShermanNhOptions;
  Description<Options> lock = sherman::describe<Options>();
  lock.name = "sherman_nh";
  lock.summary = "sherman without handover: every client acquires the global lock";
  lock.source = "DecLock (arXiv 2505.17641) Fig. 17, its Sherman-NH; reconstructed";
  lock.fairness = "none";
  lock.handover = "by chance: the first CAS to arrive";
  lock.params.push_back(
      {"local_queue", &Options::local_queue,
       "clients of a node queue locally first (DecLock artifact: no; Deft: yes)"});
  lock.profiles = {{"declock_artifact", "DecLock artifact, its Sherman-NH: no local locks"},
                   {"no_handover",
                    "Deft, by Sherman's authors: local queues, and no handover",
                    {{"local_queue", true}}}};
  return make_entry<sherman::NodeLock<Options, sherman::ShermanNh>>(lock);
}

}  // namespace latchlab
