// SPDX-License-Identifier: MIT
#include "kind/model_run/model_run_kind.h"

#include "kind/model_run/report/run_report.h"
#include "kind/model_run/request/worker_plan.h"
#include "kind/model_run/run_model.h"
#include "kind/recorded_sample.h"

namespace aaco {

namespace {

constexpr WorkerRole kRoles[] = {
    {role::kInspect, inspect_role}, {role::kMeasure, measure_role}, {role::kProfile, profile_role},
    {role::kAsZero, as_zero_role},  {role::kRoofs, roofs_role},
};

}  // namespace

constinit const Kind kModelRun{
    .traits =
        {.id = "run", .command = "aaco run", .has_iterations = true, .has_model = true, .size = SessionSize::kBatch},
    .roles = kRoles,
    .report = report::run_report,
    .run_sample = recorded_sample,
    .rerun = rerun_models,
};

}  // namespace aaco
