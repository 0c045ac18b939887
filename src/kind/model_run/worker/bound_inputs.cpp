// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/bound_inputs.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>

#include "base/json/json.h"
#include "model/element_values.h"
#include "model/graph/onnx_graph.h"

namespace aaco {

namespace {

// The runtime gives an input of unknown rank no dimensions, as it gives a scalar.
std::vector<PortInfo> ports_of(const InferenceSession& session, const WorkerPlan& plan) {
  std::vector<PortInfo> ports = session.inputs();
  const auto no_dims = [](const PortInfo& port) { return port.is_tensor && port.dims.empty(); };
  if (std::ranges::none_of(ports, no_dims)) {
    return ports;
  }
  if (const auto graph = read_model_graph(plan.model, GraphForm::kOriginal, {})) {
    for (PortInfo& port : ports) {
      const auto declared = std::ranges::find(graph->inputs, port.name, &TensorInfo::name);
      port.rank_known = !no_dims(port) || declared == graph->inputs.end() || declared->rank_known;
    }
  }
  return ports;
}

// The refusal with sizes and values that the model runs with.
Error tried_refusal(InferenceSession& session, const std::vector<PortInfo>& ports, InputRequest request,
                    const Error& first_refusal) {
  std::string why;
  for (request.attempt = 0; request.attempt < kExampleAttempts; ++request.attempt) {
    const auto made = make_example_inputs(ports, request);
    if (!made || !made->missing) {
      break;
    }
    const Result<void> bound = session.bind(made->tensors);
    if (bound && session.run()) {
      return *made->missing;
    }
    const Error failure = bound ? session.failure() : bound.error();
    why = why.empty() ? failure.message : why;
  }
  Error refusal = first_refusal;
  refusal.hint += "; the model ran with no sizes that aaco tried: " + why;
  return refusal;
}

// The node that the runtime names: "... while running Gather node. Name:'g' Status Message: ...".
std::string failed_node(const std::string& message) {
  constexpr std::string_view kBefore = "Name:'";
  const size_t start = message.find(kBefore);
  const size_t end = start == std::string::npos ? start : message.find('\'', start + kBefore.size());
  return end == std::string::npos ? "" : message.substr(start + kBefore.size(), end - start - kBefore.size());
}

std::vector<std::string> names_in(const std::string& json) {
  const auto parsed = parse_json(json, "tensor names");
  return parsed && parsed->is_array() ? parsed->get<std::vector<std::string>>() : std::vector<std::string>{};
}

// Tensors that the node is computed from; none where the file has no such node.
std::set<std::string> tensors_before(const std::string& node, const WorkerPlan& plan) {
  std::set<std::string> reached;
  const auto graph = read_model_graph(plan.model, GraphForm::kOriginal, {});
  if (!graph || node.empty()) {
    return reached;
  }
  for (const GraphNodeRow& row : graph->nodes) {
    if (row.name == node) {
      std::ranges::copy(names_in(row.inputs), std::inserter(reached, reached.end()));
    }
  }
  for (auto row = graph->nodes.rbegin(); row != graph->nodes.rend() && !reached.empty(); ++row) {
    const std::vector<std::string> outputs = names_in(row->outputs);
    if (std::ranges::any_of(outputs, [&](const std::string& output) { return reached.contains(output); })) {
      std::ranges::copy(names_in(row->inputs), std::inserter(reached, reached.end()));
    }
  }
  return reached;
}

}  // namespace

InputRequest input_request(const WorkerPlan& plan) {
  InputRequest request;
  request.batch = plan.batch;
  request.dims = plan.dims;
  request.shapes = plan.shapes;
  request.registered = plan.registered_shapes;
  request.command_line = plan.command_line;
  for (const auto& [name, text] : plan.inputs) {
    if (is_tensor_file_name(text)) {
      request.files[name] = text;
    } else {
      request.texts[name] = text;
    }
  }
  request.integer_dtype = plan.integer_dtype;
  request.flipped_masks.insert(plan.flipped_masks.begin(), plan.flipped_masks.end());
  request.seed = plan.seed;
  // A file that only the runtime understands is left to it.
  request.uses_of = [&plan](const KnownShapes& known) {
    auto graph = read_model_graph(plan.model, GraphForm::kOriginal, known);
    return graph ? std::move(graph->input_uses) : InputUses();
  };
  return request;
}

Result<InputSet> make_inputs_of(InferenceSession& session, const WorkerPlan& plan) {
  const std::vector<PortInfo> ports = ports_of(session, plan);
  const InputRequest request = input_request(plan);
  AACO_ASSIGN(InputSet made, make_example_inputs(ports, request));
  if (made.missing) {
    return tried_refusal(session, ports, request, *made.missing);
  }
  return made;
}

Error blame_made_values(Error failure, const InputSet& made, const WorkerPlan& plan) {
  const std::set<std::string> before = tensors_before(failed_node(failure.message), plan);
  std::vector<std::string> ours;
  std::string name;
  for (const InputNote& note : made.notes) {
    const auto type = element_of_name(note.dtype);
    const bool number = type && !is_floating(*type) && *type != ElementType::kString;
    if (number && note.why != kGivenInput && (before.empty() || before.contains(note.name))) {
      ours.push_back(fmt::format("{} ({}: {})", note.name, note.values, note.why));
      name = name.empty() ? note.name : name;
    }
  }
  if (!ours.empty()) {
    failure.hint += fmt::format(
        "{}aaco made the values of {}: if they are at fault, give your own, as --input {}=FILE.npy "
        "or --input {}=1,2,3",
        failure.hint.empty() ? "" : "; ", fmt::join(ours, ", "), name, name);
  }
  return failure;
}

}  // namespace aaco
