// SPDX-License-Identifier: MIT
#include "kind/observation/observation_kind.h"

#include "kind/observation/observation_report.h"
#include "kind/recorded_sample.h"
#include "session/bundle/layout.h"

namespace aaco {

constinit const Kind kObservation{
    .traits = {.id = "observation", .command = "aaco observe", .document = layout::kObservation},
    .report = report::observation_report,
    .exact_report = report::exact_observation_report,
    .run_sample = recorded_sample,  // without iterations: found not comparable
};

}  // namespace aaco
