// SPDX-License-Identifier: MIT
// Kernels by the times that they wrote themselves, of the device's own clock: their gaps, in the order in which they
// ran, and whether they ran one after the other at all.
//
//   gap(n)     = mean start(n + 1) - mean end(n)     ns, means over a kernel's blocks. Where each compute unit runs one
//                                                    block of each kernel it is the mean time in which a unit was idle
//   overlap(n) = last end(n) - first start(n + 1)    ns, in which blocks of both ran: units that are done take the next
//                                                    kernel's blocks. Negative where nothing ran in between
//
// With a kernel's duration = mean end - mean start, a chain's durations and gaps add up to its span, from the first
// kernel's mean start to the last one's mean end. First start and last end have no such sum: a wider spread of starts
// there looks like a shorter gap, and like a longer kernel.
// What it does not tell: anything on the host's side of the device's clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

struct KernelStamp {
  int64_t start_ns = 0;  // of the first block
  int64_t end_ns = 0;    // of the last block
  int32_t stream = 0;
  double start_lag_ns = 0;  // the mean start of its blocks, after start_ns
  double end_lead_ns = 0;   // the mean end of its blocks, before end_ns
};

// Device-filling kernels cannot run side by side, only overlap by the stragglers among their blocks. Kernels that share
// more than this part of the shorter one's time were co-resident.
inline constexpr double kCoResidentShare = 0.2;

// The first kernel that left no time, ended before it began, or whose means lie outside of it. Empty: none.
std::string stamp_problem(std::span<const KernelStamp> kernels);

// Why these kernels (in the order of enqueueing) are no chain of device-filling ones: one left no time, ended before it
// began, overlapped another, or began before an earlier one of its stream; with `fixed_order` before an earlier one of
// any stream. Empty: they are one.
std::string chain_problem(std::span<const KernelStamp> kernels, bool fixed_order);

// How many began before one that was enqueued earlier. Allowed among independent streams.
int64_t reordered_kernels(std::span<const KernelStamp> kernels);

struct StampGap {
  double gap_ns = 0;
  double overlap_ns = 0;
  bool other_stream = false;  // the two kernels are of different streams
};
// In the order of execution; one fewer than kernels.
std::vector<StampGap> stamp_gaps(std::span<const KernelStamp> kernels);

// The smallest step of the clock that the stamps show: the smallest difference other than zero between any two times,
// or between any two durations. Every one is a multiple of the clock's step, so this is at least the step; with many
// kernels of slightly different lengths it is the step. None where all are equal.
std::optional<double> clock_step_ns(std::span<const KernelStamp> kernels);

void to_json(Json& json, const KernelStamp& value);
void from_json(const Json& json, KernelStamp& value);

}  // namespace aaco
