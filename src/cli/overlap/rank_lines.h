// SPDX-License-Identifier: MIT
// rank_00_metrics.jsonl and so on, a line a step, with the fields that the public overlap tool's lines have where we
// measured what they name.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "kind/sharded/analysis/sharded_document.h"
#include "kind/sharded/config/sharded_run_config.h"

namespace aaco {

// Of one rank: first the steps of the training with their losses, then the recorded ones with their profiles.
std::string rank_lines(const ShardedDocument& document, const sharded::ShardedRunConfig& config, size_t rank);

// All ranks' files, written anew: lines of an earlier run do not stay. Errors: those of writing.
Result<void> write_rank_lines(const std::filesystem::path& folder, const ShardedDocument& document,
                              const sharded::ShardedRunConfig& config);

// profiling.chrome_trace: of each rank the step that the page shows, as a Chrome trace, which Perfetto and
// `aaco trace report` read: folder/rank_00_NAME. Errors: those of writing.
Result<void> write_rank_traces(const std::filesystem::path& folder, const std::string& name,
                               const ShardedDocument& document);

// profiling.tensorboard: the same as folder/tensorboard/rank_00.pt.trace.json, names that PyTorch's profiler plugin of
// TensorBoard takes for the workers of one run. Errors: those of writing.
Result<void> write_tensorboard_traces(const std::filesystem::path& folder, const ShardedDocument& document);

// Multiplier of optimizer.lr at step `step`, counted from 1.
double rate_factor(const sharded::SchedulerConfig& scheduler, int64_t step);

}  // namespace aaco
