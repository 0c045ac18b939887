// SPDX-License-Identifier: MIT
#include "kind/model_run/roofs_on_need.h"

#include <algorithm>
#include <utility>

#include "analysis/model_run/host_load.h"
#include "engine/roofs/host_roofs.h"
#include "observe/host_files.h"

namespace aaco {

namespace {

// More threads than processors take turns on them: the roofs are those of the processors.
int64_t roof_threads(const RunFacts& facts) {
  const auto allowed = static_cast<int64_t>(allowed_processors().size());
  return std::clamp(static_cast<int64_t>(worker_threads(facts).value_or(1)), int64_t{1}, std::max(int64_t{1}, allowed));
}

}  // namespace

Result<std::string> add_roofs(RunFacts& facts, bool measure, const ProgressCallback& progress) {
  if (facts.device_kind != DeviceKind::kCpu) {
    facts.roofs_unavailable =
        measure ? "the roofs of a GPU are measured with --profile" : "not measured: left out by --quick or --no-roofs";
    return std::string();
  }
  const int64_t threads = roof_threads(facts);
  AACO_ASSIGN(HostRoofs host, host_roofs(threads, measure, progress));
  facts.roofs = std::move(host.roofs);
  facts.roofs_unavailable = std::move(host.unavailable);
  return std::move(host.note);
}

}  // namespace aaco
