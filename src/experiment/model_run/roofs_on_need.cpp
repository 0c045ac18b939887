// SPDX-License-Identifier: MIT
#include "experiment/model_run/roofs_on_need.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/model_run/host_load.h"
#include "base/clock.h"
#include "base/format.h"
#include "observe/roofs/roofs.h"

namespace aaco {

namespace {

constexpr const char* kNotMeasured = "not measured on this machine: run aaco doctor --measure";

// More threads than processors take turns on them: the roofs are those of the processors.
int64_t roof_threads(const RunFacts& facts) {
  const auto allowed = static_cast<int64_t>(allowed_processors().size());
  return std::clamp(static_cast<int64_t>(worker_threads(facts).value_or(1)), int64_t{1}, std::max(int64_t{1}, allowed));
}

}  // namespace

Result<std::string> add_roofs(RunFacts& facts, bool measure, const ProgressCallback& progress) {
  if (facts.device_kind != "cpu") {
    facts.roofs_unavailable = "needs device activity";
    return std::string();
  }
  const int64_t threads = roof_threads(facts);
  facts.roofs = cached_roofs(threads);
  facts.roofs_unavailable = facts.roofs ? "" : kNotMeasured;
  if (!measure || (facts.roofs && facts.roofs->threads == threads)) {
    return std::string();
  }
  const int64_t start_ns = monotonic_ns();
  const Result<RoofMeasurement> measured = measure_roofs(threads, [&](const std::string& step, double fraction) {
    progress("measuring this machine's roofs, once: " + step, fraction);
  });
  if (!measured) {
    const ErrorKind kind = measured.error().kind;
    if (kind == ErrorKind::kInterrupted || kind == ErrorKind::kInvalid) {
      return measured.error();
    }
    return "the roofs of this machine were not measured: " + measured.error().message;
  }
  if (measured->disturbed()) {
    if (!facts.roofs) {
      facts.roofs_unavailable = disturbance(*measured) + ": run aaco doctor --measure when the machine is idle";
    }
    return disturbance(*measured);
  }
  facts.roofs = measured->roofs;
  facts.roofs_unavailable.clear();
  const std::string line =
      fmt::format("measured this machine's roofs first ({} thread{}, {})", threads, threads == 1 ? "" : "s",
                  format_duration_ns(static_cast<double>(monotonic_ns() - start_ns)));
  const Result<void> stored = store_roofs(measured->roofs);
  return stored ? line + " and kept them: " + roofs_cache_file().string()
                : line + ", but could not keep them: " + stored.error().message;
}

}  // namespace aaco
