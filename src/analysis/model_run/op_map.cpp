// SPDX-License-Identifier: MIT
#include "analysis/model_run/op_map.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/model_run/launch_tax.h"
#include "analysis/model_run/profile/nameless_nodes.h"

namespace aaco {

namespace {

struct Graphs {
  // By name and operator, of nodes that ran; null where several share them (bodies alike) and differ in their work: the
  // profiler does not tell them apart.
  std::map<std::pair<std::string_view, std::string_view>, const GraphNodeRow*> optimized;
  std::set<std::string_view> original;
  NamelessNodes nameless;                        // of the optimized graph
  std::set<std::string_view> original_nameless;  // operators
};

Graphs index_graphs(const Recording& recording) {
  Graphs graphs;
  for (const GraphNodeRow& node : recording.nodes) {
    if (node.graph == GraphForm::kOptimized) {
      if (node.executions == 0.0) {
        continue;
      }
      const auto [at, first] = graphs.optimized.try_emplace({node.name, node.op_type}, &node);
      const bool alike = first || (at->second != nullptr && at->second->flops == node.flops &&
                                   at->second->bytes == node.bytes && node.flops && node.bytes);
      at->second = alike ? at->second : nullptr;
    } else {
      graphs.original.insert(node.name);
      if (node.name.empty()) {
        graphs.original_nameless.insert(node.op_type);
      }
    }
  }
  graphs.nameless = nameless_nodes(recording);
  return graphs;
}

struct NodeLink {
  const GraphNodeRow* node = nullptr;  // null: none, or several
  bool in_original = false;
};

NodeLink link_of(const NodeTime& node, const Graphs& graphs) {
  if (const auto named = graphs.optimized.find({node.node_name, node.op_type}); named != graphs.optimized.end()) {
    return {named->second, graphs.original.empty() || graphs.original.contains(node.node_name)};
  }
  const auto nameless = graphs.nameless.find({node.node_name, node.op_type});
  return nameless == graphs.nameless.end()
             ? NodeLink()
             : NodeLink{nameless->second, graphs.original.empty() || graphs.original_nameless.contains(node.op_type)};
}

OpKernelRow row_of(const NodeTime& node, const Graphs& graphs) {
  OpKernelRow row;
  row.node_id = -1;
  row.node_name = node.node_name;
  row.op_type = node.op_type;
  row.kernel_name = node.kernel_name;
  row.method = node.node_name.empty() ? kNotLinked : "unmatched";
  row.executions_per_inference = node.executions;
  row.raw_ns = node.raw_ns;
  row.time_ns = node.time_ns;
  row.bound_ns = node.time_ns ? node.bound_ns() : node.upper_ns;
  row.quality = node.quality;
  row.process_ns.resize(node.processes);
  for (const auto& [process, raw_ns] : node.process_medians_ns) {
    row.process_ns[process] = raw_ns;
  }
  if (const NodeLink link = link_of(node, graphs); link.node != nullptr) {
    row.node_id = link.node->node_id;
    row.method = link.in_original ? "exact" : "fused";
    // How often a device's kernel ran says nothing of how often its node did.
    const bool on_device = node.activity == NodeActivity::kDeviceKernel;
    const double executions = on_device ? executions_of(*link.node).value_or(NAN) : node.executions;
    row.flops = work_of_executions(link.node->flops, executions);
    row.bytes = work_of_executions(link.node->bytes, executions);
  }
  return row;
}

// A node's work is that of all its kernels together: what each did of it is not told.
void clear_shared_work(std::vector<OpKernelRow>& rows) {
  std::map<std::string_view, int64_t> kernels;
  for (const OpKernelRow& row : rows) {
    ++kernels[row.node_name];
  }
  for (OpKernelRow& row : rows) {
    if (kernels[row.node_name] > 1) {
      row.flops.reset();
      row.bytes.reset();
    }
  }
}

void add(std::optional<double>& total, const std::optional<double>& part) {
  total = total && part ? std::optional(*total + *part) : std::nullopt;
}

KernelGroupRow group_of(const std::string& name,
                        const std::vector<std::pair<const NodeTime*, const OpKernelRow*>>& members,
                        const std::map<std::string, double>& micro) {
  KernelGroupRow group;
  group.group_name = name;
  group.flops = 0;
  group.bytes = 0;
  std::vector<const NodeTime*> nodes;
  std::set<std::string_view> names;
  for (const auto& [node, row] : members) {
    nodes.push_back(node);
    names.insert(node->node_name);
    group.executions_per_inference += node->executions;
    add(group.flops, row->flops);
    add(group.bytes, row->bytes);
  }
  const TimeSum sum = sum_of(nodes);
  group.nodes = static_cast<int64_t>(names.size());
  group.quality = sum.quality;
  group.bound_ns = sum.range.high;
  if (sum.quality == TimeQuality::kResolved) {
    group.time_ns = sum.known_ns;
    group.bound_ns -= sum.known_ns;
  }
  const auto share = micro.find(name);
  group.microkernel_fraction = share == micro.end() ? 0 : share->second;
  return group;
}

}  // namespace

std::optional<double> work_of_executions(const std::optional<double>& per_execution, double executions) {
  return per_execution && std::isfinite(*per_execution) && *per_execution >= 0
             ? std::optional(*per_execution * executions)
             : std::nullopt;
}

std::optional<double> executions_of(const GraphNodeRow& node) {
  const bool counted = node.executions && std::isfinite(*node.executions) && *node.executions >= 0;
  return counted ? node.executions : node.scope.empty() ? std::optional(node.executes == 0 ? 0.0 : 1.0) : std::nullopt;
}

std::vector<OpKernelRow> op_kernel_map(const Context& context) {
  const Graphs graphs = index_graphs(context.recording);
  std::vector<OpKernelRow> rows;
  rows.reserve(context.nodes.nodes.size());
  for (const NodeTime& node : context.nodes.nodes) {
    rows.push_back(row_of(node, graphs));
  }
  if (context.nodes.activity == NodeActivity::kDeviceKernel) {
    clear_shared_work(rows);
  }
  return rows;
}

std::optional<double> known_time_share(const std::vector<OpKernelRow>& ops) {
  double known = 0, all = 0;
  for (const OpKernelRow& op : ops) {
    if (!is_control_flow(op.op_type)) {  // which encloses the others
      all += op.raw_ns;
      known += op.time_ns ? op.raw_ns : 0;
    }
  }
  return all > 0 ? std::optional(known / all) : std::nullopt;
}

std::vector<KernelGroupRow> kernel_groups(const Context& context, const std::vector<OpKernelRow>& ops) {
  std::map<std::string, std::vector<std::pair<const NodeTime*, const OpKernelRow*>>> members;
  for (size_t i = 0; i < ops.size(); ++i) {
    const NodeTime& node = context.nodes.nodes[i];
    members[group_of(node)].emplace_back(&node, &ops[i]);
  }
  const std::map<std::string, double> micro = microkernel_fraction_by_group(context);
  std::vector<KernelGroupRow> groups;
  double total = 0;
  for (const auto& [name, nodes] : members) {
    groups.push_back(group_of(name, nodes, micro));
    total += groups.back().time_ns.value_or(0);
  }
  const bool enough = known_time_share(ops).value_or(0) >= kLeastKnownTimeShare;
  for (KernelGroupRow& group : groups) {
    if (group.time_ns && enough) {
      group.share = *group.time_ns / total;
    }
  }
  std::sort(groups.begin(), groups.end(), [](const KernelGroupRow& a, const KernelGroupRow& b) {
    return std::pair{b.time_ns.value_or(0), std::string_view(a.group_name)} <
           std::pair{a.time_ns.value_or(0), std::string_view(b.group_name)};
  });
  return groups;
}

}  // namespace aaco
