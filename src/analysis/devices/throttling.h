// SPDX-License-Identifier: MIT
// What held clocks down while a run measured, and whether the iterations of that time were slower:
//
//   held            share of the samples in which the driver named a reason (power, heat, current) that holds the clock
//   below target    share in which the core clock lay more than 3 % below what was asked for, else below the highest
//   at the cap      share in which power lay within 2 % of its cap or above
//   drops           times that the clock fell by a tenth or more from one sample to the next
//   variation       standard deviation of the clock over its mean
//
// Of GPUs only samples count that were taken while the run measured and the device was busy (half of the driver's
// window or more, where it tells). Of processors it is the kernel's count of times that heat lowered a clock.
//
// An iteration is tied to a state only where all samples around and within it agree; the others are not counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/gpu_sample.h"
#include "record/rows.h"

namespace aaco {

inline constexpr const char* kProcessorsHeld = "processors";  // Throttling::device of the host
inline constexpr double kTargetShare = 0.97;
inline constexpr double kCapShare = 0.98;
inline constexpr double kDropShare = 0.9;
// Of the samples: above it a run counts as throttled. A choice: a single sample in twenty is a moment, not the run.
inline constexpr double kThrottledShare = 0.05;

struct Throttling {
  std::string device;   // PCI address, or kProcessorsHeld
  int64_t samples = 0;  // that count
  std::optional<double> held_share;
  std::map<std::string, double> reason_shares;  // several may hold at once
  std::optional<double> below_target_share;
  bool target_is_highest = false;  // nothing was asked for, so the highest clock stands for it
  std::optional<double> at_cap_share;
  std::optional<double> clock_variation;
  std::optional<int64_t> drops;  // none of fewer than two samples of the clock
  int64_t held_iterations = 0;
  int64_t free_iterations = 0;
  std::optional<double> held_p50_ns, free_p50_ns;  // of these iterations
  std::string no_data;                             // why there is no figure at all

  // The share that counts as throttled: held_share, and where no driver tells reasons the smaller of the shares below
  // target and at the cap. None: not known.
  std::optional<double> share() const;
  bool throttled() const { return share().value_or(0) > kThrottledShare; }
};

// By device, the processors last; empty where nothing was sampled. Pure.
std::vector<Throttling> throttling(std::span<const GpuSampleRow> gpus, std::span<const SystemRow> host,
                                   std::span<const IterationRow> iterations);

// "the clock of 0000:1b:00.0 was held down in 40 % of the samples (sw_power_cap 40 %)".
std::string throttling_words(const Throttling& throttling);

}  // namespace aaco
