#include "core/protocols/interval_tree/tree.h"

#include <algorithm>

#include "core/protocols/common/planted.h"

namespace latchlab::interval_tree {

// ---- shape ----

void IntervalTree::update(Node& node) {
  node.height = 1 + std::max(height(node.left), height(node.right));
  node.reach = node.span.last;
  if (node.left && !PLANTED(interval_tree_forgets_what_the_left_reaches))
    node.reach = std::max(node.reach, node.left->reach);
  if (node.right) node.reach = std::max(node.reach, node.right->reach);
}

// Rotates: the child `up` takes the place of the topmost node, which becomes its child `down`.
void IntervalTree::turn(Owner& top, Owner Node::*up, Owner Node::*down) {
  Owner rises = std::move((*top).*up);
  (*top).*up = std::move((*rises).*down);
  update(*top);
  (*rises).*down = std::move(top);
  top = std::move(rises);
  update(*top);
}

void IntervalTree::balance(Owner& top) {
  update(*top);
  const std::uint64_t left = height(top->left);
  const std::uint64_t right = height(top->right);
  if (left > right + 1) {
    if (height(top->left->left) < height(top->left->right))
      turn(top->left, &Node::right, &Node::left);
    turn(top, &Node::left, &Node::right);
  } else if (right > left + 1) {
    if (height(top->right->right) < height(top->right->left))
      turn(top->right, &Node::left, &Node::right);
    turn(top, &Node::right, &Node::left);
  }
}

IntervalTree::Owner IntervalTree::take_least(Owner& top) {
  if (top->left) {
    Owner least = take_least(top->left);
    balance(top);
    return least;
  }
  Owner least = std::move(top);
  top = std::move(least->right);
  return least;
}

// ---- changes and searches ----

void IntervalTree::insert(const Span& span, const Asker& who) {
  insert(root_, span, who);
}

void IntervalTree::insert(Owner& top, const Span& span, const Asker& who) {
  ++steps_;
  if (!top) {
    top = std::make_unique<Node>(Node{.span = span, .reach = span.last, .sharing = {who}});
    return;
  }
  if (span == top->span) return top->sharing.push_back(who);
  insert(span < top->span ? top->left : top->right, span, who);
  balance(top);
}

bool IntervalTree::erase(const Span& span, const Asker& who) {
  return erase(root_, span, who);
}

bool IntervalTree::erase(Owner& top, const Span& span, const Asker& who) {
  if (!top) return false;
  ++steps_;
  if (span != top->span) {
    if (!erase(span < top->span ? top->left : top->right, span, who)) return false;
    balance(top);
    return true;
  }
  const auto found = std::find(top->sharing.begin(), top->sharing.end(), who);
  if (found == top->sharing.end()) return false;
  top->sharing.erase(found);
  if (!top->sharing.empty()) return true;
  if (!top->right) {
    Owner left = std::move(top->left);
    top = std::move(left);
    return true;
  }
  Owner next = take_least(top->right);
  next->left = std::move(top->left);
  next->right = std::move(top->right);
  top = std::move(next);
  balance(top);
  return true;
}

std::vector<const IntervalTree::Sharing*> IntervalTree::meeting(const Span& span) {
  std::vector<const Sharing*> found;
  search(root_.get(), span, found);
  return found;
}

void IntervalTree::search(const Node* node, const Span& span, std::vector<const Sharing*>& found) {
  if (node == nullptr) return;
  ++steps_;
  if (node->reach < span.first) return;
  search(node->left.get(), span, found);
  if (node->span.first > span.last) return;
  const bool ends_before = PLANTED(interval_tree_leaves_out_the_last_unit)
                               ? node->span.last <= span.first
                               : node->span.last < span.first;
  if (!ends_before) found.push_back(&node->sharing);
  search(node->right.get(), span, found);
}

// ---- for tests ----

bool IntervalTree::sound(const Node* node) {
  if (node == nullptr) return true;
  std::uint64_t reach = node->span.last;
  for (const Owner* side : {&node->left, &node->right})
    if (*side) reach = std::max(reach, (*side)->reach);
  const std::uint64_t left = height(node->left);
  const std::uint64_t right = height(node->right);
  const bool in_order = (!node->left || node->left->span < node->span) &&
                        (!node->right || node->span < node->right->span);
  return in_order && reach == node->reach && std::max(left, right) - std::min(left, right) <= 1 &&
         node->height == 1 + std::max(left, right) && !node->sharing.empty() &&
         sound(node->left.get()) && sound(node->right.get());
}

}  // namespace latchlab::interval_tree
