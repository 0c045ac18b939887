// SPDX-License-Identifier: MIT
// Memory bandwidth by the STREAM triad a[i] = b[i] + s * c[i] (McCalpin, "Memory Bandwidth and Machine Balance in
// Current High Performance Computers", 1995) on arrays that no cache holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "observe/host_files.h"

namespace aaco {

// 24 bytes count per element: two reads and a write. Stores that go past the caches move just those; plain stores first
// read the line they write, which is *not* counted. Both are tried and the faster reported, as `stores` says.
struct TriadRun {
  double bytes_per_s = 0;  // the best of the trials
  std::string stores;      // "non-temporal stores" or "plain stores"
};

// Last-level caches that the processors use, each counted once, in bytes; 0 where the kernel does not tell.
int64_t last_level_cache_bytes(const HostFiles& host, const std::vector<int>& processors);

// Arrays of `array_bytes` each, split among the processors and first touched by them. Errors: kResource without the
// memory, kInvalid when an element is not what the formula gives, kInterrupted.
Result<TriadRun> run_triad(const std::vector<int>& processors, int64_t array_bytes, int trials);

}  // namespace aaco
