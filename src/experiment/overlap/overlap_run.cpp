// SPDX-License-Identifier: MIT
#include "experiment/overlap/overlap_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "analysis/overlap/step_timeline.h"
#include "base/json.h"
#include "base/version.h"
#include "experiment/orchestrator.h"
#include "experiment/overlap/collective_paths.h"
#include "experiment/overlap/overlap_worker.h"
#include "experiment/overlap/rank_records.h"
#include "experiment/overlap/watch/hang_report.h"
#include "experiment/overlap_config/sharded_request.h"
#include "experiment/ranks/nodes/node_group.h"
#include "observe/environment.h"
#include "session/journal/journal_rows.h"
#include "session/layout.h"
#include "session/trace_tables.h"
#include "workload/sharded/communicator_ranks.h"

namespace aaco {

AACO_JSON_FIELDS(OverlapRequest, config, devices, first_rank, local_ranks, notes, check, inject, sessions, folder,
                 command_line)

namespace {

// Ten steps of a small model differ from one process's by the order of sums alone; a tenth of this was measured.
constexpr double kLossBound = 5e-6;
// Rounded to bf16 on the link, they differed by 8e-4 on four ranks at a rate of 0.003.
constexpr double kCastLossBound = 5e-3;

// In the pass that gathers fewer; behind a layer's gradients a block less is gathered beside what computes.
int64_t prefetch_of(const ShardedConfig& config) {
  const int32_t backward = config.backward_prefetch - (config.gathers_behind_layer ? 1 : 0);
  return config.limits_gathers ? std::min(config.prefetch, backward) : config.llama.shape.layers;
}

OverlapSetting setting_of(const ShardedConfig& config) {
  OverlapSetting setting;
  setting.shards = config.shards();
  setting.ranks = config.llama.ranks;
  setting.communicators = static_cast<int64_t>(communicator_ranks(config).size());
  setting.prefetch = prefetch_of(config);
  setting.clips = config.clip_norm > 0;
  setting.one_communicator = config.shards() && config.one_communicator;
  setting.reduces_behind = config.llama.ranks > 1 && !config.overlaps_reduction;
  return setting;
}

SessionInfo session_info_of(const OverlapRequest& request, const ShardedConfig& config) {
  SessionInfo info;
  info.kind = session_kind::kOverlap;
  info.command_line = request.command_line;
  info.planes["overlap"] = {PlaneStatus::kRecorded, ""};
  info.facts.model_name =
      fmt::format("{}, {}", overlap::word_of(request.config.model.kind), overlap::mode_text(request.config, config));
  info.facts.backend = request.devices.front();
  info.facts.batch = config.llama.sequences;
  info.facts.dims = {{"length", config.llama.length}};
  info.facts.processes = static_cast<int64_t>(request.devices.size());
  info.facts.warmup_minimum = request.config.training.unmeasured_steps;
  info.facts.iterations = std::to_string(config.llama.steps);
  info.facts.seed = static_cast<int64_t>(config.llama.seed);
  return info;
}

// Of each step the mean over ranks, as far as all have come.
std::vector<double> mean_over(const std::vector<const std::vector<double>*>& ranks) {
  std::vector<double> means;
  for (size_t step = 0; !ranks.empty(); ++step) {
    double sum = 0;
    for (const std::vector<double>* losses : ranks) {
      if (step >= losses->size()) {
        return means;
      }
      sum += (*losses)[step];
    }
    means.push_back(sum / static_cast<double>(ranks.size()));
  }
  return means;
}

void shift(RankRecords& records, int64_t ahead_ns) {
  for (std::vector<RecordRow>* rows : {&records.overlapped, &records.alone}) {
    for (RecordRow& row : *rows) {
      row.start_ns -= ahead_ns;
      row.end_ns -= ahead_ns;
    }
  }
}

class OverlapRun : public Strategy {
 public:
  OverlapRun(OverlapRequest request, const ProgressCallback& progress, NodeGroup* nodes)
      : request_(std::move(request)), progress_(progress), nodes_(nodes) {
    request_.local_ranks = nodes_ == nullptr ? ranks() : nodes_->own().local_ranks;
  }

