// SPDX-License-Identifier: MIT
// The machine code that a thread of another process runs to load a library, and the data that it works with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace aaco {

// loader_code.cpp has the offsets of it.
struct LoaderData {
  static constexpr uint32_t kCalled = 1;
  static constexpr uint32_t kFailed = 2;  // `text` says why
  static constexpr uint32_t kGaveUp = 3;  // no `go` came
  static constexpr uint32_t kGo = 1;      // the thread that started it is where it was
  static constexpr uint32_t kSeen = 2;    // nobody will look at this again: it may go

  uint32_t go = 0;     // from us
  uint32_t state = 0;  // for us
  uint64_t open = 0;   // dlopen, and so on
  uint64_t symbol = 0;
  uint64_t problem = 0;
  uint64_t self = 0;
  uint64_t detach = 0;
  uint64_t unmap = 0;
  uint64_t region = 0;
  uint64_t region_bytes = 0;
  uint64_t text = 0;
  uint64_t library = 0;  // texts
  uint64_t function = 0;
  uint64_t argument = 0;
  uint64_t patience = 20'000;  // pauses without a `go`, and without a `seen`: aaco was killed
  uint64_t thread = 0;         // a pthread_t
  int64_t pause_s = 0;         // a timespec
  int64_t pause_ns = 1'000'000;
};
static_assert(offsetof(LoaderData, patience) == 104 && offsetof(LoaderData, pause_s) == 120);

std::span<const char> loader_code();
// Places in it: an `int3`, and the function of the thread.
size_t loader_trap();
size_t loader_thread();

}  // namespace aaco
