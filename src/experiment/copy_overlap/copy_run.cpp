// SPDX-License-Identifier: MIT
#include "experiment/copy_overlap/copy_run.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/temporary_folder.h"
#include "experiment/copy_overlap/copy_worker.h"
#include "experiment/orchestrator.h"
#include "experiment/spawn.h"

namespace aaco {

namespace {

// Where the device can record, every copy must be there: one of another size is not what was asked for.
Result<void> add_records(const SpawnOptions& options, CopyDocument& document) {
  const auto found = run_worker_process(options, role::kCopyRecord, 0);
  if (!found && found.error().kind == ErrorKind::kUnavailable) {
    return {};
  }
  if (!found) {
    return found.error();
  }
  AACO_ASSIGN(const auto records, from_json_value<std::vector<CopyRecords>>(*found, role::kCopyRecord));
  for (size_t i = 0; i < std::min(records.size(), document.directions.size()); ++i) {
    document.directions[i].records = records[i];
    if (records[i].copies != records[i].rounds && records[i].other_bytes != 0) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("{}: {} copies of {} bytes are in the device's records of {} rounds",
                               word_of(document.directions[i].direction), records[i].copies,
                               document.request.copy_bytes(), records[i].rounds),
                   "the copies were not of the size that was asked for, or records were lost"};
    }
  }
  return {};
}

}  // namespace

Result<CopyDocument> run_copy_overlap(const CopyRequest& request, const ProgressCallback& progress) {
  AACO_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  SpawnOptions options;
  options.folder = folder.path();
  options.plan_file = folder.path() / "plan.json";
  AACO_TRY(write_json(options.plan_file, Json(request)));
  CopyDocument document;
  document.request = request;
  std::vector<std::vector<CopyTimes>> times(request.directions.size());
  for (int64_t process = 0; process < request.processes; ++process) {
    AACO_TRY(check_interrupt());
    progress(fmt::format("copying beside products on {}", request.device),
             static_cast<double>(process) / static_cast<double>(request.processes + 1));
    AACO_ASSIGN(const Json found, run_worker_process(options, role::kCopyMeasure, process));
    document.device_name = found.value("device_name", "");
    AACO_ASSIGN(const auto of_process,
                from_json_value<std::vector<CopyTimes>>(found.value("times", Json::array()), role::kCopyMeasure));
    for (size_t i = 0; i < std::min(times.size(), of_process.size()); ++i) {
      times[i].push_back(of_process[i]);
    }
  }
  for (size_t i = 0; i < times.size(); ++i) {
    document.directions.push_back(copy_figures(request.directions[i], std::move(times[i])));
  }
  AACO_TRY(add_records(options, document));
  return document;
}

}  // namespace aaco
