// SPDX-License-Identifier: MIT
// Whether a collector's records of kernels hold what the kernels saw themselves. Spin kernels of several lengths write
// when their first block began and their last one ended, by the device's clock; the collector says start and end by the
// session's. One offset lies between the two clocks, and a record must reach around its kernel:
//
//   record.start <= stamp.start + offset,  stamp.end + offset <= record.end      for every kernel
//
// so the offset lies between the largest (record.start - stamp.start) and the smallest (record.end - stamp.end).
//   excess    (record.end - record.start) - (stamp.end - stamp.start), ns: what a record holds beyond its kernel's own
//             readings (launching the first block, retiring the last); the median over kernels, over processes
//   room      how far apart the two bounds of the offset are, ns: the least over processes. Negative by more than the
//             steps of the clocks: no offset fits, and a kernel ran outside of its record
// What it does not tell: whether the collector's start is when the hardware took the kernel up; and a constant error of
// all starts and ends by the same amount, which is an offset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kind/queue_probe/analysis/agreement.h"
#include "kind/queue_run/analysis/signed_figure.h"

namespace aaco {

struct RecordedKernel {
  int64_t record_start_ns = 0;
  int64_t record_end_ns = 0;
  int64_t stamp_start_ns = 0;
  int64_t stamp_end_ns = 0;
};

// One process.
struct RecordRun {
  std::optional<double> clock_step_ns;  // of the stamps' clock, as measured
  int64_t launched = 0;
  uint64_t dropped = 0;                 // records that the collector says it lost
  std::vector<RecordedKernel> kernels;  // in the order of launching, matched one to one; empty where counts differ
  std::string unavailable;              // why there is no collector
};

struct RecordCheck {
  int64_t processes = 0;
  int64_t kernels = 0;
  MetricValue excess;
  std::optional<double> room_ns;
  Agreement agreement;
};

RecordCheck record_check(std::span<const RecordRun> processes);

void to_json(Json& json, const RecordedKernel& value);
void from_json(const Json& json, RecordedKernel& value);
void to_json(Json& json, const RecordRun& value);
void from_json(const Json& json, RecordRun& value);
void to_json(Json& json, const RecordCheck& value);
void from_json(const Json& json, RecordCheck& value);

}  // namespace aaco
