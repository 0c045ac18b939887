// SPDX-License-Identifier: MIT
#include "session/bundle/bundle_lock.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aaco {

struct KeptBundleLocks::State {
  static constexpr size_t kMost = 256;  // descriptors: of a long sweep, the newest sessions
  static std::atomic<State*> current;

  std::mutex mutex;
  std::deque<std::pair<std::filesystem::path, BundleLock>> locks;
};

std::atomic<KeptBundleLocks::State*> KeptBundleLocks::State::current = nullptr;

BundleLock::BundleLock(const std::filesystem::path& bundle)
    : fd_(::open(bundle.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

BundleLock::~BundleLock() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

bool BundleLock::is_at(const std::filesystem::path& bundle) const {
  struct stat opened{};
  struct stat status{};
  if (fd_ < 0 || ::fstat(fd_, &opened) != 0) {
    return true;
  }
  return ::stat(bundle.c_str(), &status) == 0 && status.st_dev == opened.st_dev && status.st_ino == opened.st_ino;
}

BundleLock BundleLock::to_record(const std::filesystem::path& bundle) {
  BundleLock lock(bundle);
  (void)::flock(lock.fd_, LOCK_SH | LOCK_NB);  // a file system without locks is one without pruning in between
  return lock;
}

std::optional<BundleLock> BundleLock::to_remove(const std::filesystem::path& bundle) {
  BundleLock lock(bundle);
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return std::nullopt;
  }
  return lock;
}

KeptBundleLocks::KeptBundleLocks() : state_(std::make_unique<State>()) { State::current = state_.get(); }

KeptBundleLocks::~KeptBundleLocks() { State::current = nullptr; }

void KeptBundleLocks::keep(const std::filesystem::path& bundle, BundleLock lock) {
  State* const kept = State::current;
  if (kept == nullptr) {
    return;
  }
  const std::scoped_lock guard(kept->mutex);
  kept->locks.emplace_back(bundle, std::move(lock));
  if (kept->locks.size() > State::kMost) {
    kept->locks.pop_front();
  }
}

std::optional<std::filesystem::path> KeptBundleLocks::first_removed() const {
  const std::scoped_lock guard(state_->mutex);
  const auto removed =
      std::ranges::find_if(state_->locks, [](const auto& kept) { return !kept.second.is_at(kept.first); });
  return removed == state_->locks.end() ? std::nullopt : std::optional(removed->first);
}

}  // namespace aaco
