#include "core/protocols/maple_tree/b_tree.h"

#include <algorithm>
#include <iterator>

#include "core/protocols/common/planted.h"

namespace latchlab::maple_tree {

using range_server::Asker;
using range_server::Held;
using range_server::Span;

namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}
// Removes the elements from `at` on, and returns them.
template <class T>
std::vector<T> tail_of(std::vector<T>& from, std::size_t at) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<T> tail(std::make_move_iterator(begin), std::make_move_iterator(from.end()));
  from.erase(begin, from.end());
  return tail;
}

// The first range that begins beyond this unit.
auto beyond(const std::vector<Held>& held, std::uint64_t unit) {
  return std::upper_bound(
      held.begin(), held.end(), unit,
      [](std::uint64_t first, const Held& each) { return first < each.span.first; });
}

}  // namespace

// The last child that begins at this unit or before; the first one, if all begin later.
std::size_t RangeTree::Node::child_of(std::uint64_t unit) const {
  const auto after = std::upper_bound(lows.begin(), lows.end(), unit);
  return after == lows.begin() ? 0 : static_cast<std::size_t>(after - lows.begin()) - 1;
}

// Of the ranges in the tree, only two can overlap the span: the last one that begins at the span's
// first unit or before, and the one after it.
const Held* RangeTree::meets(const Span& span) {
  const Node* node = root_.get();
  const Node* next = nullptr;  // the subtree of the ranges after this leaf's
  for (step(); !node->leaf(); step()) {
    const std::size_t child = node->child_of(span.first);
    if (child + 1 < node->size()) next = node->children[child + 1].get();
    node = node->children[child].get();
  }
  const auto after = beyond(node->held, span.first);
  if (after != node->held.begin() && !PLANTED(maple_tree_overlooks_the_range_before)) {
    const Held& before = *std::prev(after);
    if (before.span.last >= span.first) return &before;
  }
  if (after != node->held.end()) return after->span.first <= span.last ? &*after : nullptr;
  if (next == nullptr || next->low() > span.last) return nullptr;
  for (step(); !next->leaf(); step()) next = next->children.front().get();
  return &next->held.front();
}

std::optional<Asker> RangeTree::try_insert(const Held& held) {
  if (const Held* const there = meets(held.span)) return there->who;
  if (Owner right = insert(*root_, held)) {
    auto root = std::make_unique<Node>();
    root->lows = {root_->low(), right->low()};
    root->children.push_back(std::move(root_));
    root->children.push_back(std::move(right));
    root_ = std::move(root);
    step();
  }
  return std::nullopt;
}

// Returns the part that does not fit, as a node to the right of this one, or null.
RangeTree::Owner RangeTree::insert(Node& node, const Held& held) {
  if (node.leaf()) {
    node.held.insert(beyond(node.held, held.span.first), held);
    return node.size() > node.room() ? split(node) : nullptr;
  }
  const std::size_t child = node.child_of(held.span.first);
  Owner right = insert(*node.children[child], held);
  node.lows[child] = node.children[child]->low();
  if (!right) return nullptr;
  const auto at = static_cast<std::ptrdiff_t>(child) + 1;
  node.lows.insert(node.lows.begin() + at, right->low());
  node.children.insert(node.children.begin() + at, std::move(right));
  return node.size() > node.room() ? split(node) : nullptr;
}

RangeTree::Owner RangeTree::split(Node& node) {
  step();
  const std::size_t half = node.size() / 2;
  auto right = std::make_unique<Node>();
  if (node.leaf()) {
    right->held = tail_of(node.held, half);
  } else {
    right->lows = tail_of(node.lows, half);
    right->children = tail_of(node.children, half);
  }
  return right;
}

bool RangeTree::erase(const Held& held) {
  const bool found = erase(*root_, held);
  if (!root_->leaf() && root_->size() == 1) {
    Owner only = std::move(root_->children.front());
    root_ = std::move(only);
  }
  return found;
}

bool RangeTree::erase(Node& node, const Held& held) {
  step();
  if (node.leaf()) {
    const auto after = beyond(node.held, held.span.first);
    if (after == node.held.begin() || std::prev(after)->who != held.who) return false;
    const bool first = PLANTED(maple_tree_erases_the_first);
    node.held.erase(first ? node.held.begin() : std::prev(after));
    return true;
  }
  const std::size_t child = node.child_of(held.span.first);
  if (!erase(*node.children[child], held)) return false;
  const Node& below = *node.children[child];
  if (below.size() > 0) node.lows[child] = below.low();
  if (below.size() < below.room() / 2) even_out(node, child);
  return true;
}

// Balances a child with its left neighbour, or the first one with its right neighbour: into one
// node if both fit, else into two equally full ones.
void RangeTree::even_out(Node& parent, std::size_t child) {
  step();
  const std::size_t left = child > 0 ? child - 1 : child;
  Node& to = *parent.children[left];
  Node& from = *parent.children[left + 1];
  append(to.held, from.held);
  append(to.lows, from.lows);
  append(to.children, from.children);
  parent.lows[left] = to.low();
  if (to.size() > to.room()) {
    parent.children[left + 1] = split(to);
    parent.lows[left + 1] = parent.children[left + 1]->low();
    return;
  }
  const auto at = static_cast<std::ptrdiff_t>(left) + 1;
  parent.lows.erase(parent.lows.begin() + at);
  parent.children.erase(parent.children.begin() + at);
}

// ---- for tests ----

void RangeTree::collect(const Node& node, std::vector<Held>& all) {
  all.insert(all.end(), node.held.begin(), node.held.end());
  for (const Owner& child : node.children) collect(*child, all);
}

std::vector<Held> RangeTree::all() const {
  std::vector<Held> found;
  collect(*root_, found);
  return found;
}

std::size_t RangeTree::depth() const {
  std::size_t levels = 1;
  for (const Node* node = root_.get(); !node->leaf(); node = node->children.front().get()) ++levels;
  return levels;
}

bool RangeTree::sound(const Node& node, std::size_t depth, bool root) {
  const bool at_bottom = depth == 1;
  if (node.leaf() != at_bottom || node.size() > node.room()) return false;
  if (!root && node.size() < node.room() / 2) return false;
  if (node.leaf()) return node.lows.empty();
  if (!node.held.empty() || node.lows.size() != node.size() || (root && node.size() < 2))
    return false;
  for (std::size_t i = 0; i < node.size(); ++i)
    if (!sound(*node.children[i], depth - 1, false) || node.lows[i] != node.children[i]->low())
      return false;
  return true;
}

bool RangeTree::sound() const {
  const std::vector<Held> found = all();
  for (std::size_t i = 0; i + 1 < found.size(); ++i)
    if (found[i].span.last >= found[i + 1].span.first) return false;
  return sound(*root_, depth(), true);
}

}  // namespace latchlab::maple_tree
