// SPDX-License-Identifier: MIT
#include "kind/model_run/run_model.h"

#include <array>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/json/json.h"
#include "kind/model_run/model_run.h"

namespace aaco {

Result<RunOutcome> run_model(const RunRequest& request, const ProgressCallback& progress) {
  ModelRun run(request, progress, "");
  AACO_TRY(orchestrate(run));
  return run.take_outcome();
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
  const std::array<Strategy*, 2> both{&first, &second};
  for (const Result<void>& ended : orchestrate(both)) {
    AACO_TRY(ended);
  }
  return std::pair(first.take_outcome(), second.take_outcome());
}

Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_models(const std::filesystem::path& baseline,
                                                                             const std::filesystem::path& test,
                                                                             const std::string& sessions,
                                                                             const ProgressCallback& progress) {
  AACO_ASSIGN(RunRequest a, recorded_request(baseline));
  AACO_ASSIGN(RunRequest b, recorded_request(test));
  a.sessions = b.sessions = sessions;
  AACO_ASSIGN(const auto outcomes, run_interleaved(a, b, progress));
  return std::pair(outcomes.first.bundle, outcomes.second.bundle);
}

}  // namespace aaco
