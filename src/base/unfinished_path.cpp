// SPDX-License-Identifier: MIT
#include "base/unfinished_path.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace aaco {

namespace {

enum class State : int { kFree, kTaken, kKnown };

struct Slot {
  std::atomic<State> state{State::kFree};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<State>::is_always_lock_free, "used in a handler");

std::array<Slot, 64> slots;

// As the system call gives it.
struct Entry {
  uint64_t inode;
  int64_t offset;
  uint16_t bytes;
  uint8_t type;
  char name[1];
};

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// Without links and without an allocation; what is nested deeper than any of ours stays.
void remove_in(int parent, const char* name, int depth) {
  if (::unlinkat(parent, name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth == 0) {
    return;
  }
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) {
    return;
  }
  alignas(8) std::array<char, 2048> entries;
  for (long got = 0; (got = ::syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0;) {
    for (long at = 0; at < got;) {
      const char* const entry = entries.data() + at;
      uint16_t bytes = 0;
      std::memcpy(&bytes, entry + offsetof(Entry, bytes), sizeof bytes);
      if (!is_dots(entry + offsetof(Entry, name))) {
        remove_in(folder, entry + offsetof(Entry, name), depth - 1);
      }
      at += bytes;
    }
  }
  ::close(folder);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace

UnfinishedPath::UnfinishedPath(const std::filesystem::path& path) {
  std::error_code error;
  const std::string text = std::filesystem::absolute(path, error).string();
  if (error || text.size() >= PATH_MAX) {
    return;
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    State expected = State::kFree;
    if (slots[i].state.compare_exchange_strong(expected, State::kTaken)) {
      std::memcpy(slots[i].path.data(), text.c_str(), text.size() + 1);
      slots[i].state = State::kKnown;
      slot_ = static_cast<int>(i);
      return;
    }
  }
}

UnfinishedPath::~UnfinishedPath() {
  if (slot_ >= 0) {
    slots[static_cast<size_t>(slot_)].state = State::kFree;
  }
}

void remove_unfinished_paths() {
  constexpr int kDepth = 6;
  for (Slot& slot : slots) {
    if (slot.state == State::kKnown) {
      remove_in(AT_FDCWD, slot.path.data(), kDepth);
    }
  }
}

}  // namespace aaco
