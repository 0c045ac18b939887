// SPDX-License-Identifier: MIT
#include "workload/command_ranges.h"

#include <algorithm>

namespace aaco {

void CommandRanges::add(const std::string& outer, const std::string& inner) {
  places_.push_back({number_of(outer), number_of(inner)});
}

int32_t CommandRanges::number_of(const std::string& name) {
  if (name.empty()) {
    return -1;
  }
  const auto position = std::find(names_.begin(), names_.end(), name);
  if (position != names_.end()) {
    return static_cast<int32_t>(position - names_.begin());
  }
  names_.push_back(name);
  return static_cast<int32_t>(names_.size() - 1);
}

void RangeWalker::at(size_t command) { go(commands_->place(command)); }

void RangeWalker::go(CommandRanges::Place to) {
  const bool leaves = to.outer != open_.outer;
  if (open_.inner >= 0 && (leaves || to.inner != open_.inner)) {
    ranges_->pop();
  }
  if (leaves && open_.outer >= 0) {
    ranges_->pop();
  }
  if (leaves && to.outer >= 0) {
    ranges_->push(commands_->name(to.outer));
  }
  if (to.inner >= 0 && (leaves || to.inner != open_.inner)) {
    ranges_->push(commands_->name(to.inner));
  }
  open_ = to;
}

}  // namespace aaco
