// SPDX-License-Identifier: MIT
// One block of threads as fibers, and where they meet:
//   - at a wave primitive (shuffle, ballot, sync_wave) all lanes of the wave that have not ended must come to the same
//     call in the source; a lane that waits elsewhere, and a shuffle from a lane that has ended, are failures
//   - at sync_block all threads of the block that have not ended must come to the same call
// Threads run one at a time, in order of their index or against it, each until it has to wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "device/gpu/lockstep/kernel.h"

namespace aaco::gpu::lockstep {

using Site = std::source_location;

inline constexpr size_t kStackBytes = 64 * 1024;  // of a thread

// Of a thread to its block's shared memory, not made yet.
struct PendingCopy {
  void* to = nullptr;
  const void* from = nullptr;  // null: zeros
  size_t bytes = 0;
};

// The thread of a kernel that runs now on this host thread.
struct Thread {
  uint32_t index = 0;
  uint32_t block_size = 0;
  Dim3 block;
  Dim3 grid;
  unsigned char* dynamic_shared = nullptr;
  std::vector<PendingCopy> copies;
  bool behind = false;  // launched so (LaunchShape::behind), and has not waited yet
};
extern constinit thread_local Thread* this_thread;

uint64_t shuffle_bits(const char* primitive, uint64_t bits, int from_lane, const Site& site);
uint64_t ballot_bits(bool set, const Site& site);
void meet_wave(const Site& site);
void meet_block(const Site& site);
uint64_t clock_after_others();
// Until make_copies there is NaN where the bytes will be.
void begin_copy(const PendingCopy& copy);
void make_copies();

// Empty, or what went wrong. `thread` has all but the index.
std::string run_block(const Kernel& kernel, const Thread& thread, const void* args, bool descending);

}  // namespace aaco::gpu::lockstep
