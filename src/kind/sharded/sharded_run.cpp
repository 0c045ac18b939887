// SPDX-License-Identifier: MIT
#include "kind/sharded/sharded_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/version.h"
#include "engine/orchestrator.h"
#include "engine/ranks/nodes/node_group.h"
#include "kind/sharded/analysis/step_timeline.h"
#include "kind/sharded/checkpoint.h"
#include "kind/sharded/collective_paths.h"
#include "kind/sharded/config/sharded_request.h"
#include "kind/sharded/loss_gate.h"
#include "kind/sharded/rank_records.h"
#include "kind/sharded/sharded_kind.h"
#include "kind/sharded/sharded_worker.h"
#include "kind/sharded/watch/hang_report.h"
#include "observe/environment.h"
#include "record/journal/journal_rows.h"
#include "session/bundle/layout.h"
#include "session/session_document.h"
#include "session/trace_tables.h"
#include "workload/sharded/communication/communicator_ranks.h"

namespace aaco {

AACO_JSON_FIELDS(ShardedRequest, config, devices, first_rank, local_ranks, notes, check, inject, sessions, folder,
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

ShardedSetting setting_of(const ShardedConfig& config) {
  ShardedSetting setting;
  setting.shards = config.shards();
  setting.ranks = config.llama.ranks;
  setting.communicators = static_cast<int64_t>(communicator_ranks(config).size());
  setting.prefetch = prefetch_of(config);
  setting.clips = config.clip_norm > 0;
  setting.one_communicator = config.shards() && config.one_communicator;
  setting.reduces_behind = config.llama.ranks > 1 && !config.overlaps_reduction;
  return setting;
}

SessionInfo session_info_of(const ShardedRequest& request, const ShardedConfig& config) {
  SessionInfo info;
  info.kind = kSharded.traits;
  info.command_line = request.command_line;
  info.planes["overlap"] = {PlaneStatus::kRecorded, ""};
  info.facts.model_name =
      fmt::format("{}, {}", sharded::word_of(request.config.model.kind), sharded::mode_text(request.config, config));
  info.facts.backend = fmt::format("{}", fmt::join(request.devices, ","));
  info.facts.batch = config.llama.sequences;
  info.facts.dims = {{"length", config.llama.length}};
  info.facts.processes = static_cast<int64_t>(request.devices.size());
  info.facts.warmup_minimum = request.config.training.unmeasured_steps;
  info.facts.iterations = std::to_string(config.llama.steps);
  info.facts.seed = static_cast<int64_t>(config.llama.seed);
  return info;
}

class ShardedRun : public Strategy {
 public:
  ShardedRun(ShardedRequest request, const ProgressCallback& progress, NodeGroup* nodes)
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
    if (sharded::FsdpConfig& fsdp = request_.config.fsdp;
        fsdp.sharding_strategy == sharded::ShardingStrategy::kHybridShard && fsdp.hybrid_shard_ranks == 0) {
      fsdp.hybrid_shard_ranks = request_.local_ranks;
    }
    document_.config = JsonValue(Json(request_.config));
    sharded::choose_capture(request_.config, request_.devices, request_.notes);
    sharded::RankPlace place;
    place.ranks = static_cast<int32_t>(ranks());
    place.local_ranks = static_cast<int32_t>(request_.local_ranks);
    AACO_ASSIGN(config_, sharded::sharded_config_of(request_.config, place));
    if (request_.inject.step > config_.llama.steps) {
      return Error{ErrorKind::kUsage,
                   fmt::format("a fault in step {} of {}", request_.inject.step, config_.llama.steps),
                   "steps count from 1: a smaller one, or a larger training.max_steps"};
    }
    AACO_TRY(expect_steps_to_measure());
    return SessionStart{request_.sessions, session_info_of(request_, config_), {}, nodes_, request_.kernel_plane};
  }

  Result<void> start(Orchestrator& run) override {
    document_.version = program_version();
    document_.bundle = run.session().path().string();
    document_.created_utc = run.session().info().created_utc;
    document_.model = sharded::word_of(request_.config.model.kind);
    document_.mode = sharded::mode_text(request_.config, config_);
    document_.dispatch = word_of(sharded::dispatch_of(request_.config));
    document_.setting = setting_of(config_);
    document_.steps = config_.llama.steps;
    document_.warmup = std::clamp<int64_t>(request_.config.training.unmeasured_steps, 0, config_.llama.steps - 1);
    document_.notes = request_.notes;
    for (std::string& note : sharded::sharding_notes(request_.config, config_)) {
      document_.notes.push_back(std::move(note));
    }
    if (nodes_ != nullptr) {
      document_.notes.push_back(nodes_->text());
    }
    request_.folder = run.folder();
    AACO_TRY(run.write_plan(Json(request_)));
    AACO_TRY(run.session().write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_ASSIGN(const std::vector<Json> found, step(run, role::kShardedCheck, "checking"));
    std::vector<ShardedInspection> inspections;
    for (const Json& one : found) {
      AACO_ASSIGN(inspections.emplace_back(), from_json_value<ShardedInspection>(one, role::kShardedCheck));
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
    const Result<std::vector<Json>> measured = step(run, role::kShardedMeasure, "training");
    if (!measured) {
      return cause_of(run, measured.error());
    }
    for (const Json& one : *measured) {
      AACO_ASSIGN(document_.ranks.emplace_back(), from_json_value<ShardedRank>(one, role::kShardedMeasure));
    }
    note_priorities();
    AACO_TRY(keep_iterations(run));
    if (!request_.config.profiling.enabled) {
      document_.notes.emplace_back(
          "profiling.enabled is false: nothing was recorded, and there are no figures of overlap");
      add_kernels_gate({}, "profiling.enabled is false: no step was recorded");
      return {};
    }
    AACO_ASSIGN(const std::vector<Json> recorded, step(run, role::kShardedRecord, "recording"));
    std::vector<RankRecords> records;
    for (const Json& one : recorded) {
      AACO_ASSIGN(records.emplace_back(), from_json_value<RankRecords>(one, role::kShardedRecord));
    }
    add_clock_note();
    document_.collective_paths = all_paths(records);
    AACO_TRY(analyse(run, records));
    AACO_TRY(gates_hold());
    return paths_hold();
  }

  // Whatever there is by now.
  Result<SessionEnd> store(Orchestrator& run) override {
    add_losses();
    AACO_TRY(run.session().write_rows<IterationRow>(layout::kIterations, iterations_));
    AACO_TRY(run.session().write_json_file("request.json", Json(request_)));
    AACO_TRY(write_document(run.session(), layout::kOverlap, document_, read_sharded_document));
    return SessionEnd();
  }

  // Errors: a gate that does not hold.
  Result<void> gates_hold() const {
    for (const TrainingGate& gate : document_.gates) {
      if (is_failed(gate)) {
        return Error{ErrorKind::kInvalid, fmt::format("{}: {} (must be {})", gate.name, gate.found, gate.must),
                     fmt::format("nothing is said of a training that is wrong; {} has all gates", document_.bundle)};
      }
    }
    return {};
  }
  ShardedDocument take_document() { return std::move(document_); }

 private:
  int64_t ranks() const { return static_cast<int64_t>(request_.devices.size()); }

  Result<void> expect_steps_to_measure() const {
    int64_t done = 0;
    if (const std::string& folder = request_.config.training.resume; !folder.empty()) {
      AACO_ASSIGN(const CheckpointPlace place, find_checkpoint(folder, ranks()));
      done = place.step;
    }
    return expect_measured_step(config_.llama.steps, done, request_.config.compile.is_captured());
  }

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
    document_.hang = hang_report(run.folder(), ranks(), static_cast<double>(request_.config.distributed.timeout_s),
                                 {error, run.dead_rank()}, all_ahead_ns());
    return document_.hang ? Error{ErrorKind::kResource, document_.hang->text, error.hint} : error;
  }

  void add_gates(const std::vector<ShardedInspection>& inspections) {
    std::string race;
    for (const ShardedInspection& inspection : inspections) {
      race = race.empty() ? inspection.race : race;
    }
    document_.gates.push_back({"no races", race.empty(), race.empty() ? "none" : race, "none between streams"});
    document_.gates.back().kernels.emplace();
    add_loss_gate("losses are those of one process", inspections, &ShardedInspection::small_losses, kLossBound);
    if (config_.reduce_dtype != Dtype::kF32) {
      add_loss_gate(fmt::format("losses with gradients in {} on the link", name_of(config_.reduce_dtype)), inspections,
                    &ShardedInspection::small_losses_cast, kCastLossBound);
    }
    std::vector<OwnSizeResult> own;
    for (const ShardedInspection& inspection : inspections) {
      own.push_back(inspection.own_size.value_or(OwnSizeResult()));
      kernels_unavailable_ = kernels_unavailable_.empty() ? inspection.kernels_unavailable : kernels_unavailable_;
    }
    document_.gates.push_back(own_size_gate(own));
  }

  // Whether gates executed each kernel of the recorded steps.
  void add_kernels_gate(const std::vector<std::string>& timed, const std::string& unavailable) {
    if (request_.check) {
      document_.gates.push_back(kernels_gate(timed, document_.gates, unavailable));
    }
  }

  void add_loss_gate(const std::string& name, const std::vector<ShardedInspection>& inspections,
                     std::vector<double> ShardedInspection::* losses, double bound) {
    std::vector<const std::vector<double>*> small;
    for (const ShardedInspection& inspection : inspections) {
      small.push_back(&(inspection.*losses));
    }
    document_.gates.push_back(loss_gate(name, small, inspections.front().small_losses_alone, bound));
    document_.gates.back().against = "one process, fp32";
    document_.gates.back().kernels = inspections.front().small_kernels;
  }

  void note_priorities() {
    const ShardedRank& first = document_.ranks.front();
    if (!sharded::priority_words(request_.config.streams.high_priority).empty() &&
        first.priority_range.front() == first.priority_range.back()) {
      document_.notes.push_back(
          fmt::format("streams.high_priority has no effect: the streams of {} have no priorities", first.device));
    }
  }

  // Errors: of a way that was required and not taken.
  Result<void> paths_hold() {
    const sharded::DistributedConfig& distributed = request_.config.distributed;
    const std::string missed = paths_missed(distributed.collectives, document_.collective_paths);
    if (missed.empty() || document_.setting.communicators == 0) {
      return {};
    }
    const std::string what =
        fmt::format("collectives by {} were asked for: {} ({})", sharded::word_of(distributed.collectives), missed,
                    document_.ranks.front().library);
    if (distributed.require_collectives) {
      return Error{ErrorKind::kUnavailable, what,
                   "docs/measuring/overlap.md says what each way wants; without --require this is a note"};
    }
    document_.notes.push_back(what);
    return {};
  }

  Result<void> keep_iterations(Orchestrator& run) {
    for (const ShardedRank& rank : document_.ranks) {
      AACO_ASSIGN(auto rows, read_iteration_journal(run.folder() / iteration_journal_name(rank.rank), rank.rank));
      for (IterationRow& row : rows) {
        row.t_start_ns -= ahead_ns(rank.rank);
        row.t_end_ns -= ahead_ns(rank.rank);
      }
      iterations_.insert(iterations_.end(), rows.begin(), rows.end());
      ProcessFacts facts;
      facts.process = rank.rank;
      facts.role = ProcessRole::kMeasure;
      facts.pid = rank.pid;
      facts.warmup_iterations = document_.warmup;
      run.session().info().facts.process_facts.push_back(facts);
    }
    return {};
  }

  // Every rank recorded as many steps.
  Result<void> analyse(Orchestrator& run, const std::vector<RankRecords>& records) {
    const int64_t steps = records.front().steps;
    std::vector<RecordedTurn> turns;
    for (const RankRecords& rank : records) {
      turns.insert(turns.end(), rank.turns.begin(), rank.turns.end());
    }
    AACO_ASSIGN(const EventTable overlapped,
                read_rank_journals(run.folder(), StepJournal::kOverlapped, all_ahead_ns()));
    add_kernels_gate(kernel_names(overlapped), kernels_unavailable_);
    AACO_ASSIGN(const EventTable alone, read_rank_journals(run.folder(), StepJournal::kOneByOne, all_ahead_ns()));
    auto figures = overlap_figures({overlapped, steps, &alone, steps, records.front().turn_steps, turns, rank_nodes()});
    if (!figures) {
      document_.notes.push_back("no figures of overlap: " + figures.error().message);
      return write_trace(run.session(), overlapped);
    }
    document_.figures = std::move(*figures);
    document_.causes = overlap_causes(*document_.figures, document_.setting);
    AACO_TRY(write_trace(run.session(), overlapped));
    AACO_ASSIGN(document_.timeline, step_timeline(overlapped, steps, steps / 2));
    return {};
  }

  // Of the clock of a rank's node, as it was found around the last step.
  int64_t ahead_ns(int64_t rank) const { return nodes_ == nullptr ? 0 : nodes_->clock_of(rank).ahead_ns; }

  std::vector<int64_t> all_ahead_ns() const {
    std::vector<int64_t> ahead;
    for (int64_t rank = 0; rank < ranks(); ++rank) {
      ahead.push_back(ahead_ns(rank));
    }
    return ahead;
  }

  // A node is named by its first rank. Empty: there is one.
  std::vector<RankNode> rank_nodes() const {
    if (nodes_ == nullptr) {
      return {};
    }
    std::vector<RankNode> found(static_cast<size_t>(ranks()));
    for (const OtherNode& node : nodes_->others()) {
      for (int64_t rank = node.facts.first_rank; rank < node.facts.first_rank + node.facts.local_ranks; ++rank) {
        found.at(static_cast<size_t>(rank)) = {node.facts.first_rank, node.clock.error_ns};
      }
    }
    return found;
  }

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
    for (const ShardedRank& rank : document_.ranks) {
      losses.push_back(&rank.losses);
      slowest_ns = std::max(slowest_ns, rank.step_mean_ns.value_or(0));
    }
    document_.losses = mean_losses(losses);
    if (slowest_ns > 0) {
      document_.tokens_per_s = static_cast<double>(document_.tokens) * 1e9 / slowest_ns;
    }
  }

  ShardedRequest request_;
  const ProgressCallback& progress_;
  NodeGroup* nodes_;
  ShardedConfig config_;
  std::string kernels_unavailable_;  // of the gates
  double done_ = 0;
  std::vector<IterationRow> iterations_;
  ShardedDocument document_;
};

}  // namespace

Result<void> expect_measured_step(int64_t steps, int64_t done, bool is_captured) {
  if (!is_captured || done + 1 < steps) {
    return {};
  }
  return Error{ErrorKind::kUsage,
               fmt::format("training.max_steps: of {} none would be measured{}, since one is done before the step is "
                           "captured",
                           counted(steps, "step", "steps"),
                           done > 0 ? fmt::format(" behind the {} of training.resume", done) : ""),
               fmt::format("train {} steps or more, or set compile.capture=never", done + 2)};
}

Result<ShardedDocument> run_sharded(const ShardedRequest& request, const ProgressCallback& progress, NodeGroup* nodes,
                                    std::optional<ShardedDocument>* hung) {
  ShardedRun run(request, progress, nodes);
  const Result<void> ran = orchestrate(run);
  ShardedDocument document = run.take_document();
  if (ran) {
    return document;
  }
  if (hung != nullptr && document.hang) {
    *hung = std::move(document);
  }
  return ran.error();
}

}  // namespace aaco
