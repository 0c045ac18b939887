// SPDX-License-Identifier: MIT
#include "report/diff_summary.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model_run/conclusions/bottleneck.h"
#include "base/format.h"
#include "base/json/json.h"
#include "report/comparison/comparison_headline.h"
#include "report/values.h"

namespace aaco::report {

namespace {

std::string signed_duration(double ns) { return (ns < 0 ? "-" : "+") + format_duration_ns(std::abs(ns)); }

std::string latency_of(const RunSample& sample) {
  const auto estimate = estimate_over_processes(sample.process_medians_ns);
  return estimate ? format_estimate_ns(*estimate) : "no data";
}

std::string duration_or_no_data(const std::optional<double>& ns) { return ns ? format_duration_ns(*ns) : "no data"; }

Paragraph line(std::string text) { return {.text = std::move(text)}; }

std::vector<Cell> words(std::initializer_list<std::string> texts) {
  std::vector<Cell> cells;
  for (const std::string& text : texts) {
    cells.push_back(text_cell(text));
  }
  return cells;
}

// The two medians of the table below have another ratio.
std::string basis_words(const Comparison& comparison) {
  const std::string& basis = comparison.basis;  // "medians, by ranks,", as it stands within a sentence
  return basis != "medians" ? fmt::format(", of {}", basis.substr(0, basis.size() - (basis.ends_with(',') ? 1 : 0)))
         : comparison.interleaved ? ", geometric mean of the pairs' ratios"
                                  : ", of geometric means over processes";
}

Section headline(const Diff& diff, bool changed) {
  const Comparison& comparison = diff.comparison;
  std::string verdict = verdict_name(comparison.verdict);
  if (!comparison.decided_by.empty()) {
    verdict += fmt::format(" in {}; {}", fmt::join(comparison.decided_by, ", "), comparison.basis);
  }
  if (comparison.ratio) {
    verdict += fmt::format(": {:+.2f} % (ratio {:.4f}, {:.4g} % interval [{:.4f}, {:.4f}]{})",
                           (*comparison.ratio - 1) * 100, *comparison.ratio, comparison.interval_confidence * 100,
                           comparison.interval->low, comparison.interval->high, basis_words(comparison));
  }
  Section section{.id = "verdict", .title = "Verdict", .blocks = {line(verdict), line(comparison.reason)}};
  if (changed) {
    section.blocks.push_back(
        line(fmt::format("suspected cause: {}: {}", bottleneck_words(diff.cause.suspected_cause), diff.cause.reason)));
  }
  section.blocks.push_back(line("next: " + diff.cause.recommendation));
  return section;
}

Section sides(const Diff& diff) {
  TableBlock table{.id = "sides", .columns = {{}, {"baseline"}, {"test"}, {"change"}}};
  const auto add = [&](const char* name, const std::string& a, const std::string& b, const std::string& change) {
    table.rows.push_back(words({name, a, b, change}));
  };
  add("session", diff.baseline.session_id, diff.test.session_id, "");
  add("measured", diff.baseline.created_utc, diff.test.created_utc, "");
  add("processes", std::to_string(diff.comparison.baseline_processes), std::to_string(diff.comparison.test_processes),
      "");
  add("median latency", latency_of(diff.baseline), latency_of(diff.test),
      percent_change(median(diff.baseline.process_medians_ns), median(diff.test.process_medians_ns)));
  const auto modes = [](const std::optional<TwoModes>& two_modes) {
    return two_modes ? modes_text(*two_modes) : "one";
  };
  if (diff.comparison.baseline_modes || diff.comparison.test_modes) {
    add("two modes, slow share", modes(diff.comparison.baseline_modes), modes(diff.comparison.test_modes), "");
  }
  if (diff.attribution) {
    const Attribution& terms = *diff.attribution;
    add("geometric mean", format_duration_ns(terms.baseline_ns), format_duration_ns(terms.test_ns),
        percent_change(terms.baseline_ns, terms.test_ns));
    const auto count = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.4g}", *value) : "no data";
    };
    add("kernel executions", count(terms.launches_baseline), count(terms.launches_test),
        percent_change(terms.launches_baseline, terms.launches_test));
    add(terms.kernel_basis == KernelBasis::kTimedKernels ? "mean kernel duration" : "latency per executed node",
        duration_or_no_data(terms.kernel_ns_baseline), duration_or_no_data(terms.kernel_ns_test),
        percent_change(terms.kernel_ns_baseline, terms.kernel_ns_test));
    add("no node running", duration_or_no_data(terms.exposed_ns_baseline), duration_or_no_data(terms.exposed_ns_test),
        percent_change(terms.exposed_ns_baseline, terms.exposed_ns_test));
  }
  return {.id = "sides", .title = "Both sides", .blocks = {std::move(table)}};
}

