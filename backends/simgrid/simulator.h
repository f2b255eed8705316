#pragma once
// The simulator. The path of a verb:
//
//   requester                                   responder
//   post -> (place among the QP's 16 READs and
//   atomics, fence) -> outbound port -> wire -> (order of the QP) -> inbound pipeline, one verb at
//                                               a time -> READ, WRITE: effect
//                                               atomic: window of W, FIFO -> slot by address bits
//                                               3..11, FIFO -> reads, holds, writes: effect
//                                               (pipeline -> PCIe, where the NIC's file bounds it)
//   completion  <-------------- wire <--------- reply
//
// Each leg is lengthened by a little seeded jitter; on one QP nothing overtakes. An atomic reads
// when its hold begins and writes whole words when it ends: a WRITE or CPU store in between is
// lost, as memory promises no better. WRITEs do not enter the slots, READs only where the NIC's
// file says so. docs/models.md has all stations and what is left out.
//
// Messages go through one DCI per actor, which serves one target at a time and pays for turning to
// another; a receiver without RECV answers not-ready and the sender's NIC tries again.
// Every event is ordered by (time, actor, sequence).

#include <functional>
#include <utility>
#include <vector>

#include "backends/simgrid/sim_state.h"
#include "core/world/backend.h"

namespace latchlab::sim {

class Simulator final : public Backend,
                        public HardwareFaults,
                        public CpuFaults,
                        public EventSource,
                        private SimState {
 public:
  Simulator(const WorldPlan& plan, const SimgridOptions& options);
  ~Simulator() override;

  // ---- Backend ----
  const Capabilities& capabilities() const override { return capabilities_; }
  Verbs& add_actor(ActorKind kind, NodeId node, ClientId client) override;
  void spawn(Verbs& actor, Task<void> root, Time start) override;
  void serve_calls(Verbs& server, CallHandler& handler) override;
  RunEnd run_until(Time date) override;
  void request_stop() override { stop_ = true; }
  Time true_now() const override { return now_; }
  void at(Time date, std::function<void()> action) override;
  void crash(ClientId client, CrashKind kind) override;
  void crash_node(NodeId id) override;
  HardwareFaults* hardware_faults() override { return this; }
  CpuFaults* cpu_faults() override { return this; }
  void set_link(NodeId a, NodeId b, bool up) override;
  void pause(ClientId client, Duration length) override;
  void pause_node(NodeId node, Duration length) override;
  void slow_down(ClientId client, std::int64_t factor_ppb) override;
  void disturb_clock(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb) override;
  Time local_now(NodeId node) const override;
  std::uint64_t peek(RemoteAddr word) override;
  void poke(RemoteAddr word, std::uint64_t value) override;
  Fingerprint& fingerprint() override { return fingerprint_; }
  std::uint64_t events() const override { return events_; }
  VerbCensus census() const override { return census_; }
  void reset_stats() override;
  void announce_clients(std::function<void(ClientId)> f) override { announce_ = std::move(f); }
  NicStats busiest_server() const override;
  CpuStats busiest_cpu() const override;
  std::size_t slots_in_use() const;  // operations and waits that nobody has given back

  // ---- EventSource ----
  bool has_next() override;
  std::int64_t next_ps() override { return queue_.next().time_ps; }
  std::int64_t end_ps() const override { return over() ? -1 : limit_.ps; }
  bool next_touches_flows() override { return queue_.next().kind() == EventKind::flow; }
  void drain(std::int64_t limit_ps, std::int64_t clock_ps) override;
  void flow_done(void* who, std::int64_t date_ps) override;

  // ---- for actors ----
  SimOperation& take_operation();
  void recycle(SimOperation& op);
  void start(SimActor& actor, SimOperation& first);
  void start_sleep(SimActor& actor, Duration length, std::coroutine_handle<> waiter);
  SimWait& take_wait();
  void recycle_wait(SimWait& wait) { waits_.give(wait); }
  void start_wait(SimActor& actor, SimWait& wait);
  EndpointAddr open_endpoint(SimActor& actor, std::uint32_t recv_depth, Transport transport);
  void reply(const PendingCall& pending, const Reply& reply);
  Membership membership() const { return {membership_version_, &alive_}; }

 private:
  // simulator.cc: events, actors
  bool over() const { return stop_ || (any_client_ && live_clients_ == 0); }
  void handle(const Event& event);
  void prepare_for(const Event& next) const;
  void prepare_for(const SimActor& actor, std::coroutine_handle<> waiter) const;
  void prepare_for(const SimActor& actor, const SimWait& wait) const;
  static void note_frames(SimWait& wait);
  bool crowded() const { return clients_.size() > kCachedClients; }
  void push(Time date, std::uint32_t actor, EventKind kind, void* subject);
  void resume(SimActor& actor, std::coroutine_handle<> handle);
  void begin(SimActor& actor);
  void start_root(SimActor& actor);
  void finish_operation(SimOperation& op);
  void hand_over(SimActor& actor, SimOperation& first);
  Node& node(NodeId id) { return nodes_[id.value - 1u]; }
  const Node& node(NodeId id) const { return nodes_[id.value - 1u]; }
  const NicModel& nic_of(NodeId id) const { return *node(id).nic->model; }
  // Without a wire: at home, or behind the same RNIC.
  bool loops_back(NodeId a, NodeId b) const {
    return a == b || (shared_nics_ && node(a).nic == node(b).nic);
  }
  SimActor& owner(const SimOperation& op) const { return static_cast<SimActor&>(*op.owner); }

  // sim_crashes.cc
  void kill(SimActor& actor, CrashKind kind);
  void kill_node(Node& dead);

  // sim_verbs.cc: one-sided verbs
  void post_verb(SimActor& actor, SimOperation& op, Time date);
  bool may_leave(const Qp& qp, const SimOperation& op) const;
  void leave(SimOperation& op, Time date);
  static NodeId responder(const SimOperation& op);
  void arrive(SimOperation& op);
  void execute(SimOperation& op, Time alone);
  Duration serve_time(const SimOperation& op) const;
  void enter_pipeline(SimOperation& op, Time alone);
  void served(SimOperation& op);
  void unstall(Qp& qp);
  void answer(SimOperation& op, Duration extra);
  void complete_verb(SimOperation& op);
  void fail_verb(SimOperation& op, VerbStatus status);
  Qp& qp_of(SimActor& actor, NodeId to);
  Duration wire(NodeId from, NodeId to) const;
  Duration jitter(const NicModel& sender);
  Time depart(NodeId from, NodeId to, Time date, std::uint32_t bytes);
  void note_first(SimOperation& op);
  void note_effect(SimOperation& op);
  void release_held(Qp& qp);
  bool cut_off(const SimOperation& op) const { return owner(op).evicted; }

  // sim_memory.cc
  bool valid(const SimOperation& op) const;
  bool local_valid(const SimOperation& op) const;
  VerbStatus refusal(const SimOperation& op) const;
  void pick_up_words(SimOperation& op);
  void move_words(SimOperation& op);
  void put_down_words(SimOperation& op);

  // sim_bulk.cc: long payloads
  bool is_bulk(const SimOperation& op) const;
  NodeId bulk_source(const SimOperation& op) const;
  NodeId bulk_target(const SimOperation& op) const;
  void send_bulk(SimOperation& op, Time date);
  bool answers_in_bulk(SimOperation& op, Time date);
  void await_bulk(SimOperation& op, Time date);
  void push_bulk_event(SimOperation& op, Time date);
  void bulk_event(SimOperation& op);
  void watch_port(SharedPort& port);
  void port_done(SharedPort& port);
  void bulk_done(SimOperation& op);
  void release_answers(Qp& qp);
  void stop_bulk();
  void take_off(SimOperation& op);
  void give_up_bulk(SimOperation& op);

  // sim_links.cc: links that are down
  bool cut(NodeId a, NodeId b) const { return cuts_ > 0 && path_down(a, b); }
  bool path_down(NodeId a, NodeId b) const;
  enum class Lost { request, answer };
  void lose(Qp& qp, Lost what, SimOperation& op, Duration wait);
  bool request_lost(SimOperation& op);
  bool answer_lost(SimOperation& op);
  void resend(Qp& qp);
  void fail_lost(Qp& qp, const std::vector<SimOperation*>& done,
                 const std::vector<SimOperation*>& again);
  void rewind(Qp& qp, const std::vector<SimOperation*>& again);
  bool message_lost(SimOperation& op);
  bool message_answer_lost(SimOperation& op);
  void send_again(SimOperation& op);
  // sim_nic.cc: what of an RNIC goes beyond ports, pipeline and slots
  void set_up_nic(Node& made, const NodePlan& plan, const NicModel& model);
  void set_up_clock(Node& made, const ClockSpec& clocks);
  void share_qps(SimActor& actor);
  void count_qp(NodeId at);
  Duration at_rate_of(const Nic& nic, Duration alone) const;
  Time cross_pcie(const SimOperation& op, NodeId to, Time date);
  bool on_device(const SimOperation& op) const;
  Duration fetch_time(const NicModel& nic, SimOperation& op);
  Duration cache_miss(SimOperation& op);
  void stamp(Message& message, const Node& receiver) const;

  // sim_cores.cc: cores that actors share, pauses, slow CPUs
  void place_on_core(SimActor& actor);
  void place_on_server(SimActor& actor);
  Core& own_core(SimActor& actor);
  Duration cpu_time(const SimActor& actor, Duration length) const;
  Time work(SimActor& actor, Duration length);
  void queue_completion(const SimOperation& op, SimOperation& first);
  void queue_for_core(const Ready& ready);
  void hold_core(SimActor& actor, SimOperation& op);
  bool has_work(Core& core);
  void run_core(Core& core);
  void go_on(const Ready& ready);
  void pause_actor(SimActor& actor, Duration length);
  void end_pause(SimActor& actor);

  // sim_atomics.cc
  bool uses_slot(const Verb& verb) const;
  void admit(SimOperation& op);
  void enter_slot(SimOperation& op);
  void take_slot(SimOperation& op, AtomicSlot& slot);
  void slot_taken(SimOperation& op, AtomicSlot& slot);
  void leave_slot(AtomicSlot& slot);
  void leave_window(Nic& nic);
  void write_back(SimOperation& op);
  void begin_hold(SimOperation& op);
  void slot_done(SimOperation& op);
  AtomicSlot& slot_of(Nic& nic, RemoteAddr addr);
  Duration hold_of(const NicModel& nic, const SimOperation& op, bool match) const;
  AtomicSlot* second_slot_of(Nic& nic, const SimOperation& op);

  // sim_messages.cc
  void post_send(SimActor& actor, SimOperation& op, Time date);
  Time message_arrival(const SimOperation& op, Time date);
  void message_arrives(SimOperation& op);
  void post_datagram(SimOperation& op, Time date);
  bool happens(std::int64_t share_ppb);
  void pump_sends(SimActor& actor);
  void transmit(SimOperation& op, Time date);
  void deliver(SimOperation& op);
  void take_message(SimOperation& op, Endpoint& endpoint);
  void not_ready(SimOperation& op, Transport transport);
  void fail_send(SimOperation& op, VerbStatus status);
  Duration way_back(const SimOperation& op) const;
  Duration no_answer(const SimOperation& op) const {
    const NicModel& nic = owner(op).nic;
    return nic.ack_timeout * (nic.ack_retries + 1);
  }
  void answer_send(SimOperation& op, Time date);
  void acknowledge(SimOperation& op, Duration extra);
  void send_complete(SimOperation& op);
  void initiator_heard(const SimOperation& op);
  void count_end(const SimOperation& op);
  const Endpoint* find_endpoint(EndpointAddr addr) const;
  Endpoint* find_endpoint(EndpointAddr addr);

  // sim_connections.cc
  Qp& connection(const SimActor& actor, EndpointAddr to);
  void post_connected(const SimActor& actor, SimOperation& op, Time date);
  void leave_connected(SimOperation& op, Time date);
  void release_connection(Qp& qp);
  bool out_of_turn(SimOperation& op);
  void connection_heard(const SimOperation& op);

  // sim_calls.cc
  void post_call(SimActor& actor, SimOperation& op, Time date);
  void call_arrived(SimOperation& op);
  void call_up(SimOperation& op);
  void fail_call(SimOperation& op, VerbStatus status);
  void drop_calls(NodeId server);
  void call_complete(SimOperation& op);
  void set_deadline(SimOperation& op);
  void call_deadline(CallTimer& timer);
  void clock_moved(const Node& here);

  // sim_waits.cc: waits at home
  bool try_satisfy(SimActor& actor, SimWait& wait);
  void satisfied(SimActor& actor, SimWait& wait, Duration until_seen);
  void arm_timer(SimActor& actor, SimWait& wait);
  void timer(SimWait& wait);
  void woken(SimWait& wait);
  void check_messages(SimActor& actor);
  void word_changed(NodeId node, std::uint64_t offset);
  void membership_changed(const std::vector<ClientId>& gone);

  // sim_local.cc: CPU, clocks, services
  void post_local(SimActor& actor, SimOperation& op);
  void local_done(SimOperation& op);
  void wake_up(SimSleep& sleep);
  void end_sleep(SimSleep& sleep);
  void access_memory(SimOperation& op);
  void load_words(SimOperation& op);
  void do_evict(SimOperation& op);
  Time true_date_of(const Node& node, Time local) const;
  Duration true_length_of(const Node& node, Duration local) const;
  static std::int64_t rate_q60(std::int64_t drift_ppb);
};

}  // namespace latchlab::sim
