// SPDX-License-Identifier: MIT
#include "device/cpu/commands/capture.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace aaco {

uint32_t Capture::add_lane() {
  const std::lock_guard lock(mutex_);
  lane_sizes_.push_back(0);
  return static_cast<uint32_t>(lane_sizes_.size() - 1);
}

uint32_t Capture::add_locked(uint32_t lane, Task task, std::vector<uint32_t> after) {
  nodes_.push_back({std::move(task), lane, lane_sizes_[lane]++, std::move(after)});
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Capture::add(uint32_t lane, Task task, std::vector<uint32_t> after) {
  const std::lock_guard lock(mutex_);
  return add_locked(lane, std::move(task), std::move(after));
}

std::vector<uint32_t> Capture::add_graph(uint32_t lane, const GraphProgram& graph, const std::vector<uint32_t>& after) {
  const std::lock_guard lock(mutex_);
  std::vector<uint32_t> lane_of;
  std::vector<std::vector<uint32_t>> added(graph.lanes().size());  // by lane and place in it
  std::vector<std::pair<size_t, const LaneNode*>> in_order;
  for (const LaneNodes& nodes : graph.lanes()) {
    for (const LaneNode& node : nodes) {
      in_order.emplace_back(lane_of.size(), &node);
    }
    lane_of.push_back(lane_of.empty() ? lane : static_cast<uint32_t>(lane_sizes_.size()));
    if (lane_of.size() > 1) {
      lane_sizes_.push_back(0);
    }
  }
  std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) { return a.second->id < b.second->id; });
  for (const auto& [from, node] : in_order) {
    std::vector<uint32_t> comes_after = after;
    if (!added[from].empty()) {
      comes_after.push_back(added[from].back());
    }
    for (const LaneMark& mark : node->after) {
      comes_after.push_back(added[mark.lane][mark.nodes - 1]);
    }
    added[from].push_back(add_locked(lane_of[from], node->task, std::move(comes_after)));
  }
  std::vector<uint32_t> last = after;
  for (const auto& nodes : added) {
    if (!nodes.empty()) {
      last.push_back(nodes.back());
    }
  }
  return last;
}

void Capture::fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (outcome_) {
    outcome_ = std::move(error);
  }
}

Result<void> Capture::check_joined(const std::vector<uint32_t>& last, const OpFunctions& ops) const {
  std::vector<bool> joined(nodes_.size());
  for (const uint32_t node : last) {
    joined[node] = true;
  }
  size_t open = 0;
  size_t first_open = 0;
  for (size_t i = nodes_.size(); i-- > 0;) {  // a node comes after earlier ones only
    if (!joined[i]) {
      ++open;
      first_open = i;
      continue;
    }
    for (const uint32_t node : nodes_[i].after) {
      joined[node] = true;
    }
  }
  if (open == 0) {
    return {};
  }
  return Error{
      ErrorKind::kUsage,
      fmt::format("the capture ended while {} of its {} operations were not joined to its stream (the first: {})", open,
                  nodes_.size(), name_of(nodes_[first_open].task, ops)),
      "record an event at the end of every stream that the capture forked to, and wait for it on the first"};
}

Result<std::vector<LaneNodes>> Capture::finish(const std::vector<uint32_t>& last, const OpFunctions& ops) {
  const std::lock_guard lock(mutex_);
  active_.store(false, std::memory_order_release);
  AACO_TRY(outcome_);
  AACO_TRY(check_joined(last, ops));
  // Lanes without work need no thread; the first is always the launching stream's.
  std::vector<uint32_t> lane_of(lane_sizes_.size(), 0);
  uint32_t lanes = 1;
  for (size_t i = 1; i < lane_sizes_.size(); ++i) {
    lane_of[i] = lane_sizes_[i] > 0 ? lanes++ : 0;
  }
  std::vector<LaneNodes> result(lanes);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    LaneNode node{std::move(nodes_[i].task), static_cast<uint32_t>(i), {}};
    for (const uint32_t before : nodes_[i].after) {
      if (nodes_[before].lane != nodes_[i].lane) {
        node.after.push_back({lane_of[nodes_[before].lane], nodes_[before].place + 1});
      }
    }
    result[lane_of[nodes_[i].lane]].push_back(std::move(node));
  }
  return result;
}

}  // namespace aaco
