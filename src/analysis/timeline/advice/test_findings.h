// SPDX-License-Identifier: MIT
// Findings of small traces, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {

// Null where the pattern was not found.
inline const TraceFinding* finding_named(const TraceSummary& summary, std::string_view pattern) {
  const auto finding =
      std::find_if(summary.findings.begin(), summary.findings.end(),
                   [&](const TraceFinding& trace_finding) { return trace_finding.pattern == pattern; });
  return finding == summary.findings.end() ? nullptr : &*finding;
}

inline bool has_offender(const TraceSummary& summary, const std::string& subject) {
  return std::any_of(summary.offenders.begin(), summary.offenders.end(),
                     [&](const Offender& offender) { return offender.subject == subject; });
}

// A thread that launches, and the stream that it launches on.
struct LaunchingTrace : TestTrace {
  uint32_t host = thread(0);
  uint32_t device = stream(0, 0, 7);
  int64_t launches = 0;

  void launch(int64_t call_ns, int64_t call_length_ns, std::string_view kernel, int64_t start_ns, int64_t length_ns,
              std::string_view call = "cudaLaunchKernel") {
    add(host, EventKind::kHostCall, call, call_ns, call_length_ns, ++launches);
    add(device, EventKind::kKernel, kernel, start_ns, length_ns, launches);
  }
};

}  // namespace aaco
