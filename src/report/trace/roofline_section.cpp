// SPDX-License-Identifier: MIT
// Operators against the roofs, matrix products, and what cannot be right among those figures.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/text/characters.h"
#include "record/intervals.h"
#include "report/trace/row_sinks.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kKernels = 8;         // named of one operator
constexpr size_t kLongestShapes = 48;  // in a table
constexpr const char* kNoData = "no data";

void add_kernels(const EventTable& events, const OperatorRoof& op, Outline& at) {
  const size_t named = std::min(kKernels, op.kernels.size());
  at.list("kernels", std::span(op.kernels).first(named), [&](const KernelShare& kernel, Outline& inner) {
    inner.figure("name", events.strings[kernel.name]);
    inner.figure("count", kernel.count);
    inner.figure("total_ns", kernel.total_ns);
  });
  at.figure("other_kernels", op.kernels.size() - named);
}

// What the table does not hold: figures of the roof that others follow from, kernels.
void add_operator(const EventTable& events, const OperatorRoof& op, const TableRow& row, Outline& at) {
  at.figures(row,
             "name family input_shapes input_types output_shapes precision count device_ns host_self_ns flops bytes "
             "flops_per_s bytes_per_s roof_ns roof_fraction bound no_data");
  at.figure("dtype", op.work.dtype);
  at.figure("flops_per_byte", op.intensity());
  at.figure("flops_per_s_roof", op.flops_per_s_roof);
  if (op.work.product) {
    at.figures(row,
               "batch:product.batch m:product.m n:product.n k:product.k transposed_a:product.transposed_a? "
               "transposed_b:product.transposed_b?");
  } else {
    at.figure("product", nullptr);
  }
  add_kernels(events, op, at);
}

void add_accelerator(const RankRoofline& rank, Outline& at) {
  if (!rank.accelerator) {
    at.figure("accelerator", nullptr);
    return;
  }
  const Accelerator& accelerator = *rank.accelerator;
  at.figure("accelerator.name", accelerator.name);
  at.figure("accelerator.matrix_flops_per_s", accelerator.matrix);
  at.figure("accelerator.vector_flops_per_s", accelerator.vector);
  at.figure("accelerator.achievable_flops_per_s", accelerator.achievable);
  at.figure("accelerator.bytes_per_s", accelerator.bytes_per_s);
  at.figure("accelerator.cache_bytes", accelerator.cache_bytes);
  at.figure("accelerator.source", accelerator.source);
  at.figure("accelerator.achievable_source", accelerator.achievable_source);
}

// Rates of hosts in 10^9, of devices in 10^12.
std::function<Cell(const TableRow& row)> rate_of(const char* column, bool on_host) {
  return [=](const TableRow& row) {
    const double per_s = row.has(column) ? row.real(column) : 0;
    return text_cell(!row.has(column) ? kNoData
                     : on_host        ? fmt::format("{:.3g} G", per_s / 1e9)
                                      : fmt::format("{:.3g} T", per_s / 1e12));
  };
}

int64_t time_of(const TableRow& row) { return row.integer(row.has("device_ns") ? "device_ns" : "host_self_ns"); }

Cell mean_of(const TableRow& row) {
  return number_cell(static_cast<double>(time_of(row)) / static_cast<double>(row.integer("count")), "ns");
}

Cell fraction_of(const TableRow& row) {
  return text_cell(row.has("roof_fraction") ? format_percent(row.real("roof_fraction"), 1) : kNoData);
}

Cell bound_of(const TableRow& row) {
  return text_cell(row.has("roof_ns") ? row.text("bound") : fmt::format("unknown: {}", row.text("no_data")));
}

