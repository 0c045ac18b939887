// SPDX-License-Identifier: MIT
#include "cli/overlap/rank_lines.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/files/file.h"
#include "base/json/json.h"

namespace aaco {

namespace {

constexpr double kMillisecond = 1e6;

Json profile_of(const StepShares& shares, int64_t index) {
  const auto ms = [](double ns) { return ns / kMillisecond; };
  const auto share = [&](double ns) { return shares.window_ns > 0 ? Json(ns / shares.window_ns) : Json(); };
  return {{"index", index},
          {"total_ms", ms(shares.window_ns)},
          {"overlap",
           {{"per_stream_ms",
             {{"compute", ms(shares.computation_ns)},
              {"communication", ms(shares.communication_ns)},
              {"aux", ms(shares.copy_ns)}}},
            {"overlap_ms", {{"compute_comm", ms(shares.hidden_communication_ns)}, {"idle", ms(shares.idle_ns)}}},
            {"exposed_communication_ms", ms(shares.exposed_communication_ns)},
            {"utilization",
             {{"compute", share(shares.computation_ns)}, {"communication", share(shares.communication_ns)}}}}}};
}

Json label_of(int64_t rank, const std::string& what, const std::string& name, int64_t stream) {
  return {{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", stream}, {"args", {{"name", name}}}};
}

// Streams are numbered in the order in which they come.
Json trace_of(const ShardedDocument& document, int64_t rank) {
  constexpr double kMicrosecond = 1e3;
  std::vector<std::string> streams;
  Json events = Json::array({label_of(rank, "process_name", fmt::format("rank {}", rank), 0)});
  for (const TimelineSlice& slice : document.timeline) {
    if (slice.rank != rank) {
      continue;
    }
    const auto found = std::find(streams.begin(), streams.end(), slice.stream);
    const auto stream = static_cast<int64_t>(found - streams.begin());
    if (found == streams.end()) {
      events.push_back(label_of(rank, "thread_name", slice.stream, stream));
      streams.push_back(slice.stream);
    }
    events.push_back({{"ph", "X"},
                      {"cat", slice.work == "copy" ? "gpu_memcpy" : "kernel"},
                      {"name", slice.name},
                      {"pid", rank},
                      {"tid", stream},
                      {"ts", static_cast<double>(slice.start_ns) / kMicrosecond},
                      {"dur", static_cast<double>(slice.end_ns - slice.start_ns) / kMicrosecond},
                      {"args", {{"device", rank}, {"stream", stream}, {"work", slice.work}}}});
  }
  return {{"schemaVersion", 1},
          {"distributedInfo", {{"rank", rank}, {"world_size", document.ranks.size()}}},
          {"traceEvents", std::move(events)}};
}

}  // namespace

Result<void> write_rank_traces(const std::filesystem::path& folder, const std::string& name,
                               const ShardedDocument& document) {
  AACO_TRY(make_folders(folder));
  for (const ShardedRank& rank : document.ranks) {
    AACO_TRY(write_file_atomically(folder / fmt::format("rank_{:02}_{}", rank.rank, name),
                                   trace_of(document, rank.rank).dump()));
  }
  return {};
}

Result<void> write_tensorboard_traces(const std::filesystem::path& folder, const ShardedDocument& document) {
  const std::filesystem::path run = folder / "tensorboard";
  AACO_TRY(make_folders(run));
  for (const ShardedRank& rank : document.ranks) {
    AACO_TRY(write_file_atomically(run / fmt::format("rank_{:02}.pt.trace.json", rank.rank),
                                   trace_of(document, rank.rank).dump()));
  }
  return {};
}

double rate_factor(const sharded::SchedulerConfig& scheduler, int64_t step) {
  if (step <= scheduler.warmup_steps) {
    return static_cast<double>(step) / static_cast<double>(scheduler.warmup_steps);
  }
  if (scheduler.total_steps == 0) {
    return 1;
  }
  return static_cast<double>(std::max<int64_t>(0, scheduler.total_steps + 1 - step)) /
         static_cast<double>(scheduler.total_steps - scheduler.warmup_steps);
}

std::string rank_lines(const ShardedDocument& document, const sharded::ShardedRunConfig& config, size_t rank) {
  const ShardedRank& of = document.ranks[rank];
  const auto world = static_cast<int64_t>(document.ranks.size());
  const int64_t epoch_steps = std::max<int64_t>(
      1, config.dataset.num_samples / (config.training.batch_size * config.training.gradient_accumulation * world));
  std::string lines;
  for (size_t i = 0; i < of.losses.size(); ++i) {
    const auto step = static_cast<int64_t>(i);
    const Json line = {{"rank", of.rank},
                       {"world_size", world},
                       {"epoch", step / epoch_steps},
                       {"step", step % epoch_steps},
                       {"global_step", step},
                       {"loss", of.losses[i]},
                       {"grad_norm", nullptr},
                       {"lr", config.optimizer.lr * rate_factor(config.scheduler, step + 1)}};
    lines += line.dump() + "\n";
  }
  if (!document.figures) {
    return lines;
  }
  for (const RankStep& recorded : document.figures->rank_steps) {
    if (recorded.rank == of.rank) {
      const Json line = {{"rank", of.rank},
                         {"world_size", world},
                         {"recorded_step", recorded.step},
                         {"profile", profile_of(recorded.shares, recorded.step)}};
      lines += line.dump() + "\n";
    }
  }
  return lines;
}

Result<void> write_rank_lines(const std::filesystem::path& folder, const ShardedDocument& document,
                              const sharded::ShardedRunConfig& config) {
  AACO_TRY(make_folders(folder));
  for (size_t rank = 0; rank < document.ranks.size(); ++rank) {
    AACO_TRY(write_file_atomically(folder / fmt::format("rank_{:02}_metrics.jsonl", document.ranks[rank].rank),
                                   rank_lines(document, config, rank)));
  }
  return {};
}

}  // namespace aaco
