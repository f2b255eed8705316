#include "core/protocols/citron/tree.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/protocols/common/planted.h"

namespace latchlab::citron {

Tree::Tree(RemoteAddr nodes, unsigned height) : height_(height) {
  parts_.push_back({height, height, nodes});
}

bool Tree::has(const TreeNode& node) const {
  return within(node, height_);
}

std::uint64_t Tree::added_nodes(std::uint64_t height) const {
  return nodes_of_height(height) - nodes_of_height(height_);
}

void Tree::apply(const Change& change) {
  heights_.push_back(height_);
  expanded_.push_back(change.cuts() ? 0 : 1);
  if (change.cuts()) {
    former_ = parts_;
    while (parts_.size() > 1 && parts_[parts_.size() - 2].used >= change.height)
      parts_.resize(parts_.size() - 1);
    Part& last = parts_[parts_.size() - 1];
    last.used = std::min(last.used, change.height);
  } else {
    parts_.push_back({change.height, change.height, change.added});
  }
  height_ = change.height;
}

// The words before a node's are, in level order, those of the higher levels of its part's tree and
// those to its left in its level, without the nodes of the part before, which are leftmost.
RemoteAddr Tree::address_in(const std::vector<Part>& parts, const TreeNode& node) {
  std::size_t i = 0;
  while (!within(node, parts[i].used)) ++i;
  const Part& part = parts[i];
  std::uint64_t before = nodes_of_levels(part.height - node.height) + node.at;
  if (i > 0 && parts[i - 1].used >= node.height) {
    const std::uint64_t levels = parts[i - 1].used - node.height;
    before -= nodes_of_levels(levels + 1);
  }
  if (PLANTED(citron_is_one_off) && node.height < part.height) --before;
  return part.addr + 8 * before;
}

RemoteAddr Tree::address(const TreeNode& node) const {
  return address_in(has(node) ? parts_ : former_, node);
}

std::uint64_t Tree::expansions(const TreeNode& node, unsigned meet,
                               std::uint64_t generation) const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < generation; ++i) {
    if (expanded_[i] == 0) {  // a cut: a node that is added in its place later is new
      if (!within(node, height_in(i + 1))) count = 0;
    } else if (within(node, heights_[i]) && heights_[i] - node.height < meet) {
      ++count;
    }
  }
  return count;
}

SmallVector<TreeNode, 6> Tree::told(const TreeNode& node, unsigned meet) const {
  SmallVector<TreeNode, 6> nodes;
  if (node.height >= height_) return nodes;
  nodes.push_back(node.up(1));
  const std::uint64_t top = height_ - std::min<std::uint64_t>(height_, meet - 1);  // of level m
  if (PLANTED(citron_tells_no_level_of_its_own)) {
    for (std::uint64_t h = node.height + 1 + meet; h <= top; h += meet)
      nodes.push_back(node.up(h - node.height));
    return nodes;
  }
  for (std::uint64_t h = node.height + 1; h < top;) {
    const bool is_next = h + meet <= height_;
    if (!is_next) break;
    h = std::min(h + meet, top);
    nodes.push_back(node.up(h - node.height));
  }
  return nodes;
}

std::vector<Block> Tree::looked_at(const TreeNode& node, unsigned meet) const {
  std::vector<Block> blocks;
  for (std::uint64_t down = 0; down < meet && down < node.height; ++down) {
    const std::uint64_t height = node.height - down;
    std::uint64_t at = node.at << (2 * down);
    std::uint64_t left = std::uint64_t{1} << (2 * down);
    for (std::size_t i = 0; i < parts_.size() && left > 0; ++i) {
      if (parts_[i].used < height) continue;
      const std::uint64_t end = std::uint64_t{1} << (2 * (parts_[i].used - height));
      if (at >= end) continue;
      const std::uint64_t count = std::min(left, end - at);
      const TreeNode first{at, height};
      blocks.push_back({first, count, address(first)});
      at += count;
      left -= count;
    }
  }
  return blocks;
}

SmallVector<TreeNode, 6> Tree::every(const TreeNode& node, unsigned first, unsigned meet,
                                     std::uint64_t generation) const {
  SmallVector<TreeNode, 6> nodes;
  for (std::uint64_t up = first; node.height + up <= height_in(generation); up += meet)
    nodes.push_back(node.up(up));
  return nodes;
}

std::vector<TreeNode> Tree::top(unsigned meet) const {
  std::vector<TreeNode> nodes;
  for (std::uint64_t depth = 0; depth < meet && depth < height_; ++depth)
    for (std::uint64_t at = 0; at < std::uint64_t{1} << (2 * depth); ++at)
      nodes.push_back({at, height_ - depth});
  return nodes;
}

}  // namespace latchlab::citron
