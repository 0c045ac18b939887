// SPDX-License-Identifier: MIT
#include "experiment/queue/queue_probe.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/version.h"
#include "device/backend.h"
#include "experiment/orchestrator.h"
#include "experiment/queue/probes/convoy_probe.h"
#include "experiment/queue/probes/launch_probe.h"
#include "experiment/queue/probes/priority_probe.h"
#include "experiment/queue/probes/queue_limit_probe.h"
#include "experiment/queue/probes/queue_map_probe.h"
#include "experiment/queue/probes/switch_probe.h"
#include "experiment/queue/queue_worker.h"
#include "observe/environment.h"
#include "session/layout.h"
#include "workload/workload.h"

namespace aaco {

AACO_JSON_FIELDS(QueueProbeRun, switches, launches, blocking, saturating, convoy, priority, device_name)

namespace {

constexpr int64_t kMostProcesses = 1000;

Result<void> check_request(const QueueProbeRequest& request) {
  if (request.streams < 2 || request.streams > kMostStreams) {
    return Error{ErrorKind::kUsage, fmt::format("--streams {}: not from 2 to {}", request.streams, kMostStreams),
                 "a switch needs two streams"};
  }
  if (request.processes < 1 || request.processes > kMostProcesses) {
    return Error{ErrorKind::kUsage, fmt::format("--processes {}: not from 1 to {}", request.processes, kMostProcesses),
                 "three at least give an interval"};
  }
  AACO_TRY(backend_of(request.device));
  return {};
}

// Raw, of all processes.
struct ProbeRuns {
  std::vector<QueueProbeRun> runs;
  std::vector<RecordRun> records;  // each of a process of its own
};

template <class T>
std::vector<T> gather(const std::vector<QueueProbeRun>& runs, T QueueProbeRun::* member) {
  std::vector<T> all;
  for (const QueueProbeRun& run : runs) {
    all.push_back(run.*member);
  }
  return all;
}

void judge(const ProbeRuns& found, QueueProbeOutcome& outcome) {
  const std::vector<QueueProbeRun>& runs = found.runs;
  outcome.records = record_check(found.records);
  const std::vector<SwitchRun> switches = gather(runs, &QueueProbeRun::switches);
  outcome.independent = switch_cost(switches, SwitchSide::kIndependent);
  outcome.hand_off = switch_cost(switches, SwitchSide::kHandOff);
  outcome.launches = launch_costs(gather(runs, &QueueProbeRun::launches));
  std::vector<BlockingProbe> votes;
  std::vector<LimitProbe> saturating;
  for (const QueueProbeRun& run : runs) {
    votes.insert(votes.end(), run.blocking.begin(), run.blocking.end());
    saturating.insert(saturating.end(), run.saturating.begin(), run.saturating.end());
  }
  outcome.map = queue_map(outcome.request.streams, votes);
  outcome.limit = queue_limit(saturating);
  outcome.convoy = convoy(gather(runs, &QueueProbeRun::convoy), ConvoyThresholds());
  outcome.priority = priority_effect(gather(runs, &QueueProbeRun::priority));
  outcome.device_name = runs.front().device_name;
}

class QueueProbe : public Strategy {
 public:
  QueueProbe(const QueueProbeRequest& request, const ProgressCallback& progress) : progress_(progress) {
    outcome_.request = request;
  }

  Result<SessionStart> prepare() override {
    const QueueProbeRequest& request = outcome_.request;
    AACO_TRY(check_request(request));
    AACO_TRY(make_folders(request.sessions));
    SessionStart start{request.sessions, {}, {}};
    start.info.kind = session_kind::kQueueProbe;
    start.info.command_line = request.command_line;
    start.info.planes["queue"] = {PlaneStatus::kRecorded, ""};
    start.info.facts.backend = request.device;
    start.info.facts.processes = request.processes;
    return start;
  }

  Result<void> start(Orchestrator& run) override {
    outcome_.bundle = run.session().path();
    outcome_.request.folder = run.folder();
    return run.write_plan(Json(outcome_.request));
  }

  int64_t processes() const override { return outcome_.request.processes; }

  Result<void> run_process(Orchestrator& run, int64_t process) override {
    AACO_TRY(check_interrupt());
    progress_(fmt::format("probing {} with {} streams", outcome_.request.device, outcome_.request.streams),
              static_cast<double>(process) / static_cast<double>(processes()));
    AACO_ASSIGN(const Json json, run.run(role::kQueueProbe, process));
    AACO_ASSIGN(found_.runs.emplace_back(), from_json_value<QueueProbeRun>(json, role::kQueueProbe));
    AACO_ASSIGN(const Json records, run.run(role::kQueueRecords, process));
    AACO_ASSIGN(found_.records.emplace_back(), from_json_value<RecordRun>(records, role::kQueueRecords));
    return {};
  }

  // Figures are of all processes: fewer say nothing.
  Result<SessionEnd> store(Orchestrator& run) override {
    if (static_cast<int64_t>(found_.records.size()) < processes()) {
      return SessionEnd();
    }
    judge(found_, outcome_);
    SessionWriter& session = run.session();
    AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_TRY(
        session.write_json_file(layout::kQueueProbe, {{QueueProbeDocument::kMember, queue_probe_document(outcome_)},
                                                      {"raw", found_.runs},
                                                      {"raw_records", found_.records}}));
    return SessionEnd();
  }

  QueueProbeOutcome take_outcome() { return std::move(outcome_); }

 private:
  const ProgressCallback& progress_;
  QueueProbeOutcome outcome_;
  ProbeRuns found_;
};

}  // namespace

Result<QueueProbeRun> probe_queues(const QueueProbeRequest& request) {
  AACO_ASSIGN(Device * device, open_device(request.device));
  QueueProbeRun run;
  run.device_name = device->properties().name;
  AACO_ASSIGN(run.launches, probe_launches(*device, LaunchProbe()));
  SwitchProbe switches;
  switches.streams = request.streams;
  AACO_ASSIGN(run.switches, probe_switches(*device, switches));
  QueueMapProbe map;
  map.streams = request.streams;
  map.repeats = request.streams > 32 ? 1 : 5;  // pairs grow with the square; processes add votes
  AACO_ASSIGN(run.blocking, probe_queue_map(*device, map));
  AACO_ASSIGN(run.saturating, probe_queue_limit(*device, QueueLimitProbe()));
  AACO_ASSIGN(run.convoy, probe_convoy(*device, ConvoyProbe()));
  AACO_ASSIGN(run.priority, probe_priority(*device, PriorityProbe()));
  return run;
}

Result<QueueProbeOutcome> run_queue_probe(const QueueProbeRequest& request, const ProgressCallback& progress) {
  QueueProbe probe(request, progress);
  AACO_TRY(orchestrate(probe));
  return probe.take_outcome();
}

QueueProbeDocument queue_probe_document(const QueueProbeOutcome& outcome) {
  return {.version = program_version(),
          .bundle = outcome.bundle.string(),
          .request = outcome.request,
          .device_name = outcome.device_name,
          .independent = outcome.independent,
          .hand_off = outcome.hand_off,
          .launches = outcome.launches,
          .map = outcome.map,
          .limit = outcome.limit,
          .convoy = outcome.convoy,
          .priority = outcome.priority,
          .records = outcome.records};
}

}  // namespace aaco
