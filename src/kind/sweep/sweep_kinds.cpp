// SPDX-License-Identifier: MIT
#include "kind/sweep/sweep_kinds.h"

#include "kind/queue_samples.h"
#include "kind/sweep/queue_sweep_run.h"
#include "kind/sweep/report/model_sweep_report.h"
#include "kind/sweep/report/queue_sweep_report.h"
#include "kind/sweep/report/sharded_sweep_report.h"
#include "kind/sweep/report/training_study_report.h"
#include "kind/sweep/sharded_sweep_run.h"
#include "kind/sweep/sharded_sweep_samples.h"
#include "kind/sweep/training_study_run.h"
#include "kind/training_samples.h"
#include "session/bundle/layout.h"

namespace aaco {

constinit const Kind kModelSweep{
    .traits = {.id = "sweep",
               .command = "aaco sweep",
               .document = layout::kSweep,
               .has_model = true,
               .size = SessionSize::kBatch},
    .report = report::model_sweep_report,
    .has_members = true,
};

constinit const Kind kQueueSweep{
    .traits = {.id = "queue_sweep", .command = "aaco queue", .document = layout::kQueue, .size = SessionSize::kStreams},
    .report = report::queue_sweep_report,
    .samples = queue_samples,
    .compared_value = "time per unit",
    .is_per_unit = true,
    .has_members = true,
    .rerun = rerun_queue_sweeps,
};

constinit const Kind kTrainingStudy{
    .traits = {.id = "training_study", .command = "aaco llama", .document = layout::kTraining},
    .report = report::training_study_report,
    .samples = training_samples,
    .compared_value = "step",
    .has_members = true,
    .rerun = rerun_training_studies,
};

constinit const Kind kShardedSweep{
    .traits = {.id = "overlap_sweep", .command = "aaco overlap sweep", .document = layout::kOverlap},
    .report = report::sharded_sweep_report,
    .samples = sharded_sweep_samples,
    .compared_value = "step",
    .has_members = true,
    .rerun = rerun_sharded_sweeps,
};

}  // namespace aaco
