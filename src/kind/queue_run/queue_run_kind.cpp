// SPDX-License-Identifier: MIT
#include "kind/queue_run/queue_run_kind.h"

#include "base/json/json.h"
#include "kind/queue_run/document/queue_run_document.h"
#include "kind/queue_run/queue_run.h"
#include "kind/queue_run/report/queue_report.h"
#include "kind/queue_run/worker/queue_worker.h"
#include "kind/queue_samples.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

constexpr WorkerRole kRoles[] = {
    {role::kQueueCheck, queue_check_role},
    {role::kQueueMeasure, queue_measure_role},
    {role::kQueueProfile, queue_profile_role},
};

// Of an iteration, where the host waited for each.
std::optional<double> queue_p50_ms(const std::filesystem::path& bundle) {
  const Result<Json> json = read_json(bundle / layout::kQueue);
  const Result<QueueRunDocument> run = json ? read_queue_run(*json, bundle.string()) : json.error();
  return run && run->figures.latency ? std::optional(run->figures.latency->p50_ns.value / 1e6) : std::nullopt;
}

}  // namespace

constinit const Kind kQueueRun{
    .traits = {.id = "queue",
               .command = "aaco queue",
               .document = layout::kQueue,
               .has_iterations = true,
               .size = SessionSize::kStreams},
    .roles = kRoles,
    .report = report::queue_run_report,
    .p50_ms = queue_p50_ms,
    .samples = queue_samples,
    .compared_value = "time per unit",
    .is_per_unit = true,
    .rerun = rerun_queues,
};

}  // namespace aaco
