#pragma once
// Forwards every event of the client loop. A wrapper overrides the functions that it observes, and
// calls those of this class to forward them, too.

#include "core/workload/client_loop.h"

namespace latchlab {

class ForwardingObserver : public LoopObserver {
 public:
  void cycle_begins(ClientId client) override { inner(client).cycle_begins(client); }
  void arrived(ClientId client, Duration ago) override { inner(client).arrived(client, ago); }
  void acquire_begins(ClientId client, const Want& want) override {
    inner(client).acquire_begins(client, want);
  }
  void acquire_aborted(ClientId client, const Want& want, AbortReason reason) override {
    inner(client).acquire_aborted(client, want, reason);
  }
  void acquired(ClientId client, const Grant& grant) override {
    inner(client).acquired(client, grant);
  }
  void upgrade_begins(ClientId client, const Grant& grant) override {
    inner(client).upgrade_begins(client, grant);
  }
  void upgraded(ClientId client, const Grant& grant) override {
    inner(client).upgraded(client, grant);
  }
  void upgrade_aborted(ClientId client, const Grant& grant, AbortReason reason) override {
    inner(client).upgrade_aborted(client, grant, reason);
  }
  void extended(ClientId client, const Grant& grant) override {
    inner(client).extended(client, grant);
  }
  void release_begins(ClientId client, const Grant& grant) override {
    inner(client).release_begins(client, grant);
  }
  void released(ClientId client, const Grant& grant, ReleaseResult result) override {
    inner(client).released(client, grant, result);
  }
  void release_skipped(ClientId client, const Grant& grant) override {
    inner(client).release_skipped(client, grant);
  }
  void section_cut(ClientId client) override { inner(client).section_cut(client); }
  void transferred(ClientId client, std::uint32_t bytes) override {
    inner(client).transferred(client, bytes);
  }
  void transaction_done(ClientId client) override { inner(client).transaction_done(client); }
  void transaction_given_back(ClientId client) override {
    inner(client).transaction_given_back(client);
  }

 protected:
  // The observer to which the events of a client are forwarded.
  virtual LoopObserver& inner(ClientId client) = 0;
};

}  // namespace latchlab
