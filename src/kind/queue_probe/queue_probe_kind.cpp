// SPDX-License-Identifier: MIT
#include "kind/queue_probe/queue_probe_kind.h"

#include "kind/queue_probe/probe_worker.h"
#include "kind/queue_probe/queue_probe_report.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

constexpr WorkerRole kRoles[] = {
    {role::kQueueProbe, queue_probe_role},
    {role::kQueueRecords, queue_records_role},
};

}  // namespace

constinit const Kind kQueueProbe{
    .traits = {.id = "queue_probe",
               .command = "aaco queue",
               .subject = "probe",
               .document = layout::kQueueProbe,
               .size = SessionSize::kStreams},
    .roles = kRoles,
    .report = report::queue_probe_report,
};

}  // namespace aaco
