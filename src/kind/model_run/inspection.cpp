// SPDX-License-Identifier: MIT
#include "kind/model_run/inspection.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

#include "base/json/json.h"
#include "cost/ort_node.h"
#include "engine/worker_role.h"
#include "ingest/ort_nesting.h"
#include "kind/model_run/body_executions.h"
#include "model/input_names.h"
#include "model/tensor.h"

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

std::string precision_of(const Inspection& inspection, const ResolvedRun& run) {
  const std::string dtype = arithmetic_dtype(inspection.optimized_known ? inspection.optimized : inspection.original,
                                             inspection.result.inputs);
  if (dtype.empty()) {
    return "unknown: no node with known FLOPs";
  }
  static const std::map<std::string, std::string> names{
      {"float32", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}, {"float64", "fp64"}};
  const auto name = names.find(dtype);
  std::string precision = name == names.end() ? dtype : name->second;
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

bool is_float(const std::string& dtype) {
  const auto type = element_of_name(dtype);
  return type && is_floating(*type);
}

// Integers of quantised products are the model's arithmetic; those of positions, shapes and comparisons are not.
bool counts_places(const GraphNodeRow& node) {
  const bool wide = node.dtype == "int64" || node.dtype == "int32" || node.dtype == "uint64" ||
                    node.dtype == "uint32" || node.dtype == "bool";
  return wide && node.op_type.find("Integer") == std::string::npos && !node.op_type.starts_with("QLinear");
}

// The key of the largest value above zero; "" where there is none.
std::string largest(const std::map<std::string, double>& values) {
  const auto most = std::ranges::max_element(values, {}, [](const auto& one) { return one.second; });
  return most == values.end() || most->second <= 0 ? "" : most->first;
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

std::string arithmetic_dtype(const ModelGraph& graph, const std::vector<PortNote>& inputs) {
  std::map<std::string, double> flops;
  std::map<std::string, double> indices;
  std::map<std::string, double> nodes;
  for (const GraphNodeRow& node : graph.nodes) {
    const double work = node.flops.value_or(0) * node.executions.value_or(1);
    (counts_places(node) ? indices : flops)[node.dtype] += work;
    if (is_float(node.dtype) && node.executes != 0) {
      nodes[node.dtype] += 1;
    }
  }
  if (const std::string dtype = largest(flops); !dtype.empty()) {
    return dtype;
  }
  if (largest(indices).empty()) {
    return "";
  }
  if (const std::string dtype = largest(nodes); !dtype.empty()) {
    return dtype;
  }
  const auto given = std::ranges::find_if(inputs, [](const PortNote& input) { return is_float(input.dtype); });
  return given == inputs.end() ? largest(indices) : given->dtype;
}

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

// Before the first token a decoder has no past: an empty one is what it expects.
bool names_past(const std::string& input) {
  const std::vector<std::string> words = words_of(input);
  return !words.empty() && words.front() == "past";
}

// "a, b, c, d and 3 more"
std::string first_of(std::vector<std::string> texts) {
  constexpr size_t kMostNamed = 4;
  const std::string more = texts.size() > kMostNamed ? fmt::format(" and {} more", texts.size() - kMostNamed) : "";
  texts.resize(std::min(texts.size(), kMostNamed));
  return fmt::format("{}{}", fmt::join(texts, ", "), more);
}

bool is_part_of_a_shape(const ProfiledNode& node, const ProfiledShape& output) {
  static const std::set<std::string> makers{"Shape",   "Slice", "Gather",   "Concat",
                                            "Squeeze", "Cast",  "Identity", "Split"};
  return output.dtype == "int64" && output.dims.size() == 1 && makers.contains(node.op_type);
}

// The runs are alike: a tick of the profiler's clock that hides whether a node was inside a body hardly does so in all
// of them.
void count_executions(Inspection& inspection, const OrtProfile& profile, int64_t first_run) {
  for (int64_t run = first_run + profile.runs - 1; run >= first_run; --run) {
    const NestedExecutions executions = nested_executions(profile.kernels, run);
    count_body_executions(inspection.original, executions);
    if (inspection.optimized_known) {
      count_body_executions(inspection.optimized, executions);
    }
  }
  if (inspection.optimized_known) {
    copy_body_executions(inspection.optimized, inspection.original);
  }
}

}  // namespace

std::vector<std::string> empty_tensors(const std::vector<PortNote>& inputs, const OrtProfile& profile) {
  std::vector<std::string> sentences;
  std::vector<std::string> empty_inputs;
  for (const PortNote& input : inputs) {
    if (has_no_elements(input.dims) && !names_past(input.name)) {
      empty_inputs.push_back(fmt::format("{} [{}]", input.name, fmt::join(input.dims, ",")));
    }
  }
  if (!empty_inputs.empty()) {
    sentences.push_back(fmt::format("{} without elements: {}", empty_inputs.size() == 1 ? "an input" : "inputs",
                                    first_of(std::move(empty_inputs))));
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
  if (!nodes.empty()) {
    sentences.push_back("nodes made results without elements, so less was computed than with other inputs: " +
                        first_of(std::move(nodes)));
  }
  return sentences;
}

Result<Inspection> inspect_model(const ResolvedRun& run, const SpawnOptions& options) {
  Inspection inspection;
  AACO_ASSIGN(const Json result, run_worker_process(options, role::kInspect, 0));
  AACO_ASSIGN(inspection.result,
              from_json_value<WorkerResult>(result, result_path(options.folder, role::kInspect, 0).string()));
  OrtProfileOptions options_of_profile;
  // Of tokens, the step after the prompt is what is profiled: latencies are of steps.
  options_of_profile.skip_runs = run.plan.tokens ? 1 : 0;
  AACO_ASSIGN(const OrtProfile profile, read_ort_profile(inspection.result.profile_file, options_of_profile));
  KnownShapes inputs;
  if (!run.plan.tokens) {
    add_inputs(inspection.result, inputs);
  }
  AACO_ASSIGN(inspection.original, read_model_graph(run.plan.model, GraphForm::kOriginal, inputs));
  const std::filesystem::path optimized = optimized_model_path(options.folder);
  std::error_code error;
  if (std::filesystem::exists(optimized, error)) {
    AACO_ASSIGN(const ModelGraph bare, read_model_graph(optimized, GraphForm::kOptimized, inputs));
    KnownShapes known = executed_shapes(bare, profile);
    for (const auto& [name, shape] : inputs) {
      known[name] = shape;
    }
    AACO_ASSIGN(inspection.optimized, read_model_graph(optimized, GraphForm::kOptimized, known));
    inspection.optimized_known = true;
  }
  if (!run.plan.tokens) {  // a decoder starts with an empty cache
    inspection.warnings = empty_tensors(inspection.result.inputs, profile);
  }
  count_executions(inspection, profile, options_of_profile.skip_runs);
  for (const auto& [name, node] : profile.nodes) {
    ++inspection.nodes_by_provider[node.provider];
  }
  inspection.executed_nodes = static_cast<int64_t>(profile.nodes.size());
  inspection.events_per_run = profile.runs > 0 ? profile.events / profile.runs : profile.events;
  inspection.precision_executed = precision_of(inspection, run);
  inspection.partition = partition_json(inspection, run, profile);
  return inspection;
}

}  // namespace aaco
