// SPDX-License-Identifier: MIT
// What a model is once the runtime has loaded it: its graph before and after optimisation with executed shapes, which
// provider took which node, and how many profiler events an inference makes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "engine/spawn.h"
#include "ingest/ort_profile.h"
#include "kind/model_run/request/resolve.h"
#include "model/graph/onnx_graph.h"

namespace aaco {

struct Inspection {
  WorkerResult result;
  ModelGraph original;
  ModelGraph optimized;  // no nodes where the provider cannot write its graph
  bool optimized_known = false;
  int64_t executed_nodes = 0;  // distinct nodes that the runtime executed
  std::map<std::string, int64_t> nodes_by_provider;
  int64_t events_per_run = 0;  // of the profiler
  std::string precision_executed;
  JsonValue partition;                // runtime/partition.json
  std::vector<std::string> warnings;  // inputs, and results of executed nodes, that hold nothing
};

// Rows of the tables that integer inputs index, as far as the file alone tells: values below them are valid.
std::map<std::string, int64_t> index_limits(const ModelGraph& graph);

// Shapes of the tensors that the profiled nodes of the executed graph take and make. A node whose name is not its own
// teaches nothing, and of a tensor that was seen with two shapes only what they have in common is known.
KnownShapes executed_shapes(const ModelGraph& graph, const OrtProfile& profile);

// Sentences about inputs without elements (save those of a past, which a decoder has not yet), and about executed nodes
// whose results have none: what is measured then is less work than the model does with other inputs. Parts of shapes
// (int64 of one axis that a Slice or the like makes) may be empty.
std::vector<std::string> empty_tensors(const std::vector<PortNote>& inputs, const OrtProfile& profile);

// The element type that the model computes in: of most FLOPs, but those of positions, shapes and comparisons; where no
// other FLOPs are known, the floating type of most nodes or of an input, and of a model without any its integer type.
// "" where no FLOPs are known.
std::string arithmetic_dtype(const ModelGraph& graph, const std::vector<PortNote>& inputs);

// Runs an inspecting worker in `options.folder`. Errors: the worker's: a model that the runtime refuses, a provider
// that is not there.
Result<Inspection> inspect_model(const ResolvedRun& run, const SpawnOptions& options);

}  // namespace aaco
