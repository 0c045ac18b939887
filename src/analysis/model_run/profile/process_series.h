// SPDX-License-Identifier: MIT
// The iterations of one phase, process by process: latencies, and the time that elapsed from the first start to the
// last end. Whatever is slow in between, a stall or a throttled quota, is in that time, and not in a median.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "record/recording.h"

namespace aaco {

struct ProcessSeries {
  std::vector<double> latencies_ns;  // in the order of the rows, all positive
  int64_t first_start_ns = 0;        // session time
  int64_t last_end_ns = 0;

  double elapsed_ns() const { return static_cast<double>(last_end_ns - first_start_ns); }
};
using SeriesByProcess = std::map<int64_t, ProcessSeries>;

// Empty: no row of that phase has a start before its end.
SeriesByProcess process_series(const Recording& recording, IterationPhase phase);

// The phase that the run is judged by: kMeasure, else kDecode, else kPrefill; kUnknown where it has none.
IterationPhase primary_phase(const Recording& recording);

// Time per inference of each process: elapsed time over iterations. Of a token run an inference is a whole request,
// prefill and decode: elapsed time over requests; a process that began none is left out.
std::map<int64_t, double> elapsed_per_inference(const Recording& recording);

}  // namespace aaco
