// SPDX-License-Identifier: MIT
#include "kind/sharded/sharded_worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "device/backend.h"
#include "engine/worker_role.h"
#include "kind/sharded/checkpoint.h"
#include "kind/sharded/config/sharded_request.h"
#include "kind/sharded/prepared_rank.h"
#include "kind/sharded/rank_records.h"
#include "kind/sharded/recorded_turns.h"
#include "kind/sharded/step_log.h"
#include "kind/sharded/watch/rank_watch.h"
#include "kind/sharded/watch/watched_communicator.h"
#include "kind/sharded/watch/watched_dispatcher.h"
#include "kind/training/worker/step_loop.h"
#include "record/device/activity_table.h"
#include "record/journal/event_journal.h"
#include "workload/checks/hazards.h"
#include "workload/checks/verify.h"
#include "workload/training/gates/llama_gates.h"

namespace aaco {

AACO_JSON_FIELDS(ShardedInspection, rank, parameters, tokens, communicators, race, not_registered, small_losses,
                 small_losses_alone, small_losses_cast, small_kernels, own_size, kernels_unavailable)

namespace {

constexpr int64_t kSmallSteps = 10;
constexpr int64_t kLeastWarmup = 3;  // before records
constexpr int64_t kLeastRecorded = 5;
constexpr int64_t kLeastOfTurn = 3;

struct RankTask {
  ShardedRequest request;
  sharded::RankPlace place;
  ShardedConfig config;

  // Of this rank.
  ShardedInjection injection() const { return request.inject.rank == place.rank ? request.inject : ShardedInjection(); }
};

Result<RankTask> task_of(const WorkerTask& task) {
  RankTask of;
  AACO_ASSIGN(of.request, from_json_value<ShardedRequest>(task.plan, task.plan_file.string()));
  const auto ranks = static_cast<int64_t>(of.request.devices.size());
  if (task.process < 0 || task.process >= ranks) {
    return Error{ErrorKind::kUsage, fmt::format("rank {} of {}", task.process, ranks), "ranks count from 0"};
  }
  of.place.rank = static_cast<int32_t>(task.process);
  of.place.ranks = static_cast<int32_t>(ranks);
  of.place.local_ranks = of.place.ranks;  // the run has said how many a shard group has
  AACO_ASSIGN(of.config, sharded::sharded_config_of(of.request.config, of.place));
  return of;
}

// The oracle's small shape, trained as `config` is; in fp32, on the link too, so that ranks and one process differ by
// the order of sums alone.
ShardedConfig small_config(const ShardedConfig& config) {
  ShardedConfig small = config;
  small.llama = oracle_config(config.llama, false);
  small.llama.precision = {};
  small.reduce_dtype = Dtype::kF32;
  small.llama.sequences = 1;
  small.llama.rank = config.llama.rank;
  small.llama.ranks = config.llama.ranks;
  small.llama.steps = kSmallSteps;
  small.stress_cycles = 0;  // it changes nothing that is trained
  if (small.ranking) {
    small.llama.shape.kv_heads = small.llama.shape.heads;
    small.ranking = RankingShape{.embedding = 12, .dense = 20, .categories = 3};
  }
  return small;
}

Result<std::vector<double>> read_losses(const JoinedRank& joined, const ShardedTraining& training, int64_t steps) {
  AACO_ASSIGN(const auto reader, make_device_reader(*joined.device));
  AACO_ASSIGN(const std::vector<float> history, reader->floats(training.history));
  std::vector<double> losses(history.begin(), history.begin() + std::min(steps, training.config.llama.steps));
  for (size_t i = 0; i < losses.size(); ++i) {
    if (!std::isfinite(losses[i])) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("the loss of step {} is {}: the training diverged", i + 1, losses[i]),
                   "a smaller optimizer.lr, or training.mixed_precision=fp32, may keep it finite"};
    }
  }
  return losses;
}

