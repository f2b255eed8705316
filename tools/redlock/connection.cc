#include "tools/redlock/connection.h"

#include <fmt/core.h>
#include <hiredis/hiredis.h>

#include <algorithm>

namespace latchlab::bank {

namespace {

// A Redis server that does not answer for this long counts as failed.
constexpr Duration kPatience = seconds(10);

Reply reply_of(const redisReply& from) {
  Reply reply;
  reply.missing = from.type == REDIS_REPLY_NIL;
  reply.number = from.integer;
  if (from.str != nullptr) reply.text.assign(from.str, from.len);
  for (std::size_t i = 0; from.type == REDIS_REPLY_ARRAY && i < from.elements; ++i)
    reply.parts.push_back(reply_of(*from.element[i]));
  return reply;
}

}  // namespace

void Connection::Close::operator()(redisContext* context) const {
  ::redisFree(context);
}

Error Connection::broken(const std::string& why) {
  context_.reset();
  return Error{fmt::format("Redis at 127.0.0.1:{}: {}", port_, why), {}};
}

Status Connection::open() {
  context_.reset(::redisConnectNonBlock("127.0.0.1", port_));
  if (!context_) return broken("out of memory");
  if (context_->err != 0) return broken(context_->errstr);
  return fine();
}

Task<Status> Connection::exchange(Time deadline, void** reply) {
  const Time until = std::min(deadline, place_.now() + kPatience);
  const std::string late = "no answer in time";
  for (int written = 0; written == 0;) {
    timed_out_ = !co_await place_.ready(context_->fd, false, until);
    if (timed_out_) co_return broken(late);
    if (::redisBufferWrite(context_.get(), &written) != REDIS_OK)
      co_return broken(context_->errstr);
  }
  for (;;) {
    if (::redisGetReplyFromReader(context_.get(), reply) != REDIS_OK)
      co_return broken(context_->errstr);
    if (*reply != nullptr) co_return fine();
    timed_out_ = !co_await place_.ready(context_->fd, true, until);
    if (timed_out_) co_return broken(late);
    if (::redisBufferRead(context_.get()) != REDIS_OK) co_return broken(context_->errstr);
  }
}

Task<Result<Reply>> Connection::command(std::vector<std::string> words, Time deadline) {
  timed_out_ = false;
  if (!context_ || connections_ == Connections::per_command)
    if (Status opened = open(); !opened) co_return opened.error();
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  ::redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(),
                           lengths.data());
  void* answer = nullptr;
  Status exchanged = co_await exchange(deadline, &answer);
  if (!exchanged) co_return exchanged.error();
  const std::unique_ptr<redisReply, void (*)(void*)> held(static_cast<redisReply*>(answer),
                                                          ::freeReplyObject);
  Reply reply = reply_of(*held);
  if (connections_ == Connections::per_command) context_.reset();
  if (held->type == REDIS_REPLY_ERROR)
    co_return Error{fmt::format("Redis refuses {}: {}", words.front(), reply.text), {}};
  co_return reply;
}

}  // namespace latchlab::bank
