// SPDX-License-Identifier: MIT
// A lock on a bundle's folder: shared while the session is recorded, exclusive while it is removed. It holds across
// containers, where a process id says nothing, and the kernel drops it with the process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace aaco {

class BundleLock {
 public:
  BundleLock() = default;  // holds nothing
  BundleLock(BundleLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  BundleLock& operator=(BundleLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~BundleLock();

  // Whether `bundle` is the folder that was opened, and not removed or replaced since; true where none could be opened.
  bool is_at(const std::filesystem::path& bundle) const;

  // Holds nothing where the file system has no locks.
  static BundleLock to_record(const std::filesystem::path& bundle);
  // Nothing while somebody records.
  static std::optional<BundleLock> to_remove(const std::filesystem::path& bundle);

 private:
  explicit BundleLock(const std::filesystem::path& bundle);

  int fd_ = -1;
};

// While one is there, the sessions that this process closes stay locked: a report is still to be written into them, and
// nobody is to remove them before.
class KeptBundleLocks {
 public:
  KeptBundleLocks();
  KeptBundleLocks(const KeptBundleLocks&) = delete;
  KeptBundleLocks& operator=(const KeptBundleLocks&) = delete;
  ~KeptBundleLocks();

  // Lets it go where none is there.
  static void keep(const std::filesystem::path& bundle, BundleLock lock);

  // Of those kept, one whose folder is not there any more: somebody removed it all the same.
  std::optional<std::filesystem::path> first_removed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aaco
