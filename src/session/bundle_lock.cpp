// SPDX-License-Identifier: MIT
#include "session/bundle_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace aaco {

BundleLock::BundleLock(const std::filesystem::path& bundle)
    : fd_(::open(bundle.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

BundleLock::~BundleLock() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

BundleLock BundleLock::to_record(const std::filesystem::path& bundle) {
  BundleLock lock(bundle);
  ::flock(lock.fd_, LOCK_SH | LOCK_NB);
  return lock;
}

std::optional<BundleLock> BundleLock::to_remove(const std::filesystem::path& bundle) {
  BundleLock lock(bundle);
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return std::nullopt;
  }
  return lock;
}

}  // namespace aaco
