#pragma once
// What a node knows of servers that fail and come back: in which of their lives its clients may use
// locks there, and which questions are open about locks of earlier lives.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace latchlab::cql {

class Servers {
 public:
  struct Question {
    EndpointAddr to;  // null: none
    NodeId server;
    std::uint32_t life = 0;
    constexpr bool operator==(const Question&) const = default;
  };

  explicit Servers(std::uint32_t servers) : all_(servers) {}

  bool any_returned() const { return any_returned_; }
  std::uint32_t known(NodeId server) const { return all_[server.value - 1].known; }
  // The server is known to be in this life.
  void is_in(NodeId server, std::uint32_t life) {
    std::uint32_t& known = all_[server.value - 1].known;
    known = std::max(known, life);
    any_returned_ = any_returned_ || known > 0;
  }
  // All nodes have answered that their clients use no locks of earlier lives.
  void met(NodeId server, std::uint32_t life) {
    std::uint32_t& met = all_[server.value - 1].met;
    met = std::max(met, life);
  }
  bool may_use(NodeId server, std::uint32_t life) const {
    const Server& it = all_[server.value - 1];
    return it.known == life && it.met == life;
  }
  // No client of this node uses a lock of a life before the one that the node knows.
  void left(NodeId server) { all_[server.value - 1].left = known(server); }
  bool has_left(NodeId server) const { return all_[server.value - 1].left == known(server); }

  // The same question asked again counts once.
  void ask(const Question& question) {
    is_in(question.server, question.life);
    if (std::find(questions_.begin(), questions_.end(), question) == questions_.end())
      questions_.push_back(question);
  }
  void answered(const Question& question) { std::erase(questions_, question); }
  const std::vector<Question>& questions() const { return questions_; }

 private:
  struct Server {
    std::uint32_t known = 0;  // the latest life heard of
    std::uint32_t met = 0;    // the latest life in which locks may be used
    std::uint32_t left = 0;   // `known` when no client of the node used a lock of an older life
  };
  std::vector<Server> all_;
  std::vector<Question> questions_;
  bool any_returned_ = false;
};

}  // namespace latchlab::cql