Result<std::vector<double>> losses_of(const JoinedRank& joined, const ShardedConfig& config, int64_t steps) {
  AACO_ASSIGN(const auto prepared, prepare_rank(joined, config));
  AACO_ASSIGN(const auto dispatcher, make_step_dispatcher(DispatchMode::kSingle, prepared->training,
                                                          prepared->training.instance->iteration, prepared->target));
  for (int64_t i = 0; i < steps; ++i) {
    AACO_TRY(dispatcher->enqueue());
  }
  AACO_TRY(synchronize(prepared->target));
  auto losses = read_losses(joined, prepared->training, steps);
  if (!losses) {
    Error error = losses.error();
    error.message = "the small model that is checked first: " + error.message;
    return error;
  }
  return losses;
}

// One step at least is measured.
int64_t warmup_of(const RankTask& task, int64_t resumed) {
  return std::clamp<int64_t>(task.request.config.training.unmeasured_steps, 0, task.config.llama.steps - resumed - 1);
}

std::filesystem::path checkpoints_of(const ShardedRequest& request) {
  return std::filesystem::path(request.config.training.output_dir) / "checkpoints";
}

ShardedRank rank_of(const RankTask& task, const JoinedRank& joined, const PreparedRank& prepared) {
  ShardedRank rank;
  rank.rank = joined.rank;
  rank.pid = ::getpid();
  rank.device = task.request.devices[static_cast<size_t>(joined.rank)];
  rank.library = joined.communicators.empty() ? "" : joined.communicators.front()->info().library;
  const DeviceProperties& device = joined.device->properties();
  rank.priority_range = {device.lowest_priority, device.highest_priority};
  for (size_t i = 0; i < prepared.streams.size(); ++i) {
    rank.stream_priorities[name_of(static_cast<ShardedStream>(i))] = prepared.streams[i]->priority();
  }
  const MemoryUse use = joined.device->memory_use();
  rank.allocated_bytes = use.allocated_bytes;
  rank.peak_bytes = use.peak_bytes;
  rank.interrupted = interrupted();
  return rank;
}

// By communicator and rank, the first rank of those that it joins there.
std::vector<std::vector<int64_t>> groups_by_rank(const ShardedConfig& config) {
  std::vector<std::vector<int64_t>> groups(communicator_ranks(config).size());
  for (int64_t rank = 0; rank < config.llama.ranks; ++rank) {
    ShardedConfig its = config;
    its.llama.rank = rank;
    const std::vector<RankGroup> of_rank = communicator_ranks(its);
    for (size_t i = 0; i < groups.size(); ++i) {
      groups[i].push_back(of_rank[i].ranks.front());
    }
  }
  return groups;
}

Result<std::unique_ptr<RankWatch>> watch_steps(const RankTask& task, const ShardedTraining& training) {
  constexpr int64_t kSecondNs = 1'000'000'000;
  WatchOptions options;
  options.folder = task.request.folder;
  options.rank = task.place.rank;
  options.ranks = task.place.ranks;
  options.first_rank = task.request.first_rank;
  options.local_ranks = task.request.local_ranks;
  options.limit_ns = task.request.config.distributed.timeout_s * kSecondNs;
  options.collectives = training.instance->iteration.collectives();
  options.groups = groups_by_rank(training.config);
  options.progress = training.progress.as<ProgressWords>();
  options.on_hang = [](const Hang& hang) { end_hung_process(hang); };
  return RankWatch::start(std::move(options));
}

// In place of a rank's communicators: they tell the watch, and the last one has the fault that was asked for. Must
// outlive what is dispatched to `target`.
struct WatchedCommunicators {
  std::vector<std::unique_ptr<Communicator>> watched;
  std::unique_ptr<Communicator> injected;
  ProgramTarget target;
};