TableBlock operator_table(const RankRoofline& rank, const TableRows& rows, size_t most) {
  const auto roof_of = [&](const TableRow& row) -> const OperatorRoof& {
    return rank.operators[row.index() - rows[0].index()];
  };
  TableBlock table =
      shown_rows(rows,
                 {{.title = "operator", .column = "name", .longest = kLongestName},
                  {.title = "shapes", .column = "input_shapes", .longest = kLongestShapes},
                  {.title = "type",
                   .cell =
                       [&](const TableRow& row) {
                         return text_cell(row.has("precision") ? row.text("precision") : roof_of(row).work.dtype);
                       }},
                  {"count", "count"},
                  {.title = "mean", .cell = mean_of},
                  {.title = "FLOP/s", .cell = rate_of("flops_per_s", rank.on_host)},
                  {.title = "bytes/s", .cell = rate_of("bytes_per_s", rank.on_host)},
                  {.title = "FLOP/B",
                   .cell =
                       [&](const TableRow& row) {
                         const auto intensity = roof_of(row).intensity();
                         return text_cell(intensity ? fmt::format("{:.3g}", *intensity) : kNoData);
                       }},
                  {.title = "of roof", .cell = fraction_of},
                  {.title = "bound", .cell = bound_of}},
                 most);
  table.note = others_note(rows, most, "other", "others");
  return table;
}

// "TN": whether each operand is transposed.
Cell layout_of(const TableRow& row) {
  const auto letter = [&](const char* column) { return !row.has(column) ? "?" : row.integer(column) != 0 ? "T" : "N"; };
  return text_cell(fmt::format("{}{}", letter("transposed_a"), letter("transposed_b")));
}

TableBlock product_table(const RankRoofline& rank, const TableRows& rows, size_t most) {
  const auto type_of = [&](const TableRow& row) {
    return text_cell(row.has("precision") ? row.text("precision")
                                          : rank.operators[row.index() - rows[0].index()].work.dtype);
  };
  const std::vector<ShownColumn> columns = {
      {.title = "product", .column = "name", .longest = kLongestName},
      {"batch", "batch"},
      {"M", "m"},
      {"N", "n"},
      {"K", "k"},
      {.title = "layout", .cell = layout_of},
      {.title = "type", .cell = type_of},
      {"count", "count"},
      {.title = "total", .cell = [](const TableRow& row) { return time_cell(time_of(row)); }},
      {.title = "FLOP/s", .cell = rate_of("flops_per_s", rank.on_host)},
      {.title = "of roof", .cell = fraction_of},
      {.title = "kernel", .column = "kernel", .kernels = true}};
  TableBlock table = shown_rows(rows, columns, 0);
  size_t products = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const OperatorRoof& op = rank.operators[i];
    if (op.work.product && op.place != WorkPlace::kOperatorsWithin && ++products <= most) {
      table.rows.push_back(shown_rows(rows.part(i, 1), columns, 1).rows[0]);
    }
  }
  if (products > most) {
    table.note = counted(products - most, "other product", "other products");
  }
  return table;
}

void say_roofs(const RankRoofline& rank, Outline& at) {
  if (!rank.accelerator && rank.on_host) {
    at.say(
        "operators by their own time on the host; no roofs (--roofs takes what `aaco doctor --measure` wrote on that "
        "machine)");
    return;
  }
  if (!rank.accelerator) {
    at.say(rank.device.empty()
               ? "no roofs: the trace does not name its device (--accelerator names it, --roofs what was measured)"
               : "no roofs: nothing is known of \"{device}\" (--accelerator names it, --roofs what was measured)");
    return;
  }
  const Accelerator& accelerator = *rank.accelerator;
  const bool both = !accelerator.achievable.empty() && accelerator.achievable_source != accelerator.source;
  at.say(
      fmt::format("roofs of {{accelerator.name}}: {{accelerator.source}}{}; {{roofed_ns/operators_ns}} of the "
                  "operators' {} has one",
                  both ? "; what products were measured to reach: {accelerator.achievable_source}" : "",
                  rank.on_host ? "own time on the host" : "device time"));
}

