// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/format.h"
#include "report/flame/node_flame.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostBars = 15;
constexpr size_t kMostRows = 300;
constexpr double kEnoughLinked = 0.99;  // of the kernels' time; below it the nodes lack what a reader looks for

// Of a node or group: its time, or why there is none and what it lies under.
template <class Row>
Cell time_cell(const Row& row) {
  if (!row.time_ns) {
    return {.detail = "under " + format_duration_ns(row.bound_ns), .order = 0, .reason = word_of(row.quality)};
  }
  Cell cell = number_cell(*row.time_ns, "ns");
  cell.detail = "± " + format_duration_ns(row.bound_ns);
  return cell;
}

template <class Row>
bool processes_disagree(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [](const Row& row) { return row.quality == TimeQuality::kProcessesDisagree; });
}

Cell rate_cell(const std::optional<double>& amount, const std::optional<double>& time_ns, const char* unit) {
  if (!amount || !time_ns || *time_ns <= 0) {
    return missing_cell(amount ? "no data" : "unknown");
  }
  return number_cell(*amount * 1e9 / *time_ns, unit);
}

template <class Row>
std::vector<Row> by_time(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.time_ns.value_or(0) > b.time_ns.value_or(0); });
  return rows;
}

plot::Chart bar_chart(const std::string& id, const std::string& title) {
  return {.id = id,
          .title = title,
          .caption =
              "Whiskers: the bound that the true time lies within: the profiler's cost and resolution, and the spread "
              "between processes.",
          .x = {.title = "time per inference", .quantity = plot::Quantity::kDuration, .unit = "ns", .from_zero = true},
          .no_data = "the time of no node is known"};
}

void add_bar(plot::Chart& chart, const std::string& name, double time_ns, double bound_ns, const std::string& value) {
  plot::Series& bars = chart.series.front();
  bars.y.push_back(static_cast<double>(chart.y.categories.size()));
  bars.x.push_back(time_ns);
  bars.low.push_back(std::max(0.0, time_ns - bound_ns));
  bars.high.push_back(time_ns + bound_ns);
  bars.labels.push_back(name + ": " + format_duration_ns(time_ns) + " ± " + format_duration_ns(bound_ns));
  bars.values.push_back(value);
  chart.y.categories.push_back(name);
}

plot::Chart group_chart(const Analysis& analysis) {
  plot::Chart chart = bar_chart("time-by-operator", "Time by operator");
  chart.series.push_back({.mark = plot::Mark::kBars, .colour = 0});
  for (const KernelGroupRow& group : by_time(analysis.groups)) {
    if (group.time_ns && chart.y.categories.size() < kMostBars) {
      add_bar(chart, group.group_name, *group.time_ns, group.bound_ns,
              format_duration_ns(*group.time_ns) + (group.share ? ", " + format_percent(*group.share) : ""));
    }
  }
  return chart;
}

plot::Chart node_chart(const std::vector<OpKernelRow>& sorted) {
  plot::Chart chart = bar_chart("time-by-node", "Slowest nodes");
  chart.series.push_back({.mark = plot::Mark::kBars, .colour = 1});
  for (const OpKernelRow& op : sorted) {
    if (op.time_ns && chart.y.categories.size() < kMostBars) {
      add_bar(chart, op.node_name, *op.time_ns, op.bound_ns, format_duration_ns(*op.time_ns) + ", " + op.op_type);
    }
  }
  return chart;
}

TableBlock node_table(const std::vector<OpKernelRow>& sorted) {
  TableBlock table{.id = "nodes",
                   .title = "Executed nodes",
                   .columns = {{"node"},
                               {"operator"},
                               {"executions", true},
                               {"time per inference", true},
                               {"FLOP/s", true},
                               {"bytes/s", true},
                               {"link"}},
                   .sortable = true};
  for (size_t i = 0; i < std::min(sorted.size(), kMostRows); ++i) {
    const OpKernelRow& op = sorted[i];
    table.rows.push_back({text_cell(op.node_name), text_cell(op.op_type), number_cell(op.executions_per_inference, "1"),
                          time_cell(op), rate_cell(op.flops, op.time_ns, "FLOP/s"),
                          rate_cell(op.bytes, op.time_ns, "B/s"), text_cell(op.method)});
  }
  table.note =
      "Rates are FLOPs and compulsory bytes of the node over its time. Link: how the kernel was tied to the node.";
  if (processes_disagree(sorted)) {
    table.note +=
        " Processes disagree: the node is above the profiler's resolution, but its time differs between the "
        "profiled processes by more than it is; more processes (--processes) would tell.";
  }
  if (sorted.size() > kMostRows) {
    table.note += " The " + std::to_string(kMostRows) + " slowest of " + std::to_string(sorted.size()) +
                  " nodes; attribution/op_to_kernel_map.parquet holds them all.";
  }
  return table;
}

