// SPDX-License-Identifier: MIT
#include "guard/store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace aaco {

// The folder itself is locked, so that reading a store needs no right to write.
StoreLock::StoreLock(const std::filesystem::path& store, int operation)
    : descriptor_(::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  held_ = descriptor_ >= 0 && ::flock(descriptor_, operation) == 0;
}

StoreLock::~StoreLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

StoreLock StoreLock::to_read(const std::filesystem::path& store) { return StoreLock(store, LOCK_SH); }

StoreLock StoreLock::to_compact(const std::filesystem::path& store) { return StoreLock(store, LOCK_EX | LOCK_NB); }

}  // namespace aaco
