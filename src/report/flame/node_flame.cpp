// SPDX-License-Identifier: MIT
#include "report/flame/node_flame.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "base/format.h"
#include "report/flame/flame_graph.h"

namespace aaco::report {

namespace {

std::vector<std::string> path_of(std::string_view name) {
  std::vector<std::string> path;
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    if (end > at) {
      path.emplace_back(name.substr(at, end - at));
    }
    at = end + 1;
  }
  return path;
}

const char* caption_of(bool modules) {
  return modules ? "Width: time per inference. Each module stands over its parts, as the nodes' names tell them."
                 : "Width: time per inference. Each operator stands over its nodes.";
}

}  // namespace

plot::Chart node_flame_graph(const std::vector<OpKernelRow>& ops) {
  const bool modules = std::ranges::any_of(ops, [](const OpKernelRow& op) { return path_of(op.node_name).size() > 1; });
  std::vector<plot::WeightedStack> stacks;
  size_t unknown = 0;
  for (const OpKernelRow& op : ops) {
    if (!op.time_ns) {
      ++unknown;
      continue;
    }
    std::vector<std::string> frames = modules ? path_of(op.node_name) : std::vector{op.op_type, op.node_name};
    std::erase(frames, "");
    stacks.push_back({frames.empty() ? std::vector<std::string>{"not linked"} : std::move(frames), *op.time_ns});
  }
  plot::Chart chart{.id = "node-flame",
                    .title = modules ? "Time by module" : "Time by operator and node",
                    .caption = caption_of(modules),
                    .x = {.title = "time per inference", .quantity = plot::Quantity::kDuration, .unit = "ns"},
                    .no_data = "the time of no node is known"};
  if (unknown > 0) {
    chart.caption += fmt::format(" {} too short to time {} left out.", counted(unknown, "node", "nodes"),
                                 unknown == 1 ? "is" : "are");
  }
  return plot::flame_graph(std::move(chart), stacks, format_duration_ns);
}

}  // namespace aaco::report
