// Task, when_all, Event: in which order they run, and what their destruction destroys.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/coro/event.h"
#include "core/coro/task.h"
#include "core/coro/when_all.h"

namespace latchlab {
namespace {

// A place to suspend that the test resumes.
struct Gate {
  std::coroutine_handle<> waiting;
  auto operator co_await() {
    struct Awaiter {
      Gate* gate;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiter) const { gate->waiting = waiter; }
      void await_resume() const noexcept {}
    };
    return Awaiter{this};
  }
  void open() { std::exchange(waiting, {}).resume(); }
};

Task<int> answer(Gate& gate, int value) {
  co_await gate;
  co_return value;
}

Task<void> sum_of_two(Gate& first, Gate& second, int& sum) {
  Task<int> one = answer(first, 1);
  sum += co_await one;
  Task<int> two = answer(second, 2);
  sum += co_await two;
}

TEST(Task, nothing_runs_before_the_start_and_awaited_tasks_run_in_turn) {
  Gate first;
  Gate second;
  int sum = 0;
  Task<void> task = sum_of_two(first, second, sum);
  EXPECT_FALSE(first.waiting);
  task.start();
  EXPECT_TRUE(first.waiting);
  EXPECT_FALSE(second.waiting);
  first.open();
  EXPECT_EQ(sum, 1);
  EXPECT_FALSE(task.done());
  second.open();
  EXPECT_EQ(sum, 3);
  EXPECT_TRUE(task.done());
}

Task<std::unique_ptr<std::string>> make_text() {
  co_return std::make_unique<std::string>("moved");
}

TEST(Task, result_may_be_a_type_that_only_moves) {
  Task<std::unique_ptr<std::string>> task = make_text();
  task.start();
  EXPECT_EQ(*task.take_result(), "moved");
}

struct Witness {
  explicit Witness(int& count) : count_(count) { ++count_; }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() { --count_; }
  int& count_;
};

Task<void> inner(Gate& gate, int& alive) {
  const Witness witness(alive);
  co_await gate;
  ADD_FAILURE() << "ran on after its destruction";
}
Task<void> outer(Gate& gate, int& alive) {
  const Witness witness(alive);
  Task<void> task = inner(gate, alive);
  co_await task;
}

TEST(Task, destroying_a_suspended_task_destroys_the_chain_below) {
  Gate gate;
  int alive = 0;
  Task<void> task = outer(gate, alive);
  task.start();
  EXPECT_EQ(alive, 2);
  task.reset();
  EXPECT_EQ(alive, 0);
}

Task<int> plus_one(Task<int> below) {
  const int value = co_await below;
  co_return value + 1;
}
Task<int> zero() {
  co_return 0;
}

// Without symmetric transfer a chain that ends at once would use the stack of every level twice.
TEST(Task, long_chains_of_tasks_unwind) {
  Task<int> task = zero();
  for (int i = 0; i < 1000; ++i) task = plus_one(std::move(task));
  task.start();
  EXPECT_EQ(task.take_result(), 1000);
}

TEST(WhenAll, continues_when_the_last_task_has_ended) {
  Gate first;
  Gate second;
  std::vector<Task<int>> tasks;
  tasks.push_back(answer(first, 10));
  tasks.push_back(answer(second, 20));
  Task<void> both = when_all(tasks);
  both.start();
  EXPECT_TRUE(first.waiting && second.waiting) << "tasks run side by side";
  second.open();
  EXPECT_FALSE(both.done());
  first.open();
  ASSERT_TRUE(both.done());
  EXPECT_EQ(tasks[0].take_result(), 10);
  EXPECT_EQ(tasks[1].take_result(), 20);
}

TEST(WhenAll, tasks_that_end_at_once_and_an_empty_list_work) {
  std::vector<Task<int>> tasks;
  Task<void> nothing = when_all(tasks);
  nothing.start();
  EXPECT_TRUE(nothing.done());
  tasks.push_back(zero());
  tasks.push_back(zero());
  Task<void> both = when_all(tasks);
  both.start();
  EXPECT_TRUE(both.done());
}

TEST(WhenAll, can_be_destroyed_while_it_waits) {
  Gate gate;
  int alive = 0;
  std::vector<Task<void>> tasks;
  tasks.push_back(outer(gate, alive));
  Task<void> all = when_all(tasks);
  all.start();
  all.reset();
  tasks.clear();
  EXPECT_EQ(alive, 0);
}

Task<void> wait_for(Event& event, std::string name, std::string& order) {
  co_await event;
  order += name;
}

TEST(Event, resumes_its_waiters_in_their_order_and_stays_set) {
  Event event;
  std::string order;
  Task<void> a = wait_for(event, "a", order);
  Task<void> b = wait_for(event, "b", order);
  a.start();
  b.start();
  EXPECT_EQ(order, "");
  event.set();
  EXPECT_EQ(order, "ab");
  Task<void> c = wait_for(event, "c", order);
  c.start();
  EXPECT_EQ(order, "abc");
  event.reset();
  Task<void> d = wait_for(event, "d", order);
  d.start();
  EXPECT_FALSE(d.done());
}

}  // namespace
}  // namespace latchlab
