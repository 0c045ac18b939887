// SPDX-License-Identifier: MIT
// Attention whose scores go to memory between its products and its softmax.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "analysis/timeline/advice/attention_groups.h"
#include "analysis/timeline/advice/patterns.h"
#include "base/format.h"
#include "cost/onnx_cost.h"
#include "record/intervals.h"

namespace aaco {

namespace {

struct AttentionSum {
  uint64_t groups = 0;
  uint64_t backward = 0;
  uint64_t kernels = 0;
  int64_t time_ns = 0;
  double flops = 0;
  double bytes = 0;
  double least_ns = 0;  // of those with a roof
  int64_t roofed_ns = 0;
  std::string accelerator;
  TimeByName operators;
  std::map<std::string, int64_t> shapes_ns;
};

const RankRoofline* roofline_of(const TraceSummary& summary, const RankOperators& rank) {
  const auto roofline =
      std::lower_bound(summary.rooflines.begin(), summary.rooflines.end(), std::pair(rank.recording, rank.rank),
                       [](const RankRoofline& rank_roofline, const std::pair<uint32_t, int64_t>& wanted) {
                         return std::pair(rank_roofline.recording, rank_roofline.rank) < wanted;
                       });
  const bool is_of_rank =
      roofline != summary.rooflines.end() && roofline->recording == rank.recording && roofline->rank == rank.rank;
  return is_of_rank ? &*roofline : nullptr;
}

// What the products of the group are held against, as their own operator is.
std::optional<double> rate_of(const EventTable& events, const RankRoofline& roofline, EventRow product) {
  const auto position = std::find_if(roofline.operators.begin(), roofline.operators.end(), [&](const OperatorRoof& op) {
    return op.name == events.name[product] && op.work.product && op.roof_ns;
  });
  return position == roofline.operators.end() ? std::nullopt : position->flops_per_s_roof;
}

// The products at the roof of the matrix units, or queries, keys, values and results through memory once: the longer.
std::optional<double> least_ns(const EventTable& events, const RankRoofline* roofline, const AttentionGroup& group,
                               const std::optional<double>& bytes) {
  if (roofline == nullptr || !roofline->accelerator || !roofline->accelerator->bytes_per_s || !bytes) {
    return std::nullopt;
  }
  const auto rate = rate_of(events, *roofline, group.product);
  return rate ? std::optional(1e9 * std::max(group.flops / *rate, *bytes / *roofline->accelerator->bytes_per_s))
              : std::nullopt;
}

void add(const AdviceInput& input, const RankOperators& rank, std::span<const uint32_t> order,
         const RankRoofline* roofline, const AttentionGroup& group, AttentionSum& sum) {
  const EventTable& events = input.events;
  int64_t time_ns = 0;
  for (size_t place = group.first; place <= group.last; ++place) {
    const LinkedSlice& slice = rank.slices[order[place]];
    time_ns = saturating_sum(time_ns, events.duration_ns[slice.event]);
    if (slice.op != kNoEvent) {
      sum.operators.add(events.name[slice.op], events.duration_ns[slice.event]);
    }
  }
  const auto element_bytes = dtype_bytes(group.dtype);
  const auto bytes = element_bytes ? std::optional(group.elements * *element_bytes) : std::nullopt;
  ++sum.groups;
  sum.backward += group.backward ? 1 : 0;
  sum.kernels += group.last - group.first + 1;
  sum.time_ns = saturating_sum(sum.time_ns, time_ns);
  sum.flops += group.flops;
  sum.bytes += bytes.value_or(0);
  int64_t& shape_ns = sum.shapes_ns[fmt::format("{} rows of {} keys, heads of {}, {}", group.rows, group.keys,
                                                group.width, group.dtype)];
  shape_ns = saturating_sum(shape_ns, time_ns);
  if (const auto least = least_ns(events, roofline, group, bytes)) {
    sum.least_ns += std::min(*least, static_cast<double>(time_ns));
    sum.roofed_ns = saturating_sum(sum.roofed_ns, time_ns);
    sum.accelerator = roofline->accelerator->name;
  }
}

std::string evidence_of(const AttentionSum& sum) {
  const auto most = std::max_element(sum.shapes_ns.begin(), sum.shapes_ns.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string backward = sum.backward > 0 ? fmt::format(" ({} of them backward)", sum.backward) : "";
  const std::string text = fmt::format(
      "{} attentions{} took {} in {} kernels, most of {}; their products are {}, and queries, keys, values and results "
      "are {} once",
      sum.groups, backward, time_text(sum.time_ns), sum.kernels, most->first, format_si(sum.flops, "FLOP"),
      format_si(sum.bytes, "B"));
  return sum.roofed_ns > 0
             ? text + fmt::format(": {} at the roofs of {}", format_duration_ns(sum.least_ns), sum.accelerator)
             : text;
}

TraceFinding finding_of_sum(const AdviceInput& input, const RankOperators& rank, const AttentionSum& sum) {
  TraceFinding finding = finding_of("unfused-attention", input.windows, rank.recording, rank.rank);
  finding.subject = "attention not fused";
  finding.cost_ns = sum.time_ns;
  finding.saves_ns = static_cast<double>(sum.time_ns) - sum.least_ns;
  finding.basis =
      sum.roofed_ns == sum.time_ns
          ? "upper bound: time above the roof of one kernel for each attention"
          : "upper bound: time above the roof of one kernel for each attention, the whole time where no roof "
            "is known";
  finding.bound = "memory";
  finding.evidence = evidence_of(sum);
  finding.where = sum.operators.longest(input.events.strings);
  finding.figures = {{"time", static_cast<double>(sum.time_ns), "ns"},
                     {"attentions", static_cast<double>(sum.groups), "1"},
                     {"backward", static_cast<double>(sum.backward), "1"},
                     {"kernels", static_cast<double>(sum.kernels), "1"},
                     {"flops", sum.flops, "FLOP"},
                     {"bytes", sum.bytes, "B"}};
  if (sum.roofed_ns > 0) {
    finding.figures.push_back({"least_time", sum.least_ns, "ns"});
  }
  finding.remedy =
      "Compute each attention in one fused kernel, which keeps the scores out of memory: "
      "torch.nn.functional.scaled_dot_product_attention (in transformers attn_implementation=\"sdpa\" or "
      "\"flash_attention_2\"). It cannot return the weights of the attention.";
  finding.source = "Dao et al.: FlashAttention (NeurIPS 2022)";
  finding.explains.operators_ns = sum.operators.all();
  return finding;
}

}  // namespace

std::vector<TraceFinding> unfused_attention(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const RankOperators& rank : input.operators) {
    const RowGroups order = linked_stream_order(input.events, rank);
    const RankRoofline* const roofline = roofline_of(input.summary, rank);
    AttentionSum sum;
    for (size_t track = 0; track < order.groups(); ++track) {
      for (const AttentionGroup& group : attention_groups(input, rank, order.group(track))) {
        add(input, rank, order.group(track), roofline, group, sum);
      }
    }
    if (sum.groups > 0) {
      TraceFinding finding = finding_of_sum(input, rank, sum);
      if (worth_a_line(finding)) {
        all.push_back(std::move(finding));
      }
    }
  }
  return all;
}

}  // namespace aaco
