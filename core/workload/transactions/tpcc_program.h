#pragma once
// TPC-C's transactions by its specification (revision 5.11, clauses 2.1.6 and 2.4 to 2.8), as the
// rows that they access, in the order of the clauses. S shared, X exclusive.
//
// new_order     S warehouse, X district (any), S customer (by number), X the order, X new order;
//               for each of the order's 5 to 15 lines X stock of an item, and X the line. A line's
//               stock is another warehouse's by 1 in 100. One in a hundred orders asks for an item
//               that does not exist, in its last line: that locks nothing (and the locks before it
//               count, though the program then rolls back).
// payment       X warehouse, X district (any), X customer (by name 60, by number 40 of 100), X
//               history. The customer is of any district of another warehouse by 15 in 100.
// order_status  S customer (as above), S an order of the district, S its lines.
// delivery      district by district: X new order, X the order, X its lines, X customer (by
//               number).
// stock_level   S district (any), S lines of 20 consecutive orders, S stock of their items.
//
// The constants C of NURand are drawn from the seed. Names: the first thousand customers of a
// district have all thousand names, the others draw theirs. Of the customers with one name a
// program takes the middle one by first name, and that is any of them.
//
// Assumed, where the clauses leave it open or locks need more than a benchmark specifies:
// - Districts have the same customers of a name: they share no locks.
// - Inserted rows lock the rows that a client's counter selects, among the 3000 of the district, of
//   orders, new orders and history. A delivery or a query uses any order of the district: clients
//   exchange no information, so neither the oldest nor the newest order is known. Concurrent
//   deliveries in a district conflict at random, and more rarely than on the oldest order.
// - Orders 2 n and 2 n + 1 have 20 lines together, 5 to 15 each, every number with the same
//   probability: a district has its 30,000.
// - A delivery is one transaction for all ten districts (the clauses let it be up to ten).
// - stock_level holds all its locks to the end, though it might read what is committed.
// - Items are never changed, and need no lock.

#include <cstdint>
#include <vector>

#include "core/workload/transactions/tpcc.h"

namespace latchlab {

class TpccProgram {
 public:
  TpccProgram(const TpccHomes& homes, std::uint64_t seed);

  // Replaces the content of `touches`, in which a row may occur more than once.
  void run(TpccType type, TpccClient& client, TpccTouches& touches);

  struct Lines {
    std::uint32_t first = 0, count = 0;  // rows of order_line
  };
  Lines lines_of(std::uint32_t order) const;  // a row of orders
  // The customer that a district's programs find by this name, from 0.
  std::uint32_t customer_named(std::uint32_t name) const { return middle_[name]; }

 private:
  void new_order(TpccClient& client, TpccTouches& touches);
  void payment(TpccClient& client, TpccTouches& touches);
  void order_status(TpccClient& client, TpccTouches& touches);
  void delivery(TpccClient& client, TpccTouches& touches);
  void stock_level(TpccClient& client, TpccTouches& touches);
  void touch_lines(std::uint32_t warehouse, std::uint32_t order, LockMode mode,
                   TpccTouches& touches) const;
  std::uint32_t by_number(TpccClient& client) const;  // a customer of a district, from 0
  std::uint32_t by_name_or_number(TpccClient& client) const;
  std::uint32_t draw_item(TpccClient& client) const;

  TpccHomes homes_;
  std::uint64_t line_seed_;
  std::uint32_t c_name_, c_customer_, c_item_;  // C of NURand
  std::vector<std::uint32_t> middle_;           // a district's customer, by number of the name
  std::vector<std::uint32_t> items_;            // of stock_level; a member to reuse its memory
};

}  // namespace latchlab
