// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "analysis/model_run/op_map.h"
#include "base/format.h"
#include "record/shapes_text.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostOperators = 24;

std::string or_unknown(const std::string& text) { return text.empty() ? "not known" : text; }

std::string dims_of(const RunFacts& facts) {
  std::string text;
  for (const auto& [name, value] : facts.dims) {
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  }
  return text.empty() ? "none" : text;
}

FactList facts_of(const RunFacts& facts) {
  FactList list{{{"model", or_unknown(facts.model_name)},
                 {"file", or_unknown(facts.model_path)},
                 {"SHA-256", or_unknown(facts.model_sha256)},
                 {"backend", or_unknown(facts.backend) + " (" + or_unknown(facts.provider) + ")"},
                 {"device", or_unknown(word_of(facts.device_kind))},
                 {"runtime", "ONNX Runtime " + or_unknown(facts.runtime_version)},
                 {"batch", std::to_string(facts.batch)},
                 {"other dimensions", dims_of(facts)},
                 {"precision", or_unknown(facts.precision_executed) + " executed; requested: " +
                                   (facts.precision_requested.empty() ? "as the model is" : facts.precision_requested)},
                 {"threads", std::to_string(facts.intra_op_threads) + " within a node, " +
                                 std::to_string(facts.inter_op_threads) + " across nodes, on " +
                                 std::to_string(facts.processors) + " processors"},
                 {"nodes", format_count(facts.nodes_original) + " in the file, " +
                               (facts.nodes_optimized > 0 ? format_count(facts.nodes_optimized) + " executed"
                                                          : std::string("executed: not known"))},
                 {"seed", std::to_string(facts.seed)}}};
  if (facts.denormals && facts.denormals->weights > 0) {
    const DenormalFacts& denormals = *facts.denormals;
    list.facts.push_back(
        {"denormal weights",
         format_count(denormals.weights) + " of " + format_count(denormals.weights_read) +
             (denormals.as_zero_p50_ns ? "; counted as zero an inference takes " +
                                             format_duration_ns(*denormals.as_zero_p50_ns) + " (one process)"
                                       : "")});
  }
  if (!facts.input_shapes.empty()) {
    const auto dims = std::ranges::find(list.facts, "other dimensions", &Fact::name);
    list.facts.insert(dims + 1, {"input shapes", shapes_text(facts.input_shapes)});
  }
  return list;
}

// Nodes of the graph that is executed, where it is known, else of the file.
TableBlock operator_table(const std::vector<GraphNodeRow>& nodes, bool tokens) {
  const bool optimized =
      std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.graph == GraphForm::kOptimized; });
  struct Total {
    int64_t nodes = 0;
    double executions = 0;
    int64_t executions_unknown = 0;
    double flops = 0;
    int64_t flops_unknown = 0;
    double bytes = 0;
    int64_t bytes_unknown = 0;
  };
  std::map<std::string, Total> totals;
  for (const GraphNodeRow& node : nodes) {
    if ((node.graph == GraphForm::kOptimized) != optimized || node.executes == 0) {
      continue;
    }
    Total& total = totals[node.op_type];
    ++total.nodes;
    const std::optional<double> executions = executions_of(node);
    total.executions += executions.value_or(0);
    total.executions_unknown += executions ? 0 : 1;
    if (executions != 0.0) {
      const auto flops = executions ? work_of_executions(node.flops, *executions) : std::nullopt;
      const auto bytes = executions ? work_of_executions(node.bytes, *executions) : std::nullopt;
      total.flops += flops.value_or(0);
      total.flops_unknown += flops ? 0 : 1;
      total.bytes += bytes.value_or(0);
      total.bytes_unknown += bytes ? 0 : 1;
    }
  }
  TableBlock table{
      .id = "operators",
      .title = std::string("Operators of the ") + (optimized ? "executed graph" : "model's file"),
      .columns = {{"operator"}, {"nodes", true}, {"executions", true}, {"FLOPs", true}, {"compulsory bytes", true}},
      .sortable = true,
      .note = std::string(tokens ? "Per decode step (the one after the prompt)" : "Per inference") +
              ", each node as often as it ran. Unknown: no formula for the operator, a shape "
              "that is not known, or a body of which nobody knows how often it ran."};
  const auto sum_cell = [](double sum, int64_t unknown, int64_t count, const char* unit) {
    if (unknown == count) {
      return missing_cell("unknown");
    }
    Cell cell = number_cell(sum, unit);
    cell.detail = unknown > 0 ? "and " + std::to_string(unknown) + " unknown" : "";
    return cell;
  };
  const auto executions_cell = [](double sum, int64_t unknown, int64_t count) {
    if (unknown == count) {
      return missing_cell("unknown");
    }
    Cell cell = number_cell(sum, "1");
    cell.detail = unknown > 0 ? "and " + counted(unknown, "node", "nodes") + " unknown" : "";
    return cell;
  };
  for (const auto& [name, total] : totals) {
    table.rows.push_back({text_cell(name), count_cell(total.nodes),
                          executions_cell(total.executions, total.executions_unknown, total.nodes),
                          sum_cell(total.flops, total.flops_unknown, total.nodes, "FLOP"),
                          sum_cell(total.bytes, total.bytes_unknown, total.nodes, "B")});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return sort_key(a[3]).value_or(-1) > sort_key(b[3]).value_or(-1);
  });
  if (table.rows.size() > kMostOperators) {
    table.note +=
        " The first " + std::to_string(kMostOperators) + " of " + std::to_string(table.rows.size()) + " operators.";
    table.rows.resize(kMostOperators);
  }
  return table;
}

void add_partition(const RunFacts& facts, Section& section) {
  int64_t all = 0;
  for (const auto& [provider, nodes] : facts.nodes_by_provider) {
    all += nodes;
  }
  if (all == 0) {
    section.blocks.push_back(
        Paragraph{"Nodes by provider: no data (the runtime's own profile tells; run with --profile)."});
    return;
  }
  TableBlock table{
      .id = "partition", .title = "Nodes by provider", .columns = {{"provider"}, {"nodes", true}, {"share", true}}};
  int64_t fallen_back = 0;
  for (const auto& [provider, nodes] : facts.nodes_by_provider) {
    const double share = static_cast<double>(nodes) / static_cast<double>(all);
    Cell share_cell = percent_cell(share);
    share_cell.bar = share;
    table.rows.push_back({text_cell(provider), count_cell(nodes), std::move(share_cell)});
    fallen_back += provider == facts.provider ? 0 : nodes;
  }
  section.blocks.push_back(std::move(table));
  if (fallen_back > 0 && !facts.provider.empty()) {
    section.badges.push_back({std::to_string(fallen_back) + " nodes elsewhere", Tone::kWarning});
    section.blocks.push_back(Paragraph{std::to_string(fallen_back) + " of " + std::to_string(all) +
                                           " nodes were not taken by " + facts.provider +
                                           " and ran elsewhere. Each crossing costs copies and waits.",
                                       Tone::kWarning});
  }
}

}  // namespace

Section model_section(const Input& input) {
  Section section{"model", "Model and partition", {}, {}};
  section.blocks.push_back(facts_of(input.recording.facts));
  if (auto inputs = inputs_table(input)) {
    section.blocks.push_back(*std::move(inputs));
  }
  add_partition(input.recording.facts, section);
  if (!input.recording.nodes.empty()) {
    section.blocks.push_back(
        FoldedBlocks{"Operators, FLOPs and bytes",
                     {operator_table(input.recording.nodes, input.recording.facts.prompt_tokens > 0)}});
  }
  return section;
}

}  // namespace aaco::report
