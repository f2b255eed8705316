// One actor per client and one for the server, each with a mailbox. The server receives a request,
// performs the compare-and-swap and replies. Its service takes no simulated time, which saves
// SimGrid the events of a queueing server.

#include "tools/benchmarks/plain_program.h"

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tools/benchmarks/simgrid_engine.h"

namespace sg4 = simgrid::s4u;

namespace latchlab::bench {

namespace {

constexpr std::uint64_t kMessageBytes = 16;
constexpr double kPicosecond = 1e-12;

struct Request {
  sg4::Mailbox* reply_to;
  std::uint64_t lock;
  std::uint64_t expected;
  std::uint64_t desired;
  std::uint64_t found;  // the reply
};

class Program {
 public:
  explicit Program(const PlainProgram& program) : program_(program), locks_(program.locks) {}

  Sample run() {
    sg4::Engine& engine = make_simgrid_engine();
    make_star();
    server_ = sg4::Mailbox::by_name("server");
    sg4::Actor::create("server", hosts_[0], [this] { serve(); });
    for (std::uint32_t i = 0; i < program_.client_nodes * program_.clients_per_node; ++i)
      sg4::Actor::create("client", hosts_[1 + i / program_.clients_per_node],
                         [this, i] { spend_a_life(i); });
    engine.run();
    return sample_;
  }

 private:
  // Same platform as Latchlab's backend: each route has the NIC's one-way latency and rate.
  void make_star() {
    sg4::NetZone* zone = sg4::create_star_zone("fabric");
    const double half_latency = static_cast<double>(program_.nic.one_way.ps) * kPicosecond / 2;
    const double bytes_per_s = static_cast<double>(program_.nic.link_bits_per_s) / 8;
    for (std::uint32_t i = 0; i <= program_.client_nodes; ++i) {
      const std::string name = "node-" + std::to_string(i);
      sg4::Host* host = zone->create_host(name, 1e9);
      const auto* link = zone->create_split_duplex_link(name + "-port", bytes_per_s)
                             ->set_latency(half_latency)
                             ->seal();
      const sg4::LinkInRoute in_route{link, sg4::LinkInRoute::Direction::UP};
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {in_route}, true);
      host->seal();
      hosts_.push_back(host);
    }
    zone->seal();
  }

  void serve() {
    server_->set_receiver(sg4::Actor::self());  // requests travel while the server is busy
    while (answered_ < program_.warm_up_verbs + program_.verbs) {
      if (answered_++ == program_.warm_up_verbs) before_ns_ = process_cpu_ns();
      auto* request = server_->get<Request>();
      std::uint64_t& word = locks_[request->lock];
      request->found = word;
      if (word == request->expected) word = request->desired;
      request->reply_to->put_init(request, kMessageBytes)->detach();
    }
    sample_.cpu_ns = process_cpu_ns() - before_ns_;
    sample_.verbs = static_cast<double>(program_.verbs);
    sample_.resident_bytes = process_resident_bytes();
    sg4::Actor::kill_all();
  }

  void spend_a_life(std::uint32_t client) {
    sg4::Mailbox* mine = sg4::Mailbox::by_name("client-" + std::to_string(client));
    Rng keys(1, client, StreamPurpose::keys);
    for (;;) {
      const std::uint64_t lock = keys.below(program_.locks);
      const std::uint64_t me = client + 1;
      while (compare_swap(mine, lock, 0, me) != 0) {
      }
      compare_swap(mine, lock, me, 0);
    }
  }

  std::uint64_t compare_swap(sg4::Mailbox* mine, std::uint64_t lock, std::uint64_t expected,
                             std::uint64_t desired) {
    Request request{mine, lock, expected, desired, 0};
    server_->put(&request, kMessageBytes);
    return mine->get<Request>()->found;
  }

  const PlainProgram& program_;
  std::vector<std::uint64_t> locks_;
  std::vector<sg4::Host*> hosts_;  // the first is the server's
  sg4::Mailbox* server_ = nullptr;
  std::uint64_t answered_ = 0;
  double before_ns_ = 0;
  Sample sample_;
};

}  // namespace

Sample measure_plain_program(const PlainProgram& program) {
  return Program(program).run();
}

}  // namespace latchlab::bench
