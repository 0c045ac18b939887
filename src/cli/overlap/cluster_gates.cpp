// SPDX-License-Identifier: MIT
#include "cli/overlap/cluster_gates.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "base/number_range.h"
#include "kind/sharded/analysis/sharded_metrics.h"
#include "report/values.h"

namespace aaco {

namespace {

constexpr double kMillisecond = 1e6;

std::vector<double> medians(const ShardedDocument& document) {
  std::vector<double> found;
  for (const ShardedRank& rank : document.ranks) {
    if (rank.step_p50_ns) {
      found.push_back(*rank.step_p50_ns);
    }
  }
  return found;
}

std::optional<double> slowest_ms(const ShardedDocument& document) {
  const std::vector<double> found = medians(document);
  return found.empty() ? std::nullopt : std::optional(*std::max_element(found.begin(), found.end()) / kMillisecond);
}

std::optional<double> spread(const ShardedDocument& document) {
  const std::vector<double> found = medians(document);
  if (found.empty()) {
    return std::nullopt;
  }
  const auto [fastest, slowest] = std::minmax_element(found.begin(), found.end());
  return *fastest > 0 ? std::optional((*slowest - *fastest) / *fastest) : std::nullopt;
}

// Of the ranks, the least; none where one has none.
template <class Ratio>
std::optional<double> least(const ShardedDocument& document, Ratio ratio) {
  std::optional<double> least;
  if (!document.figures) {
    return least;
  }
  for (const RankOverlap& rank : document.figures->ranks) {
    const std::optional<double> of_rank = ratio(rank.mean);
    if (!of_rank) {
      return std::nullopt;
    }
    least = least ? std::min(*least, *of_rank) : of_rank;
  }
  return least;
}

std::optional<double> compute_ratio(const ShardedDocument& document) {
  return least(document, [](const StepShares& shares) {
    return shares.window_ns > 0 ? std::optional(shares.computation_ns / shares.window_ns) : std::nullopt;
  });
}

std::optional<double> overlap_ratio(const ShardedDocument& document) {
  return least(document, [](const StepShares& shares) { return shares.communication_hidden(); });
}

struct GateKind {
  const char* name;
  bool is_least;  // the threshold is a least value, a ratio; else a largest one
  std::optional<double> (*find)(const ShardedDocument& document);
};

constexpr GateKind kGates[] = {
    {"max_avg_iteration_ms", false, slowest_ms},
    {"min_compute_ratio", true, compute_ratio},
    {"min_overlap_ratio", true, overlap_ratio},
    {"max_time_variance_ratio", false, spread},
};

const GateKind* find_gate(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kGates), std::end(kGates), [&](const GateKind& kind) { return name == kind.name; });
  return found == std::end(kGates) ? nullptr : found;
}

std::string number_or_none(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "none";
}

// A figure of the report, in other units.
std::optional<double> reported(const std::vector<MetricRow>& metrics, std::string_view id, double unit) {
  const MetricRow* const row = find_row(metrics, id);
  return row != nullptr && row->figure.value ? std::optional(*row->figure.value / unit) : std::nullopt;
}

// Of a step the share with computation, mean over ranks, as the report's first bar shows it.
std::optional<double> mean_compute_ratio(const ShardedDocument& document) {
  double computation_ns = 0;
  double window_ns = 0;
  for (const RankOverlap& rank : document.figures ? document.figures->ranks : std::vector<RankOverlap>()) {
    computation_ns += rank.mean.computation_ns;
    window_ns += rank.mean.window_ns;
  }
  return window_ns > 0 ? std::optional(computation_ns / window_ns) : std::nullopt;
}

}  // namespace

Result<std::vector<ClusterGate>> parse_cluster_gates(const std::vector<std::string>& texts) {
  std::vector<ClusterGate> gates;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const GateKind* const kind = find_gate(name);
    if (kind == nullptr || equals == std::string::npos) {
      return Error{ErrorKind::kUsage, fmt::format("--gate {}: there is no such gate", text),
                   "gates: max_avg_iteration_ms, min_compute_ratio, min_overlap_ratio, max_time_variance_ratio, as "
                   "--gate min_overlap_ratio=0.5"};
    }
    const NumberRange<double> thresholds{kLeastAboveZero, kind->is_least ? 1.0 : 1e12};
    AACO_ASSIGN(const double threshold,
                number_within(fmt::format("--gate {}", name), std::string_view(text).substr(equals + 1), thresholds));
    gates.push_back({name, threshold});
  }
  return gates;
}

std::vector<GateFinding> judge_cluster_gates(const std::vector<ClusterGate>& gates, const ShardedDocument& document) {
  std::vector<GateFinding> findings;
  for (const ClusterGate& gate : gates) {
    const GateKind* const kind = find_gate(gate.name);
    GateFinding finding{gate, kind->find(document), false};
    finding.passed =
        finding.found && (kind->is_least ? *finding.found >= gate.threshold : *finding.found <= gate.threshold);
    findings.push_back(std::move(finding));
  }
  return findings;
}

report::Section gates_section(const std::vector<GateFinding>& findings) {
  report::TableBlock table{.id = "cluster-gates",
                           .columns = {{"gate"}, {"threshold", true}, {"found", true}, {"outcome"}}};
  for (const GateFinding& finding : findings) {
    table.rows.push_back(
        {report::text_cell(finding.gate.name), report::number_cell(finding.gate.threshold, "1"),
         finding.found ? report::number_cell(*finding.found, "1") : report::missing_cell("not measured"),
         report::text_cell(finding.passed ? "held" : "missed",
                           finding.passed ? report::Tone::kGood : report::Tone::kBad)});
  }
  return {"cluster-gates", "Gates of this command", {}, {std::move(table)}};
}

std::string result_line(const ShardedDocument& document) {
  constexpr double kPercent = 100;
  const std::vector<MetricRow> metrics = sharded_metrics(document);
  const std::optional<double> collectives_ms =
      document.figures ? std::optional((document.figures->transfer_ns + document.figures->waiting_ns) / kMillisecond)
                       : std::nullopt;
  return fmt::format(
      "RESULT ranks={} steps={} ms_per_step={} tokens_per_s={} exposed_ms={} overlap_ratio={} compute_ratio={} "
      "ideal_share={} RCCL_TOTAL_MS={}",
      document.ranks.size(), document.steps, number_or_none(reported(metrics, "rank_step_p50", kMillisecond)),
      number_or_none(reported(metrics, "sharded_tokens_per_s", 1)),
      number_or_none(reported(metrics, "exposed_communication", kMillisecond)),
      number_or_none(reported(metrics, "communication_hidden", kPercent)), number_or_none(mean_compute_ratio(document)),
      number_or_none(reported(metrics, "ideal_speedup_share", kPercent)), number_or_none(collectives_ms));
}

}  // namespace aaco
