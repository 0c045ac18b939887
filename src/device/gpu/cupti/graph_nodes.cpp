// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/graph_nodes.h"

namespace aaco::gpu {

void GraphNodes::create(uint64_t node, const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto known = nodes_.find(node); known != nodes_.end()) {
    known->second.origin = Origin::kAmbiguous;
    return;
  }
  if (nodes_.size() >= kMostNodes) {
    return;
  }
  Node node_state;
  if (!path.empty()) {
    const auto [place, is_new] = numbers_.try_emplace(path, static_cast<uint32_t>(paths_.size()));
    if (is_new) {
      paths_.push_back(&place->first);
    }
    node_state.path = place->second;
  }
  nodes_.emplace(node, node_state);
}

void GraphNodes::clone(uint64_t node, uint64_t original) {
  const std::lock_guard lock(mutex_);
  const auto source = nodes_.find(original);
  const auto known = nodes_.find(node);
  const bool is_ambiguous = source != nodes_.end() && source->second.origin == Origin::kAmbiguous;
  if (known != nodes_.end() && known->second.origin != Origin::kCreated) {
    if (known->second.original != original || is_ambiguous) {
      known->second.origin = Origin::kAmbiguous;
    }
    return;
  }
  if (source == nodes_.end()) {  // captured before: what is said of the clone is not where
    nodes_.erase(node);
    return;
  }
  const Node copy{
      .origin = is_ambiguous ? Origin::kAmbiguous : Origin::kCloned, .path = source->second.path, .original = original};
  if (known != nodes_.end()) {
    known->second = copy;
  } else if (nodes_.size() < kMostNodes) {
    nodes_.emplace(node, copy);
  }
}

void GraphNodes::update(uint64_t node) {
  const std::lock_guard lock(mutex_);
  if (const auto known = nodes_.find(node); known != nodes_.end()) {
    known->second.origin = Origin::kAmbiguous;
  }
}

uint32_t GraphNodes::count_kernel(uint64_t node) {
  const std::lock_guard lock(mutex_);
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) {
    ++counts_.unseen;
  } else if (known->second.origin == Origin::kAmbiguous) {
    ++counts_.ambiguous;
  } else if (known->second.path == kNoPath) {
    ++counts_.outside;
  } else {
    ++counts_.named;
    return known->second.path;
  }
  return kNoPath;
}

std::string GraphNodes::path(uint32_t number) {
  const std::lock_guard lock(mutex_);
  return *paths_[number];
}

GraphKernelCounts GraphNodes::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void GraphNodes::reset_counts() {
  const std::lock_guard lock(mutex_);
  counts_ = {};
}

void GraphNodes::forget() {
  const std::lock_guard lock(mutex_);
  nodes_.clear();
}

GraphNodes& graph_nodes() {
  static auto* const the_nodes = new GraphNodes;
  return *the_nodes;
}

}  // namespace aaco::gpu
