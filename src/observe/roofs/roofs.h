// SPDX-License-Identifier: MIT
// The measured roofs of this machine's processors: how fast its multiply-add instructions and its memory go at best, at
// a given number of threads. Never a data-sheet figure, and no precision is scaled from another: what these processors
// have no instruction for is absent, with the reason in Roofs::unavailable.
//
// What they do not tell: the arithmetic runs on constant data out of registers, so no real kernel exceeds it; a laptop
// or a shared machine may sustain less for longer than the half second measured here.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "observe/host_files.h"
#include "record/recording.h"

namespace aaco {

// Called before each step with one line ("fp32: avx512f vfmadd231ps") and how much of all is done, 0 to 1. May be
// empty.
using RoofProgress = std::function<void(const std::string& step, double fraction)>;

// How long to look for the best; tests look less long, and what they get is no roof.
struct RoofEffort {
  int64_t arithmetic_ns = 100'000'000;  // per kind of instruction in each of three rounds
  int64_t array_bytes = 0;              // of each of the triad's arrays; 0: four times the last-level cache
};

// More than this of the processors held by other programs, and what was measured is below the roof. An idle machine's
// own services take one or two percent.
inline constexpr double kMostOthersShare = 0.05;

struct RoofMeasurement {
  Roofs roofs;
  std::optional<double> others_share;  // of the allowed processors, taken by other programs meanwhile; none: not told

  bool disturbed() const { return others_share && *others_share > kMostOthersShare; }
};

// That share right now, watched for a third of a second; none where the kernel does not tell.
std::optional<double> others_share_now();

// "other programs held 34 % of the processors while the roofs were measured, so they are not kept". Of a disturbed one.
std::string disturbance(const RoofMeasurement& measurement);

// Measures at `threads` threads, each pinned to a processor of its own, physical cores first: some seconds and, for the
// memory, three arrays of four times the last-level cache. Launch cost is never given: see
// Roofs::unavailable["launch"]. Errors: kUsage for a count below 1 or above the allowed processors, kInterrupted,
// kInvalid when a kernel's result was not what its instructions give, kResource when a thread or its pinning fails.
Result<RoofMeasurement> measure_roofs(int64_t threads, const RoofProgress& progress = {},
                                      const RoofEffort& effort = {});

// The processors that the roofs hold for: model, microcode, allowed processors and the control group's share of them.
std::string roofs_device(const HostFiles& host = {});
// roofs-<hash of roofs_device()>.json in the cache folder of base/files/cache_folder.h.
std::filesystem::path roofs_cache_file();

// Adds `roofs` to the cache, in place of those of the same number of threads. Errors: kUsage or kResource naming the
// file.
Result<void> store_roofs(const Roofs& roofs);
// The roofs measured on these processors at `threads` threads, else at the next larger count measured (Roofs::threads
// says which); none when there are none, or when the cache cannot be read.
std::optional<Roofs> cached_roofs(int64_t threads);

}  // namespace aaco
