// SPDX-License-Identifier: MIT
#include "experiment/overlap/overlap_worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/json.h"
#include "base/statistics.h"
#include "device/backend.h"
#include "experiment/overlap/checkpoint.h"
#include "experiment/overlap/prepared_rank.h"
#include "experiment/overlap/rank_records.h"
#include "experiment/overlap/step_log.h"
#include "experiment/overlap/watch/rank_watch.h"
#include "experiment/overlap/watch/watched_communicator.h"
#include "experiment/overlap/watch/watched_dispatcher.h"
#include "experiment/overlap_config/sharded_request.h"
#include "experiment/training/step_loop.h"
#include "experiment/worker_role.h"
#include "workload/hazards.h"
#include "workload/training/llama_gates.h"
#include "workload/verify.h"

namespace aaco {

AACO_JSON_FIELDS(OverlapInspection, rank, parameters, tokens, communicators, race, not_registered, small_losses,
                 small_losses_alone, small_losses_cast)

namespace {

constexpr int64_t kSmallSteps = 10;
constexpr int64_t kLeastWarmup = 3;  // before records
constexpr int64_t kLeastRecorded = 5;
constexpr int64_t kRecordings = 2;  // as it is, and one by one

struct RankTask {
  OverlapRequest request;
  overlap::RankPlace place;
  ShardedConfig config;