  Result<SessionStart> prepare() override {
    if (request_.devices.empty()) {
      return Error{ErrorKind::kUsage, "no device", "name one for each rank"};
    }
    if (!request_.inject.kind.empty() && request_.inject.rank >= ranks()) {
      return Error{ErrorKind::kUsage, fmt::format("a fault in rank {} of {}", request_.inject.rank, ranks()),
                   "ranks count from 0"};
    }
    // Ranks know how many they are, and not how many of them are on the first node.
    if (overlap::FsdpConfig& fsdp = request_.config.fsdp;
        fsdp.sharding_strategy == overlap::ShardingStrategy::kHybridShard && fsdp.hybrid_shard_ranks == 0) {
      fsdp.hybrid_shard_ranks = request_.local_ranks;
    }
    overlap::RankPlace place;
    place.ranks = static_cast<int32_t>(ranks());
    place.local_ranks = static_cast<int32_t>(request_.local_ranks);
    AACO_ASSIGN(config_, overlap::sharded_config_of(request_.config, place));
    if (request_.inject.step > config_.llama.steps) {
      return Error{ErrorKind::kUsage,
                   fmt::format("a fault in step {} of {}", request_.inject.step, config_.llama.steps),
                   "steps count from 1: a smaller one, or a larger training.max_steps"};
    }
    return SessionStart{request_.sessions, session_info_of(request_, config_), {}, nodes_};
  }

