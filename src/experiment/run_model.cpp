// SPDX-License-Identifier: MIT
#include "experiment/run_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "experiment/model_run.h"

namespace aaco {

Result<RunOutcome> run_model(const RunRequest& request, const ProgressCallback& progress) {
  ModelRun run(request, progress, "");
  AACO_TRY(run.prepare());
  const auto measure = [&]() -> Result<void> {
    AACO_TRY(run.begin());
    for (int64_t process = 0; process < run.processes(); ++process) {
      AACO_TRY(run.run_process(process));
    }
    return run.run_tool();
  };
  return run.finish(measure());
}

Result<RunRequest> recorded_request(const std::filesystem::path& bundle) {
  AACO_ASSIGN(const Json json, read_json(bundle / "request.json"));
  return from_json_value<RunRequest>(json, (bundle / "request.json").string());
}

Result<std::pair<RunOutcome, RunOutcome>> run_interleaved(const RunRequest& a, const RunRequest& b,
                                                          const ProgressCallback& progress) {
  const std::string group = fmt::format("{}-{}", wall_clock_ns(), ::getpid());
  ModelRun first(a, progress, group);
  ModelRun second(b, progress, group);
  AACO_TRY(first.prepare());
  const Result<void> second_prepared = second.prepare();
  const auto measure = [&]() -> Result<void> {
    if (!second_prepared) {
      return second_prepared.error();
    }
    AACO_TRY(first.begin());
    AACO_TRY(second.begin());
    // ABBA: what drifts linearly cancels within two pairs.
    for (int64_t process = 0; process < std::max(first.processes(), second.processes()); ++process) {
      for (ModelRun* run : {process % 2 == 0 ? &first : &second, process % 2 == 0 ? &second : &first}) {
        if (process < run->processes()) {
          AACO_TRY(run->run_process(process));
        }
      }
    }
    return {};
  };
  const Result<void> measured = measure();
  Result<RunOutcome> first_outcome = first.finish(measured);
  if (!second_prepared) {
    return second_prepared.error();
  }
  Result<RunOutcome> second_outcome = second.finish(measured);
  if (!first_outcome) {
    return first_outcome.error();
  }
  if (!second_outcome) {
    return second_outcome.error();
  }
  return std::pair(std::move(*first_outcome), std::move(*second_outcome));
}

}  // namespace aaco