// `first`: the step from which on they are used.
void watch_communicators(const RankTask& task, RankWatch& watch, const PreparedRank& prepared, int64_t first,
                         WatchedCommunicators& made) {
  made.target = prepared.target;
  std::vector<Communicator*>& communicators = made.target.communicators;
  for (size_t i = 0; i < communicators.size(); ++i) {
    made.watched.push_back(std::make_unique<WatchedCommunicator>(*communicators[i], watch, static_cast<int32_t>(i)));
    communicators[i] = made.watched.back().get();
  }
  if (const ShardedInjection injection = task.injection(); injection.is_of_collective() && !communicators.empty()) {
    const std::vector<CollectiveCommand>& collectives = prepared.training.instance->iteration.collectives();
    const auto last = static_cast<int32_t>(communicators.size() - 1);
    const auto each = std::count_if(collectives.begin(), collectives.end(),
                                    [&](const CollectiveCommand& command) { return command.communicator == last; });
    made.injected = inject_into_collectives(*communicators.back(), injection, each, first);
    communicators.back() = made.injected.get();
  }
}

constexpr auto kOthersPatience = std::chrono::milliseconds(1500);

// What ranks of other machines enqueued is known here only later.
std::optional<Hang> find_mismatch(const RankTask& of, const RankWatch& watch) {
  constexpr auto kPause = std::chrono::milliseconds(50);
  std::optional<Hang> found = watch.find_mismatch();
  const bool waits = of.request.local_ranks < of.place.ranks;
  for (auto waited = kPause; waits && !found && waited <= kOthersPatience; waited += kPause) {
    std::this_thread::sleep_for(kPause);
    found = watch.find_mismatch();
  }
  return found;
}

// Ranks that disagree about a collective would hang where the library does not compare them. One that fails because
// another has lets that one speak first: what the first says is the run's error.
Error as_hang(const Error& error, const RankTask& of, RankWatch& watch) {
  if (error.kind == ErrorKind::kUsage) {
    const Hang hang = find_mismatch(of, watch).value_or(hang_of(of.place.rank, HangClass::kMismatch, error.message));
    watch.tell(hang);  // and ends the process
    std::this_thread::sleep_for(kOthersPatience);
    return {ErrorKind::kResource, hang.text, error.hint};
  }
  if (error.kind == ErrorKind::kResource) {
    std::this_thread::sleep_for(kOthersPatience);
  }
  return error;
}

// How many steps were done before.
Result<int64_t> resume(const RankTask& task, const JoinedRank& joined, const PreparedRank& prepared) {
  const std::string& folder = task.request.config.training.resume;
  if (folder.empty()) {
    return 0;
  }
  AACO_ASSIGN(const CheckpointPlace place, find_checkpoint(folder, task.place.ranks));
  if (place.step >= task.config.llama.steps) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("{}: {} steps were done, of {}", place.folder.string(), place.step, task.config.llama.steps),
        "there is nothing left to train"};
  }
  AACO_TRY(read_checkpoint(place, *joined.device, prepared.training));
  AACO_ASSIGN(const auto gathers,
              make_dispatcher(DispatchMode::kSingle, prepared.training.first_gathers, prepared.target));
  AACO_TRY(gathers->enqueue());
  AACO_TRY(synchronize(prepared.target));
  return place.step;
}

// A fault of a collective wants calls of the host, of which a replayed graph makes none. All ranks leave their graphs
// at its step, since a library may do a captured collective otherwise than one that is enqueued.
bool leaves_capture(const RankTask& of, DispatchMode mode) {
  return mode == DispatchMode::kGraph && of.request.inject.is_of_collective();
}

