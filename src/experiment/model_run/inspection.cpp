// SPDX-License-Identifier: MIT
#include "experiment/model_run/inspection.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/json.h"
#include "cost/ort_node.h"

namespace aaco {

namespace {

// Names of the tensors in a row's JSON array.
std::vector<std::string> tensor_names(const std::string& json) {
  const auto parsed = parse_json(json, "tensor names");
  return parsed && parsed->is_array() ? parsed->get<std::vector<std::string>>() : std::vector<std::string>{};
}

// No shape where two executions do not even agree on the rank.
using ShapesByName = std::map<std::string, std::optional<ProfiledShape>>;

void learn(const std::vector<std::string>& names, const std::vector<ProfiledShape>& shapes, ShapesByName& learnt) {
  // The profiler leaves out optional inputs that are not given; positions then do not match, and nothing is learnt.
  if (names.size() != shapes.size()) {
    return;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    std::optional<ProfiledShape>& known = learnt.try_emplace(names[i], shapes[i]).first->second;
    if (known && !keep_common(*known, shapes[i])) {
      known.reset();
    }
  }
}

void add_inputs(const WorkerResult& result, KnownShapes& known) {
  for (const PortNote& note : result.inputs) {
    known[note.name] = {note.dims, note.dtype};
  }
}

// Of the arithmetic: the element type that most FLOPs are in.
std::string precision_of(const ModelGraph& graph, const ResolvedRun& run) {
  std::map<std::string, double> flops;
  for (const GraphNodeRow& node : graph.nodes) {
    flops[node.dtype] += node.flops.value_or(0);
  }
  const auto most =
      std::max_element(flops.begin(), flops.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == flops.end() || most->second <= 0 || most->first.empty()) {
    return "unknown: no node with known FLOPs";
  }
  static const std::map<std::string, std::string> names{
      {"float32", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}, {"float64", "fp64"}};
  const auto name = names.find(most->first);
  std::string precision = name == names.end() ? most->first : name->second;
  if (precision != "fp32") {
    return precision;
  }
  const auto& options = run.plan.provider_options;
  for (const char* option : {"trt_fp16_enable", "migraphx_fp16_enable"}) {
    if (options.contains(option) && options.at(option) == "1") {
      return "fp32 (fp16 allowed by the provider)";
    }
  }
  const bool tensor_cores = run.plan.backend == "cuda" || run.plan.backend == "tensorrt";
  const bool off = options.contains("use_tf32") && options.at("use_tf32") == "0";
  return tensor_cores && !off ? "fp32 (tf32 allowed)" : "fp32";
}

Json partition_json(const Inspection& inspection, const ResolvedRun& run, const OrtProfile& profile) {
  Json json;
  json["provider"] = run.provider->provider;
  json["nodes_by_provider"] = inspection.nodes_by_provider;
  const auto taken = inspection.nodes_by_provider.find(run.provider->provider);
  const int64_t mine = taken == inspection.nodes_by_provider.end() ? 0 : taken->second;
  json["executed_nodes"] = inspection.executed_nodes;
  json["nodes_not_taken"] = inspection.executed_nodes - mine;
  Json others = Json::array();
  for (const auto& [name, node] : profile.nodes) {
    if (node.provider != run.provider->provider) {
      others.push_back({{"node", name}, {"op_type", node.op_type}, {"provider", node.provider}});
    }
  }
  json["not_taken"] = others;
  return json;
}

}  // namespace

KnownShapes executed_shapes(const ModelGraph& graph, const OrtProfile& profile) {
  std::map<std::string, int> nodes_of_name;
  for (const GraphNodeRow& node : graph.nodes) {
    ++nodes_of_name[node.name];
  }
  ShapesByName learnt;
  for (const GraphNodeRow& node : graph.nodes) {
    const auto found = profile.nodes.find(node.name);
    if (found != profile.nodes.end() && nodes_of_name[node.name] == 1) {
      learn(tensor_names(node.inputs), found->second.inputs, learnt);
      learn(tensor_names(node.outputs), found->second.outputs, learnt);
    }
  }
  KnownShapes known;
  for (auto& [name, shape] : learnt) {
    if (shape) {
      known[name] = {std::move(shape->dims), std::string(ort_dtype(shape->dtype))};
    }
  }
  return known;
}

std::map<std::string, int64_t> index_limits(const ModelGraph& graph) {
  std::map<std::string, int64_t> limits;
  for (const GraphNodeRow& node : graph.nodes) {
    const std::vector<std::string> inputs = tensor_names(node.inputs);
    if (node.op_type != "Gather" || inputs.size() != 2 || !node.input_shapes.starts_with('[')) {
      continue;
    }
    int64_t rows = 0;
    std::from_chars(node.input_shapes.data() + 1, node.input_shapes.data() + node.input_shapes.size(), rows);
    const auto known = limits.find(inputs[1]);
    if (rows > 0) {
      limits[inputs[1]] = known == limits.end() ? rows : std::min(known->second, rows);
    }
  }
  return limits;
}

Result<Inspection> inspect_model(const ResolvedRun& run, const SpawnOptions& options) {
  Inspection inspection;
  AACO_ASSIGN(inspection.result, run_in_worker(options, role::kInspect, 0));
  AACO_ASSIGN(const OrtProfile profile, read_ort_profile(inspection.result.profile_file, {}));
  KnownShapes inputs;
  add_inputs(inspection.result, inputs);
  AACO_ASSIGN(inspection.original, read_model_graph(run.plan.model, "original", inputs));
  const std::filesystem::path optimized = optimized_model_path(options.folder);
  std::error_code error;
  if (std::filesystem::exists(optimized, error)) {
    AACO_ASSIGN(const ModelGraph bare, read_model_graph(optimized, "optimized", inputs));
    KnownShapes known = executed_shapes(bare, profile);
    add_inputs(inspection.result, known);
    AACO_ASSIGN(inspection.optimized, read_model_graph(optimized, "optimized", known));
    inspection.optimized_known = true;
  }
  for (const auto& [name, node] : profile.nodes) {
    ++inspection.nodes_by_provider[node.provider];
  }
  inspection.executed_nodes = static_cast<int64_t>(profile.nodes.size());
  inspection.events_per_run = profile.runs > 0 ? profile.events / profile.runs : profile.events;
  inspection.precision_executed =
      precision_of(inspection.optimized_known ? inspection.optimized : inspection.original, run);
  inspection.partition = partition_json(inspection, run, profile);
  return inspection;
}

}  // namespace aaco
