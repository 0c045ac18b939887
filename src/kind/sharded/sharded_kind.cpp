// SPDX-License-Identifier: MIT
#include "kind/sharded/sharded_kind.h"

#include "base/json/json.h"
#include "kind/recorded_sample.h"
#include "kind/sharded/analysis/launch_sample.h"
#include "kind/sharded/report/sharded_report.h"
#include "kind/sharded/sharded_run.h"
#include "kind/sharded/sharded_worker.h"
#include "session/bundle/layout.h"
#include "session/session_info.h"

namespace aaco {

namespace {

constexpr WorkerRole kRoles[] = {
    {role::kShardedCheck, sharded_check_role},
    {role::kShardedMeasure, sharded_measure_role},
    {role::kShardedRecord, sharded_record_role},
};

Result<NamedSample> recorded_sharded_sample(const OpenSession& session, const Analysis& analysis) {
  AACO_ASSIGN(NamedSample named, recorded_sample(session, analysis));
  named.sample = launch_sample(named.sample);
  // A series of the guard and a baseline are kept under the first rank's device.
  std::string& devices = named.sample.configuration.backend;
  devices = devices.substr(0, devices.find(','));
  return named;
}

}  // namespace

Result<ShardedDocument> load_sharded(const std::filesystem::path& bundle) {
  AACO_ASSIGN(const JsonValue document, read_session_document(bundle, kSharded.traits));
  return read_sharded_document(*document, (bundle / layout::kOverlap).string());
}

constinit const Kind kSharded{
    .traits = {.id = "overlap",
               .command = "aaco overlap",
               .document = layout::kOverlap,
               .has_iterations = true,
               .iteration = "step",
               .iteration_time = "step time",
               .has_ranks = true},
    .roles = kRoles,
    .report = report::sharded_report,
    .run_sample = recorded_sharded_sample,
    .rerun = rerun_sharded,
    .settled_by = "a launch is one process: aaco overlap sweep takes several, in turns",
};

}  // namespace aaco