std::string line_value(const ChangeLine& line, const std::optional<double>& ns) {
  return !ns ? "no data" : line.id == "throughput" ? format_si(1e9 / *ns, "/s") : format_duration_ns(*ns);
}

// Of throughput, more is better: its ratio is the inverse of that of times.
Interval shown_ratio(const ChangeLine& line, const Interval& times) {
  return line.id == "throughput" ? Interval{1 / times.high, 1 / times.low} : times;
}

Section lines_section(const Comparison& comparison) {
  Section section{.id = "lines", .title = "Mean, tails and throughput"};
  if (!comparison.lines_unavailable.empty()) {
    section.blocks = {line("No data for mean, tails and throughput: " + comparison.lines_unavailable)};
    return section;
  }
  TableBlock table{.id = "lines",
                   .columns = {{"figure"}, {"baseline"}, {"test"}, {"change"}, {"interval"}, {"verdict"}}};
  for (const ChangeLine& change_line : comparison.lines) {
    if (!change_line.unavailable.empty()) {
      table.rows.push_back(words({change_line.title, "no data", "no data", "", change_line.unavailable, "no data"}));
      continue;
    }
    const Interval change = shown_ratio(change_line, {*change_line.ratio, *change_line.ratio});
    const Interval interval = shown_ratio(change_line, *change_line.interval);
    table.rows.push_back(words({change_line.title, line_value(change_line, change_line.baseline_ns),
                                line_value(change_line, change_line.test_ns), change_text(change.low),
                                fmt::format("{:.5g} % [{}, {}]", change_line.interval_confidence * 100,
                                            change_text(interval.low), change_text(interval.high)),
                                verdict_name(change_line.verdict)}));
  }
  section.blocks = {std::move(table)};
  return section;
}

// Why terms are missing, each reason once.
void add_missing_terms(const Attribution& terms, Section& section) {
  std::string before;
  for (const auto& [name, why] : {std::pair{"count and time", &terms.time_unavailable},
                                  {"gap", &terms.gap_unavailable},
                                  {"clock", &terms.clock_unavailable}}) {
    if (!why->empty() && *why != before) {
      section.blocks.push_back(line(fmt::format("no data for {}: {}", name, *why)));
    }
    before = *why;
  }
}

Section terms_section(const Attribution& terms, bool changed) {
  TableBlock table{.id = "terms", .columns = {{"term"}, {"per inference"}, {"of the change"}, {"bound"}}};
  const auto add = [&](const char* name, const std::optional<double>& ns, const std::optional<double>& bound_ns) {
    table.rows.push_back(words({name, ns ? signed_duration(*ns) : "no data",
                                ns && terms.change_ns != 0 ? format_percent(*ns / terms.change_ns, 0) : "",
                                ns && bound_ns ? format_duration_ns(*bound_ns) : ""}));
  };
  add("count", terms.count_ns, terms.count_bound_ns);
  add("time", terms.time_ns, terms.time_bound_ns);
  add("  of it clock", terms.clock_ns, std::nullopt);
  add("gap", terms.gap_ns, terms.gap_bound_ns);
  add("unexplained", terms.unexplained_ns, std::nullopt);
  table.rows.push_back(words({"change", signed_duration(terms.change_ns), "", ""}));
  const std::string of_it =
      changed ? fmt::format("; largest: {}", word_of(terms.largest_term)) : "; no change was shown, they may be noise";
  Section section{
      .id = "terms",
      .title = "Terms",
      .blocks = {line("Terms of the change of the geometric mean over processes" + of_it), std::move(table)}};
  add_missing_terms(terms, section);
  return section;
}