TableBlock group_table(const Analysis& analysis) {
  TableBlock table{.id = "groups",
                   .title = "Groups",
                   .columns = {{"group"},
                               {"nodes", true},
                               {"executions", true},
                               {"time per inference", true},
                               {"share", true},
                               {"microkernels", true},
                               {"FLOP/s", true},
                               {"bytes/s", true}},
                   .sortable = true,
                   .note = "Microkernels: share of executions shorter than the microkernel threshold."};
  for (const KernelGroupRow& group : by_time(analysis.groups)) {
    Cell share = percent_cell(group.share);
    share.bar = group.share;
    table.rows.push_back({text_cell(group.group_name), count_cell(group.nodes),
                          number_cell(group.executions_per_inference, "1"), time_cell(group), share,
                          percent_cell(group.microkernel_fraction), rate_cell(group.flops, group.time_ns, "FLOP/s"),
                          rate_cell(group.bytes, group.time_ns, "B/s")});
  }
  return table;
}

// The parts of a profiled inference on a GPU, which add up to it; none for other runs.
std::optional<TableBlock> device_table(const Analysis& analysis) {
  constexpr std::array kParts{"device_kernels_time",      "device_copies_in_time", "device_copies_out_time",
                              "device_other_copies_time", "launch_idle_time",      "node_idle_time",
                              "between_nodes_idle_time"};
  const MetricValue* whole = analysis.metric("profiled_inference_time");
  if (whole == nullptr || !whole->value || !(*whole->value > 0)) {
    return std::nullopt;
  }
  TableBlock table{.id = "device-time",
                   .title = "Where a profiled inference goes",
                   .columns = {{"part"}, {"time", true}, {"share", true}},
                   .note = "Means over the profiled inferences, which the profilers lengthen; the parts add up."};
  const auto add = [&](const char* id) {
    const MetricValue* part = analysis.metric(id);
    if (part != nullptr && part->value) {
      Cell share = percent_cell(*part->value / *whole->value);
      share.bar = *part->value / *whole->value;
      table.rows.push_back({text_cell(find_metric(id)->title), number_cell(*part->value, "ns"), share});
    }
  };
  add("profiled_inference_time");
  std::ranges::for_each(kParts, add);
  return table;
}

// What the table of nodes does not have: kernels whose node is not known.
std::optional<Paragraph> links_paragraph(const Analysis& analysis) {
  const MetricValue* count = analysis.metric("kernels_linked");
  const MetricValue* time = analysis.metric("kernel_time_linked");
  if (count == nullptr || !count->value || time == nullptr || !time->value) {
    return std::nullopt;
  }
  return Paragraph{fmt::format("Of the device's kernels {} have a node, with {} of their time: the call that launched "
                               "them lies within the node's. The others are \"not linked\".",
                               format_percent(*count->value), format_percent(*time->value)),
                   *time->value < kEnoughLinked ? Tone::kWarning : Tone::kNeutral};
}

}  // namespace

std::optional<Section> ops_section(const Input& input) {
  if (input.analysis.ops.empty() && input.analysis.groups.empty()) {
    return std::nullopt;
  }
  Section section{"nodes", "Where the time goes", {}, {}};
  if (input.analysis.node_time_kind == NodeActivity::kHostEnqueue) {
    section.blocks.push_back(Paragraph{
        "These are host enqueue times per node: how long the host took to hand each node to the device. They are not "
        "device time, and say nothing about which kernel kept the device busy.",
        Tone::kWarning});
  }
  if (auto paragraph = links_paragraph(input.analysis)) {
    section.blocks.push_back(std::move(*paragraph));
  }
  if (auto table = device_table(input.analysis)) {
    section.blocks.push_back(std::move(*table));
  }
  const std::vector<OpKernelRow> sorted = by_time(input.analysis.ops);
  if (!sorted.empty() && !sorted.front().time_ns) {
    section.blocks.push_back(Paragraph{
        std::string("No data: ") +
            (processes_disagree(sorted)
                 ? "the profiled processes disagree by more than the times of the nodes. The tables hold what each is "
                   "under; a quieter machine, or more processes (--processes), would tell more."
                 : "every node is shorter than the profiler resolves once its own cost is taken off. The tables hold "
                   "what each is under; the latency over the number of executed nodes is the better figure."),
        Tone::kWarning});
  } else {
    section.blocks.push_back(ChartBlock{group_chart(input.analysis)});
    section.blocks.push_back(ChartBlock{node_chart(sorted)});
    section.blocks.push_back(ChartBlock{node_flame_graph(input.analysis.ops)});
  }
  section.blocks.push_back(FoldedBlocks{"Groups of kernels", {group_table(input.analysis)}});
  section.blocks.push_back(FoldedBlocks{"All executed nodes", {node_table(sorted)}});
  return section;
}

}  // namespace aaco::report
