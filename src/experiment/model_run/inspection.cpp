// SPDX-License-Identifier: MIT
#include "experiment/model_run/inspection.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

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
  for (const auto& [name, use] : graph.input_uses) {
    if (use.range && use.range->low == 0) {
      limits[name] = use.range->high + 1;
    }
  }
  return limits;
}

namespace {

bool has_no_elements(const std::vector<int64_t>& dims) { return std::ranges::find(dims, 0) != dims.end(); }

bool is_part_of_a_shape(const ProfiledNode& node, const ProfiledShape& output) {
  static const std::set<std::string> makers{"Shape",   "Slice", "Gather",   "Concat",
                                            "Squeeze", "Cast",  "Identity", "Split"};
  return output.dtype == "int64" && output.dims.size() == 1 && makers.contains(node.op_type);
}

}  // namespace

std::vector<std::string> empty_tensors(const std::vector<PortNote>& inputs, const OrtProfile& profile) {
  std::vector<std::string> sentences;
  for (const PortNote& input : inputs) {
    if (has_no_elements(input.dims)) {
      sentences.push_back(
          fmt::format("input {} has no elements: its shape is [{}]", input.name, fmt::join(input.dims, ",")));
    }
  }
  std::vector<std::string> nodes;
  for (const auto& [name, node] : profile.nodes) {
    const auto empty = std::ranges::find_if(node.outputs, [&](const ProfiledShape& output) {
      return has_no_elements(output.dims) && !is_part_of_a_shape(node, output);
    });
    if (empty != node.outputs.end()) {
      nodes.push_back(fmt::format("{} {} [{}]", node.op_type, name, fmt::join(empty->dims, ",")));
    }
  }
  constexpr size_t kMostNodes = 4;
  if (!nodes.empty()) {
    const std::string more = nodes.size() > kMostNodes ? fmt::format(" and {} more", nodes.size() - kMostNodes) : "";
    nodes.resize(std::min(nodes.size(), kMostNodes));
    sentences.push_back(
        fmt::format("nodes made results without elements, so less was computed than with other inputs: {}{}",
                    fmt::join(nodes, ", "), more));
  }
  return sentences;
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
  if (!run.plan.tokens) {  // a decoder starts with an empty cache
    inspection.warnings = empty_tensors(inspection.result.inputs, profile);
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
