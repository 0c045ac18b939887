// SPDX-License-Identifier: MIT
#include "report/trace/roofline_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "trace/intervals.h"

namespace aaco::report {

namespace {

constexpr size_t kKernels = 8;         // named of one operator
constexpr size_t kLongestShapes = 48;  // in a table
constexpr const char* kNoData = "no data";

Json texts_json(const EventTable& events, StringId id) {
  return id == kEmptyString ? Json() : Json(std::string(events.strings[id]));
}

Json product_json(const MatrixProduct& product) {
  return {{"batch", product.batch},
          {"m", product.m},
          {"n", product.n},
          {"k", product.k},
          {"transposed_a", product.transposed_a},
          {"transposed_b", product.transposed_b}};
}

Json kernels_json(const EventTable& events, const OperatorRoof& op) {
  Json list = Json::array();
  for (size_t i = 0; i < std::min(kKernels, op.kernels.size()); ++i) {
    list.push_back({{"name", std::string(events.strings[op.kernels[i].name])},
                    {"count", op.kernels[i].count},
                    {"total_ns", op.kernels[i].total_ns}});
  }
  return list;
}

Json operator_json(const EventTable& events, const RankRoofline& rank, const OperatorRoof& op) {
  return {{"name", std::string(events.strings[op.name])},
          {"family", op_family_name(op.work.family)},
          {"input_shapes", texts_json(events, op.shapes)},
          {"input_types", texts_json(events, op.types)},
          {"output_shapes", texts_json(events, op.outputs)},
          {"dtype", op.work.dtype},
          {"precision", op.precision},
          {"count", op.count},
          {"device_ns", rank.on_host ? Json() : Json(op.time_ns)},
          {"host_self_ns", rank.on_host ? Json(op.time_ns) : Json()},
          {"flops", op.work.flops},
          {"bytes", op.work.bytes},
          {"flops_per_byte", op.intensity()},
          {"flops_per_s", op.flops_per_s()},
          {"bytes_per_s", op.bytes_per_s()},
          {"flops_per_s_roof", op.flops_per_s_roof},
          {"roof_ns", op.roof_ns},
          {"roof_fraction", op.fraction()},
          {"bound", roof_bound_name(op.bound)},
          {"no_data", op.missing.empty() ? Json() : Json(op.missing)},
          {"product", op.work.product ? product_json(*op.work.product) : Json()},
          {"kernels", kernels_json(events, op)},
          {"other_kernels", op.kernels.size() - std::min(kKernels, op.kernels.size())}};
}

Json accelerator_json(const RankRoofline& rank) {
  if (!rank.accelerator) {
    return {};
  }
  const Accelerator& one = *rank.accelerator;
  return {{"name", one.name},
          {"matrix_flops_per_s", one.matrix},
          {"vector_flops_per_s", one.vector},
          {"achievable_flops_per_s", one.achievable},
          {"bytes_per_s", one.bytes_per_s},
          {"cache_bytes", one.cache_bytes},
          {"source", one.source},
          {"achievable_source", one.achievable_source}};
}

std::string rate_text(const RankRoofline& rank, const std::optional<double>& per_s) {
  return !per_s         ? kNoData
         : rank.on_host ? fmt::format("{:.3g} G", *per_s / 1e9)
                        : fmt::format("{:.3g} T", *per_s / 1e12);
}

std::string fraction_text(const OperatorRoof& op) {
  const auto fraction = op.fraction();
  return fraction ? format_percent(*fraction, 1) : kNoData;
}

std::string mean_text(const OperatorRoof& op) {
  return format_duration_ns(static_cast<double>(op.time_ns) / static_cast<double>(op.count));
}

std::string operators_table(const EventTable& events, const RankRoofline& rank, size_t most) {
  std::vector<std::vector<std::string>> rows{
      {"operator", "shapes", "type", "count", "mean", "FLOP/s", "bytes/s", "FLOP/B", "of roof", "bound"}};
  const size_t shown = std::min(most, rank.operators.size());
  for (size_t i = 0; i < shown; ++i) {
    const OperatorRoof& op = rank.operators[i];
    const auto intensity = op.intensity();
    rows.push_back({shorten(events.strings[op.name], kLongestName), shorten(events.strings[op.shapes], kLongestShapes),
                    op.precision.empty() ? op.work.dtype : op.precision, std::to_string(op.count), mean_text(op),
                    rate_text(rank, op.flops_per_s()), rate_text(rank, op.bytes_per_s()),
                    intensity ? fmt::format("{:.3g}", *intensity) : kNoData, fraction_text(op),
                    op.roof_ns ? roof_bound_name(op.bound) : fmt::format("unknown: {}", op.missing)});
  }
  std::string text = format_table(rows);
  if (shown < rank.operators.size()) {
    text += counted(rank.operators.size() - shown, "other", "others") + "\n";
  }
  return text;
}

std::string layout_text(const MatrixProduct& product) {
  const auto letter = [](const std::optional<bool>& transposed) { return !transposed ? "?" : *transposed ? "T" : "N"; };
  return fmt::format("{}{}", letter(product.transposed_a), letter(product.transposed_b));
}

std::string products_table(const EventTable& events, const RankRoofline& rank, size_t most) {
  std::vector<std::vector<std::string>> rows{
      {"product", "batch", "M", "N", "K", "layout", "type", "count", "total", "FLOP/s", "of roof", "kernel"}};
  size_t products = 0;
  for (const OperatorRoof& op : rank.operators) {
    if (!op.work.product || op.place == WorkPlace::kOperatorsWithin || ++products > most) {
      continue;
    }
    const MatrixProduct& product = *op.work.product;
    rows.push_back({shorten(events.strings[op.name], kLongestName), std::to_string(product.batch),
                    std::to_string(product.m), std::to_string(product.n), std::to_string(product.k),
                    layout_text(product), op.precision.empty() ? op.work.dtype : op.precision, std::to_string(op.count),
                    duration_text(op.time_ns), rate_text(rank, op.flops_per_s()), fraction_text(op),
                    op.kernels.empty() ? "" : shorten(events.strings[op.kernels.front().name], kLongestShapes)});
  }
  if (products == 0) {
    return "";
  }
  return format_table(rows) + (products > most ? fmt::format("{} other products\n", products - most) : "");
}

std::string roof_text(const RankRoofline& rank) {
  if (!rank.accelerator && rank.on_host) {
    return "operators by their own time on the host; no roofs (--roofs takes what `aaco doctor --measure` "
           "wrote on that machine)\n";
  }
  if (!rank.accelerator) {
    return fmt::format("no roofs: {} (--accelerator names it, --roofs what was measured)\n",
                       rank.device.empty() ? "the trace does not name its device"
                                           : fmt::format("nothing is known of \"{}\"", printable(rank.device)));
  }
  const Accelerator& one = *rank.accelerator;
  const bool both = !one.achievable.empty() && one.achievable_source != one.source;
  return fmt::format(
      "roofs of {}: {}{}; {} of the operators' {} has one\n", printable(one.name), printable(one.source),
      both ? fmt::format("; what products were measured to reach: {}", printable(one.achievable_source)) : "",
      share_text(rank.roofed_ns, rank.operators_ns), rank.on_host ? "own time on the host" : "device time");
}

// Of what is no communication.
std::string without_roof_text(const RankRoofline& rank) {
  int64_t total_ns = 0;
  std::map<std::string, int64_t> reasons;
  for (const OperatorRoof& op : rank.operators) {
    if (!op.roof_ns && op.place != WorkPlace::kLinks) {
      total_ns = saturating_sum(total_ns, op.time_ns);
      int64_t& its = reasons[op.missing];
      its = saturating_sum(its, op.time_ns);
    }
  }
  if (total_ns == 0) {
    return "";
  }
  const auto most = std::max_element(reasons.begin(), reasons.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("{} of operators without a roof, {} of it because {}\n", duration_text(total_ns),
                     duration_text(most->second), most->first);
}

std::string backward_text(const TraceSummary& summary) {
  std::vector<std::vector<std::string>> rows{{"backward over forward", "rank", "FLOPs", "time", "computed again"}};
  const auto ratio_text = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : std::string(kNoData);
  };
  for (const BackwardRatio& one : summary.backward_ratios) {
    rows.push_back(
        {fmt::format("{} operators", op_family_name(one.family)), one.rank == kNoId ? "" : std::to_string(one.rank),
         ratio_text(one.flops_ratio()), ratio_text(one.time_ratio()),
         ratio_text(one.forward_flops > 0 ? std::optional(one.recomputed_flops / one.forward_flops) : std::nullopt)});
  }
  return rows.size() > 1 ? "\n" + format_table(rows) : "";
}

std::string suspects_text(const TraceSummary& summary, size_t most) {
  const auto explained = std::count_if(summary.suspects.begin(), summary.suspects.end(),
                                       [](const Suspect& one) { return !one.explanation.empty(); });
  if (summary.suspects.empty()) {
    return "";
  }
  std::string text = "\nsuspect\n";
  size_t shown = 0;
  for (const Suspect& one : summary.suspects) {
    if (one.explanation.empty() && shown++ < most) {
      text += fmt::format("  {}: {}, {:.4g} times: {}\n", one.kind, shorten(one.subject, kLongestName), one.value,
                          one.evidence);
    }
  }
  if (shown > most) {
    text += fmt::format("  {} more\n", shown - most);
  }
  if (explained > 0) {
    text += fmt::format("  {} above a roof with a harmless cause (--json names them)\n", explained);
  }
  return text;
}

}  // namespace

Json rooflines_json(const EventTable& events, const TraceSummary& summary) {
  Json list = Json::array();
  for (const RankRoofline& rank : summary.rooflines) {
    Json operators = Json::array();
    for (const OperatorRoof& op : rank.operators) {
      operators.push_back(operator_json(events, rank, op));
    }
    list.push_back({{"recording", rank.recording},
                    {"rank", id_json(rank.rank)},
                    {"on_host", rank.on_host},
                    {"device", rank.device.empty() ? Json() : Json(rank.device)},
                    {"accelerator", accelerator_json(rank)},
                    {"operators_ns", rank.operators_ns},
                    {"roofed_ns", rank.roofed_ns},
                    {"operators", std::move(operators)}});
  }
  return list;
}

Json backward_ratios_json(const TraceSummary& summary) {
  Json list = Json::array();
  for (const BackwardRatio& one : summary.backward_ratios) {
    list.push_back({{"recording", one.recording},
                    {"rank", id_json(one.rank)},
                    {"family", op_family_name(one.family)},
                    {"forward_flops", one.forward_flops},
                    {"backward_flops", one.backward_flops},
                    {"recomputed_flops", one.recomputed_flops},
                    {"forward_ns", one.forward_ns},
                    {"backward_ns", one.backward_ns},
                    {"unknown_backward_ns", one.unknown_ns},
                    {"flops_ratio", one.flops_ratio()},
                    {"flops_expected", {one.flops_expected.low, one.flops_expected.high}},
                    {"time_ratio", one.time_ratio()},
                    {"time_expected", {one.time_expected.low, one.time_expected.high}}});
  }
  return list;
}

Json suspects_json(const TraceSummary& summary) {
  Json list = Json::array();
  for (const Suspect& one : summary.suspects) {
    list.push_back({{"recording", one.recording},
                    {"rank", id_json(one.rank)},
                    {"kind", one.kind},
                    {"subject", one.subject},
                    {"value", one.value},
                    {"evidence", one.evidence},
                    {"explanation", one.explanation.empty() ? Json() : Json(one.explanation)}});
  }
  return list;
}

std::string rooflines_text(const EventTable& events, const TraceSummary& summary, size_t most) {
  std::string text;
  for (const RankRoofline& rank : summary.rooflines) {
    if (!rank.operators.empty()) {
      text += fmt::format("\n{}\n{}{}", of_rank("roofline", events, rank.recording, rank.rank), roof_text(rank),
                          without_roof_text(rank));
      if (rank.roofed_ns > 0 || rank.on_host) {
        text += operators_table(events, rank, most) + products_table(events, rank, most);
      }
    }
  }
  return text + backward_text(summary) + suspects_text(summary, most);
}

}  // namespace aaco::report