// `prepared` and `watch` are made here, and outlive all else.
Result<Json> train(const RankTask& of, const JoinedRank& joined, std::unique_ptr<PreparedRank>& prepared,
                   std::unique_ptr<RankWatch>& watch) {
  AACO_ASSIGN(prepared, prepare_rank(joined, of.config));
  AACO_ASSIGN(Recorder recorder, Recorder::create(of.request.folder, of.place.rank));
  AACO_ASSIGN(const int64_t resumed, resume(of, joined, *prepared));
  AACO_ASSIGN(watch, watch_steps(of, prepared->training));
  int64_t before = resumed;
  const DispatchMode mode = sharded::dispatch_of(of.request.config);
  const bool leaves = leaves_capture(of, mode);
  WatchedCommunicators communicators;
  if (mode != DispatchMode::kGraph || leaves) {
    watch_communicators(of, *watch, *prepared, leaves ? of.request.inject.step : resumed + 1, communicators);
  }
  WatchedDispatcher::MakeDispatcher from_fault;
  ShardedInjection injection = of.injection();
  if (leaves) {
    injection = of.request.inject;  // at its step
    from_fault = [&] {
      return make_step_dispatcher(DispatchMode::kSingle, prepared->training, prepared->training.instance->iteration,
                                  communicators.target);
    };
  } else if (mode != DispatchMode::kGraph) {
    prepared->target = communicators.target;
  }
  AACO_ASSIGN(auto inner, make_rank_dispatcher(*prepared, mode, before));
  if (injection.step > 0 && !injection.kind.empty() && injection.step <= before) {
    return Error{ErrorKind::kUsage, fmt::format("a fault in step {}, which is done before steps are watched", before),
                 fmt::format("choose a step from {} on: what is captured, or resumed, was done before", before + 1)};
  }
  WatchedDispatcher dispatcher(std::move(inner), mode == DispatchMode::kGraph, *watch,
                               *prepared->target.streams.front(), injection, before, from_fault);
  StepLoop loop(prepared->target, recorder, dispatcher);
  const int64_t interval = of.request.config.training.checkpoint_interval;
  AACO_ASSIGN(StepLog log, StepLog::open(of.request.config, prepared->training));
  AACO_ASSIGN(const auto reader, make_device_reader(*joined.device));
  loop.after_step([&](int64_t done) -> Result<void> {
    watch->end_step(before + done);
    if (log.is_due(before + done)) {
      AACO_TRY(log.write(before + done, loop.step_ns().back(), *reader));
    }
    const bool due = interval > 0 && (before + done) % interval == 0;
    return due ? write_checkpoint(checkpoints_of(of.request), *joined.device, prepared->training, before + done)
               : Result<void>();
  });
  const int64_t warmup = std::max<int64_t>(0, warmup_of(of, resumed) - (before - resumed));
  inject_into_set_up(of.injection());
  if (Result<void> ran = loop.run(warmup, of.config.llama.steps - before - warmup); !ran) {
    // What was enqueued uses the dispatcher's events and graph. The first error is the one to tell.
    static_cast<void>(synchronize(prepared->target));
    return as_hang(ran.error(), of, *watch);
  }
  AACO_TRY(recorder.close());
  ShardedRank rank = rank_of(of, joined, *prepared);
  rank.step_p50_ns = median(loop.step_ns());
  rank.step_mean_ns = mean(loop.step_ns());
  rank.dispatch_p50_ns = median(loop.dispatch_ns());
  AACO_ASSIGN(rank.losses, read_losses(joined, prepared->training, before + loop.steps_done()));
  watch->tear_down(TeardownStage::kBegun);
  inject_into_teardown(of.injection());
  return Json(rank);
}

// `watch` outlives all else.
Result<Json> measure(const RankTask& of, std::unique_ptr<RankWatch>& watch) {
  AACO_ASSIGN(const JoinedRank joined, join_ranks(of.request, of.place.rank, communicator_ranks(of.config)));
  const TeardownMark freed(watch, TeardownStage::kTrainingFreed);
  std::unique_ptr<PreparedRank> prepared;
  const TeardownMark begun(watch, TeardownStage::kBegun);  // the watch reads what `prepared` has, until here is left
  Result<Json> trained = train(of, joined, prepared, watch);
  if (!trained && !joined.communicators.empty()) {
    end_failed_process(trained.error());
  }
  return trained;
}

}  // namespace

