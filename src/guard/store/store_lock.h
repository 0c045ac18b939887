// SPDX-License-Identifier: MIT
// Readers of a store share it; a compaction has it alone. Appending needs no lock. The kernel drops a lock with its
// process.
#pragma once

#include <filesystem>
#include <utility>

namespace aaco {

class StoreLock {
 public:
  // Waits for a compaction that runs. Where the store may not be written to or its file system has no locks, there is
  // none to wait for.
  static StoreLock to_read(const std::filesystem::path& store);
  // False in `held()` where another process reads or compacts.
  static StoreLock to_compact(const std::filesystem::path& store);
  StoreLock(StoreLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), held_(std::exchange(other.held_, false)) {}
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  StoreLock& operator=(StoreLock&&) = delete;
  ~StoreLock();

  bool held() const { return held_; }

 private:
  StoreLock(const std::filesystem::path& store, int operation);

  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace aaco
