// SPDX-License-Identifier: MIT
// A process of a run with its iterations by time, and how rows of the kernel find theirs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/intervals.h"
#include "record/recording.h"

namespace aaco {

// Times that a damaged or hostile file may hold are no spans.
inline bool is_span(int64_t start_ns, int64_t end_ns) {
  constexpr int64_t kLatest = int64_t{1} << 60;  // 36 years
  return start_ns >= 0 && start_ns <= end_ns && end_ns < kLatest;
}

// Phases of the iterations that a run is judged by: neither warm-up nor profiled.
inline bool is_measured_phase(IterationPhase phase) {
  return phase == IterationPhase::kMeasure || phase == IterationPhase::kDecode || phase == IterationPhase::kPrefill;
}

struct MeasuredProcess {
  int64_t process = 0;                          // index in the run
  int64_t pid = 0;                              // of the system; its first thread, which measures, has the same number
  std::vector<const IterationRow*> iterations;  // by start
  std::vector<int64_t> latest_end_ns;           // of the iterations up to each

  // Calls `take` with the index of each iteration that the span touches; of an empty span, that holds its moment.
  template <class Take>
  void for_each_touched(const Span& span, const Take& take) const;
};

// Those with a pid and an iteration. Of two processes with one pid none is told: rows of the kernel would not say whose
// they are.
std::vector<MeasuredProcess> measured_processes(const Recording& recording);

template <class Take>
void MeasuredProcess::for_each_touched(const Span& span, const Take& take) const {
  size_t first = static_cast<size_t>(std::upper_bound(latest_end_ns.begin(), latest_end_ns.end(), span.start_ns) -
                                     latest_end_ns.begin());
  const int64_t until_ns = std::max(span.end_ns, span.start_ns + 1);
  for (; first < iterations.size() && iterations[first]->t_start_ns < until_ns; ++first) {
    if (iterations[first]->t_end_ns > span.start_ns) {
      take(first);
    }
  }
}

}  // namespace aaco