Result<Json> sharded_check_role(const WorkerTask& task) {
  AACO_ASSIGN(const RankTask of, task_of(task));
  ExecutedKernels kernels(of.request.devices[static_cast<size_t>(task.process)]);
  AACO_ASSIGN(const JoinedRank joined, join_ranks(of.request, task.process, communicator_ranks(of.config)));
  ShardedInspection inspection;
  inspection.rank = task.process;
  inspection.tokens = of.config.llama.tokens() * of.config.micro_steps;
  inspection.communicators = static_cast<int64_t>(joined.communicators.size());
  {
    AACO_ASSIGN(const auto prepared, prepare_rank(joined, of.config));
    for (const NamedPlace& place : prepared->training.weights.named) {
      inspection.parameters += place.elements;
    }
    const std::vector<Hazard> races = find_hazards(prepared->training.instance->iteration, of.place.ranks, 1);
    inspection.not_registered = prepared->not_registered;
    inspection.race = races.empty() ? "" : races.front().text;
  }
  kernels.begin();
  const ShardedConfig small = small_config(of.config);
  AACO_ASSIGN(inspection.small_losses, losses_of(joined, small, kSmallSteps));
  if (of.config.reduce_dtype != Dtype::kF32) {
    ShardedConfig cast = small;
    cast.reduce_dtype = of.config.reduce_dtype;
    AACO_ASSIGN(inspection.small_losses_cast, losses_of(joined, cast, kSmallSteps));
  }
  if (task.process == 0) {
    ShardedConfig alone = small;
    alone.llama.sequences *= alone.llama.ranks;
    alone.llama.ranks = 1;
    JoinedRank one;
    one.device = joined.device;
    AACO_ASSIGN(inspection.small_losses_alone, losses_of(one, alone, kSmallSteps));
  }
  inspection.small_kernels = kernels.take();
  if (of.request.check) {
    AACO_ASSIGN(inspection.own_size,
                check_own_size(joined, of.config, sharded::dispatch_of(of.request.config), kernels));
  }
  inspection.kernels_unavailable = kernels.unavailable();
  return Json(inspection);
}

Result<Json> sharded_measure_role(const WorkerTask& task) {
  AACO_ASSIGN(RankTask of, task_of(task));
  of.config.watched = true;
  std::unique_ptr<RankWatch> watch;  // ends last: what is made while measuring is torn down under it
  return measure(of, watch);
}

// The collector comes first: a vendor's interface wants to be there before the process's first call of it.
Result<Json> sharded_record_role(const WorkerTask& task) {
  AACO_ASSIGN(RankTask of, task_of(task));
  const sharded::ProfilingConfig& profiling = of.request.config.profiling;
  const int64_t recorded = std::max(kLeastRecorded, profiling.active * profiling.repeat);
  TurnsPlan plan;
  plan.mode = sharded::dispatch_of(of.request.config);
  plan.warmup = std::max(kLeastWarmup, profiling.wait + profiling.warmup);
  plan.turn_steps = std::max(kLeastOfTurn, (recorded + kRecordedPairs - 1) / kRecordedPairs);
  // The training has as many steps at least, of which its rate has a table.
  of.config.llama.steps = std::max(of.config.llama.steps, plan.steps());
  ActivityTable sink;
  AACO_ASSIGN(Backend * backend, backend_of(of.request.devices[static_cast<size_t>(task.process)]));
  AACO_ASSIGN(const auto collector, backend->collect(sink));
  AACO_ASSIGN(const JoinedRank joined, join_ranks(of.request, task.process, communicator_ranks(of.config)));
  AACO_ASSIGN(const auto prepared, prepare_rank(joined, of.config));
  RankRecords records;
  records.rank = task.process;
  records.collectives = collectives_of(prepared->training.instance->iteration, communicator_ranks(of.config));
  int64_t before = 0;
  {  // connects the communicators; it ends before another has batches loaded
    AACO_ASSIGN([[maybe_unused]] const auto connected, make_rank_dispatcher(*prepared, plan.mode, before));
  }
  AACO_ASSIGN(const RecordedTurns turns, record_turns(*prepared, plan, *collector, sink, records));
  const auto write = [&](StepJournal steps, const EventTable& events) {
    return write_event_journal(std::filesystem::path(of.request.folder) / rank_journal_name(steps, records.rank),
                               events);
  };
  AACO_TRY(write(StepJournal::kOverlapped, turns.overlapped));
  AACO_TRY(write(StepJournal::kOneByOne, turns.one_by_one));
  return Json(records);
}

}  // namespace aaco
