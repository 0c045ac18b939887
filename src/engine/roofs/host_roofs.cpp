// SPDX-License-Identifier: MIT
#include "engine/roofs/host_roofs.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/format.h"
#include "observe/roofs/roofs.h"

namespace aaco {

namespace {

constexpr const char* kHowToMeasure = "run aaco doctor --measure when the machine is idle";

std::string kept_note(const Roofs& roofs, int64_t start_ns) {
  const std::string line =
      fmt::format("measured this machine's roofs first ({}, {})", counted(roofs.threads, "thread", "threads"),
                  format_duration_ns(static_cast<double>(monotonic_ns() - start_ns)));
  const Result<void> stored = store_roofs(roofs);
  return stored ? line + " and kept them: " + roofs_cache_file().string()
                : line + ", but could not keep them: " + stored.error().message;
}

}  // namespace

Result<HostRoofs> host_roofs(int64_t threads, bool measure, const ProgressCallback& progress) {
  HostRoofs result;
  result.roofs = cached_roofs(threads);
  if (!measure || (result.roofs && result.roofs->threads == threads)) {
    result.unavailable = result.roofs ? "" : "not measured on this machine: run aaco doctor --measure";
    return result;
  }
  if (const std::optional<double> others = others_share_now(); others && *others > kMostOthersShare) {
    result.note = fmt::format("other programs hold {} of the processors, so this machine's roofs were not measured: {}",
                              format_percent(*others, 0), kHowToMeasure);
    result.unavailable = result.roofs ? "" : result.note;
    return result;
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
    result.note = "the roofs of this machine were not measured: " + measured.error().message;
  } else if (measured->disturbed()) {
    result.note = fmt::format("{}: {}", disturbance(*measured), kHowToMeasure);
  } else {
    result.roofs = measured->roofs;
    result.note = kept_note(measured->roofs, start_ns);
  }
  result.unavailable = result.roofs ? "" : result.note;
  return result;
}

}  // namespace aaco
