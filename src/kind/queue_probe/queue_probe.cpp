// SPDX-License-Identifier: MIT
#include "kind/queue_probe/queue_probe.h"

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/version.h"
#include "device/backend.h"
#include "engine/orchestrator.h"
#include "kind/queue_probe/probe_worker.h"
#include "kind/queue_probe/probes/convoy_probe.h"
#include "kind/queue_probe/probes/launch_probe.h"
#include "kind/queue_probe/probes/priority_probe.h"
#include "kind/queue_probe/probes/queue_limit_probe.h"
#include "kind/queue_probe/probes/queue_map_probe.h"
#include "kind/queue_probe/probes/switch_probe.h"
#include "kind/queue_probe/queue_probe_kind.h"
#include "observe/environment.h"
#include "session/bundle/layout.h"
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

void judge(const ProbeRuns& found, QueueProbeDocument& document) {
  const std::vector<QueueProbeRun>& runs = found.runs;
  document.records = record_check(found.records);
  const std::vector<SwitchRun> switches = gather(runs, &QueueProbeRun::switches);
  document.independent = switch_cost(switches, SwitchSide::kIndependent);
  document.hand_off = switch_cost(switches, SwitchSide::kHandOff);
  document.launches = launch_costs(gather(runs, &QueueProbeRun::launches));
  std::vector<BlockingProbe> votes;
  std::vector<LimitProbe> saturating;
  for (const QueueProbeRun& run : runs) {
    votes.insert(votes.end(), run.blocking.begin(), run.blocking.end());
    saturating.insert(saturating.end(), run.saturating.begin(), run.saturating.end());
  }
  document.map = queue_map(document.request.streams, votes);
  document.limit = queue_limit(saturating);
  document.convoy = convoy(gather(runs, &QueueProbeRun::convoy), ConvoyThresholds());
  document.priority = priority_effect(gather(runs, &QueueProbeRun::priority));
  document.device_name = runs.front().device_name;
}

class QueueProbe : public Strategy {
 public:
  QueueProbe(const QueueProbeRequest& request, const ProgressCallback& progress) : progress_(progress) {
    document_.version = program_version();
    document_.request = request;
  }

  Result<SessionStart> prepare() override {
    const QueueProbeRequest& request = document_.request;
    AACO_TRY(check_request(request));
    AACO_TRY(make_folders(request.sessions));
    SessionStart start{request.sessions, {}, {}};
    start.info.kind = kQueueProbe.traits;
    start.info.command_line = request.command_line;
    start.info.planes["queue"] = {PlaneStatus::kRecorded, ""};
    start.info.facts.backend = request.device;
    start.info.facts.processes = request.processes;
    return start;
  }

  Result<void> start(Orchestrator& run) override {
    document_.bundle = run.session().path().string();
    document_.request.folder = run.folder();
    return run.write_plan(Json(document_.request));
  }

  int64_t processes() const override { return document_.request.processes; }

  Result<void> run_process(Orchestrator& run, int64_t process) override {
    AACO_TRY(check_interrupt());
    progress_(fmt::format("probing {} with {} streams", document_.request.device, document_.request.streams),
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
    judge(found_, document_);
    SessionWriter& session = run.session();
    AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_TRY(session.write_json_file(
        layout::kQueueProbe,
        {{QueueProbeDocument::kMember, document_}, {"raw", found_.runs}, {"raw_records", found_.records}}));
    return SessionEnd();
  }

  QueueProbeDocument take_document() { return std::move(document_); }

 private:
  const ProgressCallback& progress_;
  QueueProbeDocument document_;
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

Result<QueueProbeDocument> run_queue_probe(const QueueProbeRequest& request, const ProgressCallback& progress) {
  QueueProbe probe(request, progress);
  AACO_TRY(orchestrate(probe));
  return probe.take_document();
}

}  // namespace aaco