// Of what is no communication.
void say_without_roof(const RankRoofline& rank, Outline& at) {
  int64_t total_ns = 0;
  std::map<std::string, int64_t> reasons;
  for (const OperatorRoof& op : rank.operators) {
    if (!op.roof_ns && op.place != WorkPlace::kLinks) {
      total_ns = saturating_sum(total_ns, op.time_ns);
      int64_t& reason_ns = reasons[op.missing];
      reason_ns = saturating_sum(reason_ns, op.time_ns);
    }
  }
  if (total_ns > 0) {
    const auto most = std::max_element(reasons.begin(), reasons.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    at.aside("without_roof_ns", total_ns, "ns");
    at.aside("most_ns", most->second, "ns");
    at.aside("reason", most->first);
    at.say("{without_roof_ns} of operators without a roof, {most_ns} of it because {reason}");
  }
}

void outline_roofline(const TraceInput& input, const RankRoofline& rank, Outline& at) {
  const TableRows rows = input.rows(operator_rooflines_table, {rank.recording, rank.rank});
  at.figure("recording", rank.recording);
  at.figure("rank", known(rank.rank));
  at.figure("on_host", rank.on_host);
  at.figure("device", rank.device.empty() ? Json() : Json(rank.device));
  add_accelerator(rank, at);
  at.figure("operators_ns", rank.operators_ns, "ns");
  at.figure("roofed_ns", rank.roofed_ns, "ns");
  if (at.is_data()) {
    size_t row = 0;
    at.list("operators", rank.operators,
            [&](const OperatorRoof& op, Outline& inner) { add_operator(input.events, op, rows[row++], inner); });
  } else if (!rank.operators.empty()) {
    at.section(of_rank("roofline", input.events, rank.recording, rank.rank));
    say_roofs(rank, at);
    say_without_roof(rank, at);
    if (rank.roofed_ns > 0 || rank.on_host) {
      at.show(operator_table(rank, rows, at.most()));
      at.show(product_table(rank, rows, at.most()));
    }
  }
}

void outline_backward(const TraceInput& input, Outline& at) {
  const TableRows rows = input.rows(backward_ratios_table);
  const std::vector<BackwardRatio>& ratios = input.summary.backward_ratios;
  size_t row = 0;
  at.list("backward", ratios, [&](const BackwardRatio& backward_ratio, Outline& inner) {
    inner.figures(rows[row++]);
    inner.figure("flops_ratio", backward_ratio.flops_ratio());
    inner.figure("flops_expected", {backward_ratio.flops_expected.low, backward_ratio.flops_expected.high});
    inner.figure("time_ratio", backward_ratio.time_ratio());
    inner.figure("time_expected", {backward_ratio.time_expected.low, backward_ratio.time_expected.high});
  });
  if (rows.empty()) {
    return;
  }
  const auto ratio_cell = [](const std::optional<double>& value) {
    return text_cell(value ? fmt::format("{:.2f}", *value) : kNoData);
  };
  at.section();
  at.show(shown_rows(
      rows,
      {{.title = "backward over forward",
        .cell = [](const TableRow& table_row) { return text_cell(table_row.text("family") + " operators"); }},
       {"rank", "rank"},
       {.title = "FLOPs",
        .cell = [&](const TableRow& table_row) { return ratio_cell(ratios[table_row.index()].flops_ratio()); }},
       {.title = "time",
        .cell = [&](const TableRow& table_row) { return ratio_cell(ratios[table_row.index()].time_ratio()); }},
       {.title = "computed again",
        .cell =
            [&](const TableRow& table_row) {
              const double forward = table_row.real("forward_flops");
              return ratio_cell(forward > 0 ? std::optional(table_row.real("recomputed_flops") / forward)
                                            : std::nullopt);
            }}},
      SIZE_MAX));
}

void outline_suspects(const TraceInput& input, Outline& at) {
  const TableRows rows = input.rows(suspects_table);
  if (!rows.empty()) {
    at.section("suspect");
  }
  size_t row = 0;
  size_t shown = 0;
  at.list("suspects", input.summary.suspects, [&](const Suspect& suspect, Outline& inner) {
    inner.figures(rows[row++]);
    if (suspect.explanation.empty() && shown++ < at.most()) {
      inner.aside("what", shorten(suspect.subject, kLongestName));
      inner.say("  {kind}: {what}, {value:.4g} times: {evidence}");
    }
  });
  at.aside("more", shown - std::min(shown, at.most()));
  at.aside("explained", rows.size() - shown);
  if (shown > at.most()) {
    at.say("  {more} more");
  }
  if (rows.size() > shown) {
    at.say("  {explained} above a roof with a harmless cause (--json names them)");
  }
}

}  // namespace

void outline_rooflines(const TraceInput& input, Outline& at) {
  at.list("rooflines", input.summary.rooflines,
          [&](const RankRoofline& rank, Outline& inner) { outline_roofline(input, rank, inner); });
  outline_backward(input, at);
  outline_suspects(input, at);
}

}  // namespace aaco::report
