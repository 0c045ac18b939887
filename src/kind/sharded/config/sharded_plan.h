// SPDX-License-Identifier: MIT
// What a sharded training would do, before anything runs: counted from the program that each rank would be given, built
// for a device without memory. Nothing here is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sharded/config/read_config.h"

namespace aaco::sharded {

// Of one rank and one step, all calls of an operation with the same size.
struct PlannedCollective {
  std::string operation;  // "all_gather"
  std::string stream;     // "all-gather"
  int32_t communicator = 0;
  int32_t ranks = 0;    // that the communicator joins
  std::string element;  // "fp32"
  int64_t calls = 0;
  int64_t bytes = 0;     // of one call: what the library is given as the whole, as nccl-tests counts sizes
  double bus_bytes = 0;  // of one call: what a rank must at least send
};

// What each rank holds.
struct PlannedMemory {
  int64_t weights = 0;    // its part: fp32, and what products read where that is another copy
  int64_t gradients = 0;  // its part, fp32
  int64_t optimizer = 0;  // its part of AdamW's two moments
  int64_t gathered = 0;   // whole blocks and their gradients, of which some are there at a time
  int64_t on_link = 0;    // of gradients in the type on the link, where that is not fp32
  int64_t rest = 0;       // activations, tables, data
  int64_t pinned = 0;     // of the host
  int64_t total() const { return weights + gradients + optimizer + gathered + on_link + rest; }
};

struct PlannedProgram {
  int64_t kernels = 0;  // of one step and rank
  double flops = 0;     // of all operations
  int32_t streams = 0;
  int32_t communicators = 0;
  PlannedMemory memory;
  std::vector<PlannedCollective> collectives;
};

struct ShardedPlan {
  std::vector<std::string> devices;  // by rank
  std::string model;                 // "llama"
  std::string mode;                  // "fsdp, full_shard"
  std::string dispatch;              // "single", "graph"
  int64_t parameters = 0;
  int64_t shard_parameters = 0;  // of a rank, without padding, rounded up
  int64_t steps = 0;
  int64_t tokens = 0;                     // of a step, all ranks
  std::optional<PlannedProgram> program;  // none of a model that the trainer does not have
  std::vector<std::string> notes;
};

// Parameters of the model, padding and sharding left aside.
int64_t parameter_count(const ModelConfig& model);

// Errors: kUsage where distributed.backend is none that these devices have.
Result<void> check_library(const ShardedRunConfig& config, const std::vector<std::string>& devices);

// `devices`: one a rank; `node_ranks`: how many of them are on the first node, where not all. Errors: kUsage of what
// cannot be built.
Result<ShardedPlan> plan_sharded(const ConfigReading& reading, const std::vector<std::string>& devices,
                                 std::optional<int32_t> node_ranks = {});

Json plan_json(const ShardedPlan& plan);
std::string plan_text(const ShardedPlan& plan);

}  // namespace aaco::sharded
