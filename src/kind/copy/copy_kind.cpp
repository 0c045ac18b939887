// SPDX-License-Identifier: MIT
#include "kind/copy/copy_kind.h"

#include "kind/copy/copy_report.h"
#include "kind/copy/copy_samples.h"
#include "kind/copy/copy_worker.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

constexpr WorkerRole kRoles[] = {
    {role::kCopyMeasure, copy_measure_role},
    {role::kCopyRecord, copy_record_role},
};

}  // namespace

constinit const Kind kCopyOverlap{
    .traits = {.id = "copy_overlap", .command = "aaco overlap copy", .document = layout::kOverlap},
    .roles = kRoles,
    .report = report::copy_report,
    .samples = copy_samples,
    .compared_value = "round",
};

}  // namespace aaco
