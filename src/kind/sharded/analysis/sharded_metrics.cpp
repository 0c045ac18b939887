// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/sharded_metrics.h"

#include <algorithm>

namespace aaco {

namespace {

constexpr const char* kNotRecorded = "nothing was recorded";
constexpr const char* kNeedsRecords = "steps under the device's collector";
constexpr const char* kNeedsSteps = "measured steps";

std::optional<double> slowest_step_ns(const ShardedDocument& document) {
  std::optional<double> slowest;
  for (const ShardedRank& rank : document.ranks) {
    if (rank.step_p50_ns) {
      slowest = std::max(slowest.value_or(0), *rank.step_p50_ns);
    }
  }
  return slowest;
}

// Mean over ranks, of a step; none where nothing was recorded.
std::optional<double> mean_over_ranks(const ShardedDocument& document, double StepShares::* part) {
  if (!document.figures || document.figures->ranks.empty()) {
    return std::nullopt;
  }
  double sum = 0;
  for (const RankOverlap& rank : document.figures->ranks) {
    sum += rank.mean.*part;
  }
  return sum / static_cast<double>(document.figures->ranks.size());
}

MetricValue share(const ShardedDocument& document, double StepShares::* whole, const char* nothing) {
  const std::optional<double> hidden = mean_over_ranks(document, &StepShares::hidden_communication_ns);
  const std::optional<double> of = mean_over_ranks(document, whole);
  if (!hidden || !of) {
    return no_data("", kNotRecorded);
  }
  return *of > 0 ? measured("", 100 * *hidden / *of) : no_data("", nothing);
}

// Earlier versions wrote shares beyond both ends.
MetricValue ideal_share(const OverlapSpeedup& speedup) {
  if (!speedup.share || *speedup.share < 0 || *speedup.share > 1) {
    return no_data("", !speedup.no_share.empty() ? speedup.no_share
                       : speedup.share           ? "beyond 0 to 100 %, as an earlier version measured it: not in turns"
                                                 : "nothing is there to hide");
  }
  if (speedup.share_low && speedup.share_high) {
    return measured("", 100 * *speedup.share, Interval{100 * *speedup.share_low, 100 * *speedup.share_high});
  }
  return measured("", 100 * *speedup.share);
}

std::optional<double> loss(const std::vector<double>& losses, bool last) {
  return losses.empty() ? std::nullopt : std::optional(last ? losses.back() : losses.front());
}

constexpr SubjectMetric<ShardedDocument> kShardedMetrics[] = {
    {{"rank_step_p50", "median step", "ns", "of the slowest rank, not recorded", kNeedsSteps,
      "which rank it was: see the table of ranks"},
     [](const ShardedDocument& document) { return figure_or(slowest_step_ns(document), "no step was measured"); }},
    {{"sharded_tokens_per_s", "tokens/s", "1", "all ranks, over the mean step of the slowest", kNeedsSteps,
      "whether the training learns"},
     [](const ShardedDocument& document) {
       return figure_or(document.tokens_per_s,
                        slowest_step_ns(document) ? "the mean step was not recorded" : "no step was measured");
     }},
    {{"exposed_communication", "exposed communication", "ns", "of a step, mean over ranks", kNeedsRecords,
      "which collective: see the table of collectives"},
     [](const ShardedDocument& document) {
       return figure_or(mean_over_ranks(document, &StepShares::exposed_communication_ns), kNotRecorded);
     }},
    {{"communication_hidden", "communication hidden", "%", "of the communication, how much ran beside computation",
      kNeedsRecords, "what it cost the computation: see the contention tax"},
     [](const ShardedDocument& document) {
       return share(document, &StepShares::communication_ns, "there was no communication");
     }},
    {{"computation_overlapped", "computation overlapped", "%",
      "of the computation, beside how much communication ran: what the public tool calls overlap", kNeedsRecords,
      "whether the communication was hidden"},
     [](const ShardedDocument& document) {
       return share(document, &StepShares::computation_ns, "there was no computation");
     }},
    {{"ideal_speedup_share", "share of the ideal speed-up", "%",
      "(serial - overlapped) / (serial - longest); serial is each alone at its fastest", kNeedsRecords,
      "how to reach the rest"},
     [](const ShardedDocument& document) {
       if (!document.figures || !document.figures->speedup) {
         return no_data("", kNotRecorded);
       }
       return ideal_share(*document.figures->speedup);
     }},
    {{"contention_tax", "contention tax", "ns", "of a step: kernels beside communication, beyond their time alone",
      kNeedsRecords, "kernels that cannot be told apart"},
     [](const ShardedDocument& document) {
       if (!document.figures) {
         return no_data("", kNotRecorded);
       }
       const OverlapFigures& figures = *document.figures;
       return figure_or(figures.contention_tax_ns, !figures.no_contention_tax.empty()
                                                       ? figures.no_contention_tax
                                                       : "steps without overlap were not recorded");
     }},
    {{"collective_transfer", "transfers of collectives", "ns", "of a step: the shortest of each over ranks, summed",
      kNeedsRecords, "waiting for a peer"},
     [](const ShardedDocument& document) {
       return figure_or(document.figures ? std::optional(document.figures->transfer_ns) : std::nullopt, kNotRecorded);
     }},
    {{"collective_waiting", "waiting for a peer", "ns", "of a step, mean over ranks: collectives beyond their transfer",
      kNeedsRecords, "why the peer came late"},
     [](const ShardedDocument& document) {
       return figure_or(document.figures ? std::optional(document.figures->waiting_ns) : std::nullopt, kNotRecorded);
     }},
    {{"sharded_first_loss", "loss, first step", "1", "mean over ranks", "a step", "whether it is right"},
     [](const ShardedDocument& document) { return figure_or(loss(document.losses, false), "no step was trained"); }},
    {{"sharded_last_loss", "loss, last step", "1", "mean over ranks", "a step", "whether it is right"},
     [](const ShardedDocument& document) { return figure_or(loss(document.losses, true), "no step was trained"); }},
};

}  // namespace

std::vector<MetricRow> sharded_metrics(const ShardedDocument& document) {
  return metric_rows(kShardedMetrics, document);
}

}  // namespace aaco
