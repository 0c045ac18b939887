// SPDX-License-Identifier: MIT
#include "cli/diff_text.h"

#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "base/format.h"
#include "base/text/characters.h"

namespace aaco {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kMostNodes = 10;

std::string signed_duration(double ns) { return (ns < 0 ? "-" : "+") + format_duration_ns(std::abs(ns)); }

std::string latency_of(const RunSample& sample) {
  const auto estimate = estimate_over_processes(sample.process_medians_ns);
  return estimate ? format_estimate_ns(*estimate) : "no data";
}

std::string duration_or_no_data(const std::optional<double>& ns) { return ns ? format_duration_ns(*ns) : "no data"; }

std::string headline(const Comparison& comparison) {
  std::string line = verdict_name(comparison.verdict);
  if (comparison.ratio) {
    line +=
        fmt::format(": {:+.2f} % (ratio {:.4f}, {:.0f} % interval [{:.4f}, {:.4f}])", (*comparison.ratio - 1) * 100,
                    *comparison.ratio, kVerdictConfidence * 100, comparison.interval->low, comparison.interval->high);
  }
  return line + "\n" + printable(comparison.reason) + "\n";
}

std::string sides(const Diff& diff) {
  Rows rows{{"", "baseline", "test", "change"}};
  const auto add = [&](const char* name, const std::string& a, const std::string& b, const std::string& change) {
    rows.push_back({name, a, b, change});
  };
  add("session", diff.baseline.session_id, diff.test.session_id, "");
  add("measured", diff.baseline.created_utc, diff.test.created_utc, "");
  add("processes", std::to_string(diff.comparison.baseline_processes), std::to_string(diff.comparison.test_processes),
      "");
  add("median latency", latency_of(diff.baseline), latency_of(diff.test),
      percent_change(median(diff.baseline.process_medians_ns), median(diff.test.process_medians_ns)));
  if (diff.attribution) {
    const Attribution& terms = *diff.attribution;
    add("geometric mean", format_duration_ns(terms.baseline_ns), format_duration_ns(terms.test_ns),
        percent_change(terms.baseline_ns, terms.test_ns));
    const auto count = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.4g}", *value) : "no data";
    };
    add("kernel executions", count(terms.launches_baseline), count(terms.launches_test),
        percent_change(terms.launches_baseline, terms.launches_test));
    add(terms.kernel_basis == "timed kernels" ? "mean kernel duration" : "latency per executed node",
        duration_or_no_data(terms.kernel_ns_baseline), duration_or_no_data(terms.kernel_ns_test),
        percent_change(terms.kernel_ns_baseline, terms.kernel_ns_test));
    add("no node running", duration_or_no_data(terms.exposed_ns_baseline), duration_or_no_data(terms.exposed_ns_test),
        percent_change(terms.exposed_ns_baseline, terms.exposed_ns_test));
  }
  return format_table(rows);
}

// Why terms are missing, each reason once.
std::string missing_terms(const Attribution& terms) {
  std::string text;
  std::string before;
  for (const auto& [name, why] : {std::pair{"count and time", &terms.time_unavailable},
                                  {"gap", &terms.gap_unavailable},
                                  {"clock", &terms.clock_unavailable}}) {
    if (!why->empty() && *why != before) {
      text += fmt::format("no data for {}: {}\n", name, printable(*why));
    }
    before = *why;
  }
  return text;
}

std::string terms_table(const Attribution& terms, bool changed) {
  Rows rows{{"term", "per inference", "of the change", "bound"}};
  const auto add = [&](const char* name, const std::optional<double>& ns, const std::optional<double>& bound_ns) {
    rows.push_back({name, ns ? signed_duration(*ns) : "no data",
                    ns && terms.change_ns != 0 ? format_percent(*ns / terms.change_ns, 0) : "",
                    ns && bound_ns ? format_duration_ns(*bound_ns) : ""});
  };
  add("count", terms.count_ns, terms.count_bound_ns);
  add("time", terms.time_ns, terms.time_bound_ns);
  add("  of it clock", terms.clock_ns, std::nullopt);
  add("gap", terms.gap_ns, terms.gap_bound_ns);
  add("unexplained", terms.unexplained_ns, std::nullopt);
  rows.push_back({"change", signed_duration(terms.change_ns), "", ""});
  const std::string title = changed ? "; largest: " + terms.largest_term : "; no change was shown, they may be noise";
  return "\nTerms of the change of the geometric mean over processes" + title + "\n" + format_table(rows) +
         missing_terms(terms);
}

std::string nodes_table(const Attribution& terms) {
  Rows rows{{"node", "operator", "count term", "time term", "limit"}};
  for (const NodeChange& node : terms.nodes) {
    if (rows.size() > kMostNodes) {
      break;
    }
    if (node.count_ns.value_or(0) != 0 || node.time_ns.value_or(0) != 0) {
      rows.push_back({node.name, node.op_type, signed_duration(node.count_ns.value_or(0)),
                      node.time_ns ? signed_duration(*node.time_ns) : "not resolved",
                      node.limit.empty() ? "unknown" : node.limit});
    }
  }
  return rows.size() == 1 ? "" : "\nNodes with the largest terms\n" + format_table(rows);
}

std::string lockbox_table(const std::vector<LockboxDifference>& differences) {
  Rows rows{{"lockbox", "baseline", "test", "can change a time"}};
  for (const LockboxDifference& difference : differences) {
    rows.push_back({difference.key, difference.a, difference.b, difference.performance_relevant ? "yes" : "no"});
  }
  return differences.empty() ? "\nThe lockboxes agree.\n" : "\nWhat else differs\n" + format_table(rows);
}

std::string statistics_lines(const Comparison& comparison) {
  std::string text =
      fmt::format("\n{}; minimum effect {:.3g} %", comparison.interleaved ? "interleaved pairs" : "sequential",
                  comparison.min_effect * 100);
  if (comparison.minimum_detectable) {
    text += fmt::format("; shows {:.3g} % with 95 % power", *comparison.minimum_detectable * 100);
  }
  if (comparison.confidence) {
    text += fmt::format("; confidence {:.3f}", *comparison.confidence);
  }
  if (comparison.severity != Severity::kNone) {
    text += std::string("; severity ") + severity_name(comparison.severity);
  }
  text += '\n';
  return comparison.drift_source.empty() ? text : text + "drift: " + printable(comparison.drift_source) + "\n";
}

}  // namespace

std::string diff_text(const Diff& diff) {
  std::string text = headline(diff.comparison);
  const bool changed = diff.comparison.verdict == Verdict::kRegressed || diff.comparison.verdict == Verdict::kImproved;
  if (changed) {
    text += fmt::format("suspected cause: {}: {}\n", diff.cause.suspected_cause, printable(diff.cause.reason));
  }
  text += "next: " + printable(diff.cause.recommendation) + "\n\n" + sides(diff);
  if (diff.attribution) {
    text += terms_table(*diff.attribution, changed) + nodes_table(*diff.attribution);
  }
  text += lockbox_table(diff.lockbox_differences);
  text += statistics_lines(diff.comparison);
  for (const std::string& warning : diff.comparison.warnings) {
    text += "warning: " + printable(warning) + "\n";
  }
  return text;
}

}  // namespace aaco
