// SPDX-License-Identifier: MIT
// A lock on a bundle's folder: shared while the session is recorded, exclusive while it is removed. It holds across
// containers, where a process id says nothing, and the kernel drops it with the process.
#pragma once

#include <filesystem>
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

  // Holds nothing where the file system has no locks.
  static BundleLock to_record(const std::filesystem::path& bundle);
  // Nothing while somebody records.
  static std::optional<BundleLock> to_remove(const std::filesystem::path& bundle);

 private:
  explicit BundleLock(const std::filesystem::path& bundle);

  int fd_ = -1;
};

}  // namespace aaco
