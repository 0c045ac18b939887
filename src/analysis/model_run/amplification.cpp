// SPDX-License-Identifier: MIT
#include "analysis/model_run/amplification.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>

#include "analysis/model_run/op_map.h"

namespace aaco {

namespace {

// Executions per inference of the body that each scope names, from the nodes that were seen in it.
std::map<std::string_view, double> scope_executions(const Context& context) {
  std::map<std::string_view, double> by_name;
  for (const NodeTime& node : context.nodes.nodes) {
    by_name[node.node_name] = std::max(by_name[node.node_name], node.executions);
  }
  std::map<std::string_view, double> scopes;
  for (const GraphNodeRow& node : context.recording.nodes) {
    if (const auto seen = by_name.find(node.name); seen != by_name.end() && !node.scope.empty()) {
      scopes[node.scope] = std::max(scopes[node.scope], seen->second);
    }
  }
  return scopes;
}

// Node executions per inference of one graph; none where it was not recorded. A body in which no node was seen
// executing was not executed.
std::optional<double> node_executions(const Context& context, GraphForm graph, int64_t fallback) {
  const auto scopes = scope_executions(context);
  double executions = 0;
  bool scoped = false;
  for (const GraphNodeRow& node : context.recording.nodes) {
    if (node.graph != graph || node.executes == 0) {
      continue;
    }
    if (node.executions && !node.scope.empty()) {
      executions += executions_of(node).value_or(0);
      scoped = true;
    } else if (node.scope.empty()) {
      executions += 1;
    } else if (const auto scope = scopes.find(node.scope); scope != scopes.end()) {
      executions += scope->second;
      scoped = true;
    }
  }
  if (executions > 0 && (scoped || fallback == 0)) {
    return executions;
  }
  return fallback > 0 ? std::optional(static_cast<double>(fallback)) : std::nullopt;
}

MetricValue ratio(const char* id, const Context& context, GraphForm graph, int64_t fallback) {
  if (context.lacks_device) {
    return no_data(id, kNeedsDeviceActivity);
  }
  if (!context.nodes.dispatches_per_inference) {
    return no_data(id, context.nodes.unavailable);
  }
  const auto nodes = node_executions(context, graph, fallback);
  if (!nodes) {
    return no_data(id, fmt::format("the {} graph was not recorded", word_of(graph)));
  }
  return measured(id, *context.nodes.dispatches_per_inference / *nodes);
}

}  // namespace

std::vector<MetricValue> amplification_metrics(const Context& context) {
  const RunFacts& facts = context.recording.facts;
  return {ratio("kar_original", context, GraphForm::kOriginal, facts.nodes_original),
          ratio("kar_optimized", context, GraphForm::kOptimized, facts.nodes_optimized)};
}

}  // namespace aaco