std::optional<Section> nodes_section(const Attribution& terms, size_t most) {
  TableBlock table{.id = "nodes", .columns = {{"node"}, {"operator"}, {"count term"}, {"time term"}, {"limit"}}};
  for (const NodeChange& node : terms.nodes) {
    if (table.rows.size() >= most) {
      break;
    }
    if (node.count_ns.value_or(0) != 0 || node.time_ns.value_or(0) != 0) {
      table.rows.push_back(words({node.name, node.op_type, signed_duration(node.count_ns.value_or(0)),
                                  node.time_ns ? signed_duration(*node.time_ns) : "not resolved",
                                  node.limit == NodeLimit::kUnknown ? "unknown" : word_of(node.limit)}));
    }
  }
  if (table.rows.empty()) {
    return std::nullopt;
  }
  return Section{.id = "nodes", .title = "Nodes", .blocks = {line("Nodes with the largest terms"), std::move(table)}};
}

Section lockbox_section(const Diff& diff) {
  const std::vector<LockboxDifference>& differences = diff.lockbox_differences;
  const std::vector<std::string>& not_recorded = diff.comparison.not_recorded;
  Section section{.id = "lockbox", .title = "Lockboxes"};
  TableBlock table{.id = "lockbox", .columns = {{"lockbox"}, {"baseline"}, {"test"}, {"can change a time"}}};
  for (const LockboxDifference& difference : differences) {
    table.rows.push_back(
        words({difference.key, difference.a, difference.b, difference.performance_relevant ? "yes" : "no"}));
  }
  if (!differences.empty()) {
    section.blocks = {line("What else differs"), std::move(table)};
  } else if (!not_recorded.empty()) {
    section.blocks = {line("Nothing else differs in what both lockboxes hold.")};
  } else if (!diff.comparison.configuration_differences.empty()) {
    section.blocks = {line("Nothing else differs in the lockboxes.")};
  } else {
    section.blocks = {line("Same hardware, software and settings on both sides.")};
  }
  for (const std::string& what : not_recorded) {
    section.blocks.push_back(line(what));
  }
  return section;
}

Section statistics_section(const Comparison& comparison) {
  std::string text =
      fmt::format("{}; minimum effect {:.3g} %", comparison.interleaved ? "interleaved pairs" : "sequential",
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
  Section section{.id = "statistics", .title = "How it was judged", .blocks = {line(text)}};
  if (!comparison.drift_source.empty()) {
    section.blocks.push_back(line("drift: " + comparison.drift_source));
  }
  for (const std::string& warning : comparison.warnings) {
    section.blocks.push_back(line("warning: " + warning));
  }
  return section;
}

}  // namespace

Report build_diff_summary(const Diff& diff, size_t most_nodes) {
  const bool changed = diff.comparison.verdict == Verdict::kRegressed || diff.comparison.verdict == Verdict::kImproved;
  Report report{.title = "Did the run become slower?"};
  const Json whole = diff_json(diff);
  report.headline = diff_headline(whole["verdict"], &whole["nodes"]);
  report.sections = {headline(diff, changed), sides(diff)};
  if (diff.attribution) {
    report.sections.push_back(lines_section(diff.comparison));
  }
  if (diff.attribution) {
    report.sections.push_back(terms_section(*diff.attribution, changed));
    if (std::optional<Section> nodes = nodes_section(*diff.attribution, most_nodes)) {
      report.sections.push_back(*std::move(nodes));
    }
  }
  report.sections.push_back(lockbox_section(diff));
  report.sections.push_back(statistics_section(diff.comparison));
  return report;
}

}  // namespace aaco::report