  Result<void> start(Orchestrator& run) override {
    document_.version = program_version();
    document_.bundle = run.session().path().string();
    document_.created_utc = run.session().info().created_utc;
    document_.config = JsonValue(Json(request_.config));
    document_.model = overlap::word_of(request_.config.model.kind);
    document_.mode = overlap::mode_text(request_.config, config_);
    document_.dispatch = overlap::dispatch_of(request_.config) == DispatchMode::kGraph ? "graph" : "single";
    document_.setting = setting_of(config_);
    document_.steps = config_.llama.steps;
    document_.warmup = std::clamp<int64_t>(request_.config.training.unmeasured_steps, 0, config_.llama.steps - 1);
    document_.notes = request_.notes;
    for (std::string& note : overlap::sharding_notes(request_.config, config_)) {
      document_.notes.push_back(std::move(note));
    }
    if (nodes_ != nullptr) {
      document_.notes.push_back(nodes_->text());
    }
    request_.folder = run.folder();
    AACO_TRY(run.write_plan(Json(request_)));
    AACO_TRY(run.session().write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_ASSIGN(const std::vector<Json> found, step(run, role::kOverlapCheck, "checking"));
    std::vector<OverlapInspection> inspections;
    for (const Json& one : found) {
      AACO_ASSIGN(inspections.emplace_back(), from_json_value<OverlapInspection>(one, role::kOverlapCheck));
    }
    document_.parameters = inspections.front().parameters;
    document_.tokens = inspections.front().tokens * ranks();
    if (const std::string& why = inspections.front().not_registered; !why.empty()) {
      document_.notes.push_back("no memory is registered for collectives: " + why);
    }
    if (request_.check) {
      add_gates(inspections);
    }
    return gates_hold();
  }

  int64_t processes() const override { return 1; }

  // All ranks are one process of the orchestrator's.
  Result<void> run_process(Orchestrator& run, int64_t /*process*/) override {
    const Result<std::vector<Json>> measured = step(run, role::kOverlapMeasure, "training");
    if (!measured) {
      return cause_of(run, measured.error());
    }
    for (const Json& one : *measured) {
      AACO_ASSIGN(document_.ranks.emplace_back(), from_json_value<OverlapRank>(one, role::kOverlapMeasure));
    }
    note_priorities();
    AACO_TRY(keep_iterations(run));
    if (!request_.config.profiling.enabled) {
      document_.notes.emplace_back(
          "profiling.enabled is false: nothing was recorded, and there are no figures of overlap");
      return {};
    }
    AACO_ASSIGN(const std::vector<Json> recorded, step(run, role::kOverlapRecord, "recording"));
    std::vector<RankRecords> records;
    for (const Json& one : recorded) {
      AACO_ASSIGN(RankRecords& of_rank = records.emplace_back(),
                  from_json_value<RankRecords>(one, role::kOverlapRecord));
      shift(of_rank, ahead_ns(of_rank.rank));
    }
    add_clock_note();
    document_.collective_paths = all_paths(records);
    AACO_TRY(analyse(run, records));
    return paths_hold();
  }

  // Whatever there is by now.
  Result<SessionEnd> store(Orchestrator& run) override {
    add_losses();
    AACO_TRY(run.session().write_rows<IterationRow>(layout::kIterations, iterations_));
    AACO_TRY(run.session().write_json_file("request.json", Json(request_)));
    AACO_TRY(run.session().write_json_file(layout::kOverlap, document_));
    return SessionEnd();
  }

  // Errors: a gate that does not hold.
  Result<void> gates_hold() const {
    for (const TrainingGate& gate : document_.gates) {
      if (!gate.passed) {
        return Error{ErrorKind::kInvalid, fmt::format("{}: {} (must be {})", gate.name, gate.found, gate.must),
                     fmt::format("nothing is said of a training that is wrong; {} has all gates", document_.bundle)};
      }
    }
    return {};
  }
  OverlapDocument take_document() { return std::move(document_); }

 private:
  int64_t ranks() const { return static_cast<int64_t>(request_.devices.size()); }

  Result<std::vector<Json>> step(Orchestrator& run, const char* worker_role, const char* what) {
    constexpr double kRoles = 3;
    progress_(fmt::format("{} {} ranks, {}", what, ranks(), document_.mode), done_ / kRoles);
    done_ += 1;
    return run.run_ranks(worker_role, ranks());
  }

  // Where one rank held the others up, that, whatever the others failed at then.
  Error cause_of(const Orchestrator& run, const Error& error) {
    if (error.kind == ErrorKind::kInterrupted) {
      return error;
    }
    std::vector<int64_t> ahead;
    for (int64_t rank = 0; rank < ranks(); ++rank) {
      ahead.push_back(ahead_ns(rank));
    }
    document_.hang = hang_report(run.folder(), ranks(), static_cast<double>(request_.config.distributed.timeout_s),
                                 {error, run.dead_rank()}, ahead);
    return document_.hang ? Error{ErrorKind::kResource, document_.hang->text, error.hint} : error;
  }

  void add_gates(const std::vector<OverlapInspection>& inspections) {
    std::string race;
    for (const OverlapInspection& inspection : inspections) {
      race = race.empty() ? inspection.race : race;
    }
    document_.gates.push_back({"no races", race.empty(), race.empty() ? "none" : race, "none between streams"});
    add_loss_gate("losses are those of one process", inspections, &OverlapInspection::small_losses, kLossBound);
    if (config_.reduce_dtype != Dtype::kF32) {
      add_loss_gate(fmt::format("losses with gradients in {} on the link", name_of(config_.reduce_dtype)), inspections,
                    &OverlapInspection::small_losses_cast, kCastLossBound);
    }
  }

  void add_loss_gate(const std::string& name, const std::vector<OverlapInspection>& inspections,
                     std::vector<double> OverlapInspection::* losses, double bound) {
    std::vector<const std::vector<double>*> small;
    for (const OverlapInspection& inspection : inspections) {
      small.push_back(&(inspection.*losses));
    }
    const std::vector<double> means = mean_over(small);
    const std::vector<double>& alone = inspections.front().small_losses_alone;
    double worst = means.size() == alone.size() && !alone.empty() ? 0 : INFINITY;
    for (size_t i = 0; i < std::min(means.size(), alone.size()); ++i) {
      worst = std::max(worst, std::abs(means[i] - alone[i]));
    }
    document_.gates.push_back({name, worst <= bound,
                               fmt::format("{} steps of a small model differ by {:.2g}", means.size(), worst),
                               fmt::format("at most {:.0e}", bound)});
  }

  void note_priorities() {
    const OverlapRank& first = document_.ranks.front();
    if (!overlap::priority_words(request_.config.streams.high_priority).empty() &&
        first.priority_range.front() == first.priority_range.back()) {
      document_.notes.push_back(
          fmt::format("streams.high_priority has no effect: the streams of {} have no priorities", first.device));
    }
  }

  // Errors: of a way that was required and not taken.
  Result<void> paths_hold() {
    const overlap::DistributedConfig& distributed = request_.config.distributed;
    const std::string missed = paths_missed(distributed.collectives, document_.collective_paths);
    if (missed.empty() || document_.setting.communicators == 0) {
      return {};
    }
    const std::string what =
        fmt::format("collectives by {} were asked for: {} ({})", overlap::word_of(distributed.collectives), missed,
                    document_.ranks.front().library);
    if (distributed.require_collectives) {
      return Error{ErrorKind::kUnavailable, what,
                   "docs/measuring.md says what each way wants; without --require this is a note"};
    }
    document_.notes.push_back(what);
    return {};
  }

  Result<void> keep_iterations(Orchestrator& run) {
    for (const OverlapRank& rank : document_.ranks) {
      AACO_ASSIGN(auto rows, read_iteration_journal(run.folder() / iteration_journal_name(rank.rank), rank.rank));
      for (IterationRow& row : rows) {
        row.t_start_ns -= ahead_ns(rank.rank);
        row.t_end_ns -= ahead_ns(rank.rank);
      }
      iterations_.insert(iterations_.end(), rows.begin(), rows.end());
      ProcessFacts facts;
      facts.process = rank.rank;
      facts.role = "measure";
      facts.pid = rank.pid;
      facts.warmup_iterations = document_.warmup;
      run.session().info().facts.process_facts.push_back(facts);
    }
    return {};
  }

  Result<void> analyse(Orchestrator& run, const std::vector<RankRecords>& records) {
    const EventTable overlapped = events_of_ranks(records, &RankRecords::overlapped);
    const EventTable alone = events_of_ranks(records, &RankRecords::alone);
    const int64_t steps = records.front().steps;
    auto figures = overlap_figures({overlapped, steps, &alone, steps});
    if (!figures) {
      document_.notes.push_back("no figures of overlap: " + figures.error().message);
      return write_trace_tables(run.session().path(), overlapped);
    }
    document_.figures = std::move(*figures);
    document_.causes = overlap_causes(*document_.figures, document_.setting);
    AACO_TRY(write_trace_tables(run.session().path(), overlapped));
    AACO_ASSIGN(document_.timeline, step_timeline(overlapped, steps, steps / 2));
    return {};
  }

  // Of the clock of a rank's node, as it was found around the last step.
  int64_t ahead_ns(int64_t rank) const { return nodes_ == nullptr ? 0 : nodes_->clock_of(rank).ahead_ns; }

  void add_clock_note() {
    if (nodes_ == nullptr) {
      return;
    }
    int64_t worst_ns = 0;
    for (const OtherNode& node : nodes_->others()) {
      worst_ns = std::max(worst_ns, node.clock.error_ns);
    }
    document_.notes.push_back(
        fmt::format("times of other nodes are within {:.0f} us of this one's: less cannot be told apart between nodes",
                    static_cast<double>(worst_ns) / 1e3));
  }

  void add_losses() {
    std::vector<const std::vector<double>*> losses;
    double slowest_ns = 0;
    for (const OverlapRank& rank : document_.ranks) {
      losses.push_back(&rank.losses);
      slowest_ns = std::max(slowest_ns, rank.step_mean_ns.value_or(0));
    }
    document_.losses = mean_over(losses);
    if (slowest_ns > 0) {
      document_.tokens_per_s = static_cast<double>(document_.tokens) * 1e9 / slowest_ns;
    }
  }

  OverlapRequest request_;
  const ProgressCallback& progress_;
  NodeGroup* nodes_;
  ShardedConfig config_;
  double done_ = 0;
  std::vector<IterationRow> iterations_;
  OverlapDocument document_;
};

}  // namespace

Result<OverlapDocument> run_overlap(const OverlapRequest& request, const ProgressCallback& progress, NodeGroup* nodes,
                                    std::optional<OverlapDocument>* hung) {
  OverlapRun run(request, progress, nodes);
  const Result<void> ran = orchestrate(run);
  OverlapDocument document = run.take_document();
  if (ran) {
    return document;
  }
  if (hung != nullptr && document.hang) {
    *hung = std::move(document);
  }
  return ran.error();
}

}  // namespace aaco