  // Of this rank.
  OverlapInjection injection() const { return request.inject.rank == place.rank ? request.inject : OverlapInjection(); }
};

Result<RankTask> task_of(const WorkerTask& task) {
  RankTask of;
  AACO_ASSIGN(of.request, from_json_value<OverlapRequest>(task.plan, task.plan_file.string()));
  const auto ranks = static_cast<int64_t>(of.request.devices.size());
  if (task.process < 0 || task.process >= ranks) {
    return Error{ErrorKind::kUsage, fmt::format("rank {} of {}", task.process, ranks), "ranks count from 0"};
  }
  of.place.rank = static_cast<int32_t>(task.process);
  of.place.ranks = static_cast<int32_t>(ranks);
  of.place.local_ranks = of.place.ranks;  // the run has said how many a shard group has
  AACO_ASSIGN(of.config, overlap::sharded_config_of(of.request.config, of.place));
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

Result<std::vector<double>> losses_of(const JoinedRank& joined, const ShardedConfig& config, int64_t steps) {
  AACO_ASSIGN(const auto prepared, prepare_rank(joined, config));
  AACO_ASSIGN(const auto dispatcher, make_step_dispatcher(DispatchMode::kSingle, prepared->training,
                                                          prepared->training.instance->iteration, prepared->target));
  for (int64_t i = 0; i < steps; ++i) {
    AACO_TRY(dispatcher->enqueue());
  }
  AACO_TRY(synchronize(prepared->target));
  AACO_ASSIGN(const auto reader, make_device_reader(*joined.device));
  AACO_ASSIGN(const std::vector<float> losses, reader->floats(prepared->training.history));
  return std::vector<double>(losses.begin(), losses.begin() + steps);
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

// One step at least is measured.
int64_t warmup_of(const RankTask& task, int64_t resumed) {
  return std::clamp<int64_t>(task.request.config.training.unmeasured_steps, 0, task.config.llama.steps - resumed - 1);
}

std::filesystem::path checkpoints_of(const OverlapRequest& request) {
  return std::filesystem::path(request.config.training.output_dir) / "checkpoints";
}

OverlapRank rank_of(const RankTask& task, const JoinedRank& joined, const PreparedRank& prepared) {
  OverlapRank rank;
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
// outlive what is dispatched.
struct WatchedCommunicators {
  std::vector<std::unique_ptr<Communicator>> watched;
  std::unique_ptr<Communicator> injected;
};

Result<WatchedCommunicators> watch_communicators(const RankTask& task, RankWatch& watch, PreparedRank& prepared) {
  WatchedCommunicators made;
  std::vector<Communicator*>& communicators = prepared.target.communicators;
  const bool captured = overlap::dispatch_of(task.request.config) == DispatchMode::kGraph;
  for (size_t i = 0; i < communicators.size() && !captured; ++i) {
    made.watched.push_back(std::make_unique<WatchedCommunicator>(*communicators[i], watch, static_cast<int32_t>(i)));
    communicators[i] = made.watched.back().get();
  }
  const OverlapInjection injection = task.injection();
  if (!injection.is_of_collective() || communicators.empty()) {
    return made;
  }
  if (captured) {
    return Error{ErrorKind::kUsage, fmt::format("fault \"{}\" in a step that is a graph", injection.kind),
                 "set compile.enabled=false: the host makes no calls when a graph is replayed"};
  }
  const std::vector<CollectiveCommand>& collectives = prepared.training.instance->iteration.collectives();
  const auto last = static_cast<int32_t>(communicators.size() - 1);
  const auto each = std::count_if(collectives.begin(), collectives.end(),
                                  [&](const CollectiveCommand& command) { return command.communicator == last; });
  made.injected = inject_into_collectives(*communicators.back(), injection, each);
  communicators.back() = made.injected.get();
  return made;
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

Result<std::vector<RecordRow>> record_steps(const PreparedRank& prepared, const Program& step, DispatchMode mode,
                                            int64_t warmup, ActivityCollector& collector, ActivitySink& sink,
                                            RankRecords& records) {
  const ProgramTarget& target = prepared.target;
  AACO_ASSIGN(const auto dispatcher, make_step_dispatcher(mode, prepared.training, step, target));
  const auto steps = [&](int64_t count) -> Result<void> {
    for (int64_t i = 0; i < count; ++i) {
      AACO_TRY(dispatcher->enqueue());
    }
    return synchronize(target);
  };
  AACO_TRY(steps(warmup));
  AACO_TRY(collector.flush());
  sink.take();
  AACO_TRY(steps(records.steps));
  AACO_TRY(collector.flush());
  return rows_of(sink.take(), sink, target, records);
}

// `watch` is made here, and outlives all else.
Result<Json> measure(const RankTask& of, std::unique_ptr<RankWatch>& watch) {
  AACO_ASSIGN(const JoinedRank joined, join_ranks(of.request, of.place.rank, communicator_ranks(of.config)));
  const TeardownMark freed(watch, TeardownStage::kTrainingFreed);
  AACO_ASSIGN(const auto prepared, prepare_rank(joined, of.config));
  AACO_ASSIGN(Recorder recorder, Recorder::create(of.request.folder, of.place.rank));
  AACO_ASSIGN(const int64_t resumed, resume(of, joined, *prepared));
  AACO_ASSIGN(watch, watch_steps(of, prepared->training));
  const TeardownMark begun(watch, TeardownStage::kBegun);  // the watch reads what `prepared` has, until here is left
  AACO_ASSIGN(const WatchedCommunicators communicators, watch_communicators(of, *watch, *prepared));
  int64_t before = resumed;
  const DispatchMode mode = overlap::dispatch_of(of.request.config);
  AACO_ASSIGN(auto inner, make_rank_dispatcher(*prepared, mode, before));
  WatchedDispatcher dispatcher(std::move(inner), mode == DispatchMode::kGraph, *watch,
                               *prepared->target.streams.front(), of.injection(), before);
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
  if (Result<void> ran = loop.run(warmup, of.config.llama.steps - before - warmup); !ran) {
    // What was enqueued uses the dispatcher's events and graph. The first error is the one to tell.
    static_cast<void>(synchronize(prepared->target));
    return as_hang(ran.error(), of, *watch);
  }
  AACO_TRY(recorder.close());
  OverlapRank rank = rank_of(of, joined, *prepared);
  rank.step_p50_ns = median(loop.step_ns());
  rank.step_mean_ns = mean(loop.step_ns());
  rank.dispatch_p50_ns = median(loop.dispatch_ns());
  AACO_ASSIGN(rank.losses, read_losses(joined, prepared->training, before + loop.steps_done()));
  watch->tear_down(TeardownStage::kBegun);
  inject_into_teardown(of.injection());
  return Json(rank);
}

}  // namespace

Result<Json> overlap_check_role(const WorkerTask& task) {
  AACO_ASSIGN(const RankTask of, task_of(task));
  AACO_ASSIGN(const JoinedRank joined, join_ranks(of.request, task.process, communicator_ranks(of.config)));
  OverlapInspection inspection;
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
  return Json(inspection);
}

Result<Json> overlap_measure_role(const WorkerTask& task) {
  AACO_ASSIGN(RankTask of, task_of(task));
  of.config.watched = true;
  std::unique_ptr<RankWatch> watch;  // ends last: what is made while measuring is torn down under it
  return measure(of, watch);
}

// The collector comes first: a vendor's interface wants to be there before the process's first call of it.
Result<Json> overlap_record_role(const WorkerTask& task) {
  AACO_ASSIGN(RankTask of, task_of(task));
  const overlap::ProfilingConfig& profiling = of.request.config.profiling;
  const int64_t recorded = std::max(kLeastRecorded, profiling.active * profiling.repeat);
  const int64_t warmup = std::max(kLeastWarmup, profiling.wait + profiling.warmup);
  // The training has as many steps at least, of which its rate has a table.
  of.config.llama.steps = std::max(of.config.llama.steps, kRecordings * (warmup + recorded));
  ActivitySink sink;
  AACO_ASSIGN(Backend * backend, backend_of(of.request.devices[static_cast<size_t>(task.process)]));
  AACO_ASSIGN(const auto collector, backend->collect(sink));
  AACO_ASSIGN(const JoinedRank joined, join_ranks(of.request, task.process, communicator_ranks(of.config)));
  AACO_ASSIGN(const auto prepared, prepare_rank(joined, of.config));
  RankRecords records;
  records.rank = task.process;
  records.steps = recorded;
  const Program& step = prepared->training.instance->iteration;
  records.collectives = collectives_of(step, communicator_ranks(of.config));
  int64_t before = 0;
  const DispatchMode mode = overlap::dispatch_of(of.request.config);
  {  // connects the communicators; it ends before another has batches loaded
    AACO_ASSIGN([[maybe_unused]] const auto connected, make_rank_dispatcher(*prepared, mode, before));
  }
  AACO_ASSIGN(records.overlapped, record_steps(*prepared, step, mode, warmup, *collector, sink, records));
  AACO_ASSIGN(records.alone,
              record_steps(*prepared, step.one_by_one(), DispatchMode::kSingle, warmup, *collector, sink, records));
  records.dropped = static_cast<int64_t>(sink.dropped_count());
  return Json(records);
}

}  // namespace aaco
