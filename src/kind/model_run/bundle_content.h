// SPDX-License-Identifier: MIT
// From what the worker processes left (journals, profiles, results) to the recording and the files of the bundle.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "analysis/model_run/results.h"
#include "base/result.h"
#include "kind/model_run/inspection.h"
#include "kind/model_run/request/worker_plan.h"
#include "kind/model_run/work_record.h"
#include "session/session.h"

namespace aaco {

// A process that was started, with its result where it came to one.
struct StartedProcess {
  std::string role;
  int64_t process = 0;
  std::optional<WorkerResult> result;
};

// Reads every journal and profile of `processes` in `folder`, the journal folder of a bundle. Torn tails and profile
// losses go to `warnings`.
Result<Recording> collect_recording(const std::filesystem::path& folder, const std::vector<StartedProcess>& processes,
                                    const Inspection& inspection, RunFacts facts, std::vector<std::string>& warnings);

// Whether profiled processes left records of a device, or why not; none where none was asked for them.
std::optional<PlaneState> device_activity_state(const std::vector<StartedProcess>& processes);

// model/, runtime/ and env.json, before measuring.
Result<void> write_model_files(SessionWriter& session, const ResolvedRun& run, const Inspection& inspection,
                               const WorkRecord& work);

// The tables and the results of the analyses, after it. Raw profiles go, compressed, to profiler/ort_raw.
Result<void> write_results(SessionWriter& session, const Recording& recording, const Analysis& analysis,
                           const std::vector<StartedProcess>& processes);
// The results alone, as of a recording that more became known of.
Result<void> write_analysis(SessionWriter& session, const Recording& recording, const Analysis& analysis);

}  // namespace aaco
