// SPDX-License-Identifier: MIT
// Files and folders that are nobody's until they are finished: when the program is made to end before, they go.
#pragma once

#include <filesystem>
#include <utility>

namespace aaco {

// Remembers a path while it lives. What is beyond some dozens at a time, or has a very long name, is not remembered.
class UnfinishedPath {
 public:
  UnfinishedPath() = default;
  explicit UnfinishedPath(const std::filesystem::path& path);
  UnfinishedPath(UnfinishedPath&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}
  UnfinishedPath& operator=(UnfinishedPath&& other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~UnfinishedPath();

 private:
  int slot_ = -1;
};

// All that are remembered, folders with what is in them. Safe in a signal handler.
void remove_unfinished_paths();

}  // namespace aaco
