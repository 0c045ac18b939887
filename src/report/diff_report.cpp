// SPDX-License-Identifier: MIT
#include "report/diff_report.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/text/characters.h"
#include "record/shapes_text.h"
#include "report/comparison/comparison_headline.h"
#include "report/diff_plots.h"
#include "report/json_fields.h"
#include "report/sections/sections.h"
#include "report/sinks.h"
#include "report/values.h"
#include "verdict/identity/work_facts.h"

namespace aaco::report {

namespace {

std::string signed_percent(double percent) { return fmt::format("{:+.2f} %", percent); }

KeyFigures figures_of(const Json& verdict) {
  const std::optional<double> ratio = number_of(verdict, "ratio");
  const std::optional<Interval> interval = interval_of(verdict, "interval");
  const std::string name = text_of(verdict, "verdict");
  KeyFigure change{"change of latency", "no data", "", tone_of_verdict(name)};
  if (ratio) {
    change.value = signed_percent((*ratio - 1) * 100);
    change.detail =
        interval ? fmt::format("{:.4g} % [{}, {}]", number_of(verdict, "interval_confidence").value_or(0) * 100,
                               signed_percent((interval->low - 1) * 100), signed_percent((interval->high - 1) * 100))
                 : "no interval: too few processes";
  }
  const std::optional<double> confidence = number_of(verdict, "confidence");
  const std::optional<double> least = number_of(verdict, "min_effect_pct");
  const std::optional<double> seen = number_of(verdict, "minimum_detectable_pct");
  const std::string cause = text_of(verdict, "suspected_cause");
  const std::string term = text_of(verdict, "largest_term");
  return {
      {change,
       {"verdict", name.empty() ? "no data" : name,
        confidence ? "confidence " + format_percent(*confidence) + ", severity " + text_of(verdict, "severity") : "",
        tone_of_verdict(name)},
       {"suspected cause", cause.empty() ? "no data" : cause, term.empty() ? "" : "largest term: " + term},
       {"smallest change that counts", least ? fmt::format("{:.3g} %", *least) : "no data",
        seen ? fmt::format("this run shows {:.3g} % with 95 % power", *seen) : ""}}};
}

Section verdict_section(const Json& verdict) {
  Section section{"verdict", "Verdict"};
  section.blocks.push_back(figures_of(verdict));
  for (const char* key : {"reason", "cause_reason"}) {
    const std::string text = text_of(verdict, key);
    if (!text.empty()) {
      section.blocks.push_back(Paragraph{text});
    }
  }
  const std::string advice = text_of(verdict, "recommendation");
  if (!advice.empty()) {
    section.blocks.push_back(Paragraph{"What to do next: " + advice});
  }
  const Json* warnings = member_of(verdict, "warnings");
  for (const Json& warning : warnings != nullptr && warnings->is_array() ? *warnings : Json::array()) {
    section.blocks.push_back(Paragraph{format_json(warning), Tone::kWarning});
  }
  return section;
}

// Mean, tails and throughput, each with its verdict.
TableBlock lines_table(const Json& lines) {
  TableBlock table{.id = "lines",
                   .title = "Mean, tails and throughput",
                   .columns = {{"figure"},
                               {"baseline, time", true},
                               {"test, time", true},
                               {"ratio of times", true},
                               {"interval"},
                               {"verdict"}},
                   .note =
                       "Geometric means over processes. Throughput is shown by its inverse, the elapsed time of an "
                       "inference: above 1 the test is slower in every line."};
  for (const Json& line : lines) {
    const std::optional<Interval> interval = interval_of(line, "interval");
    const std::string why = text_of(line, "unavailable");
    const std::string verdict = text_of(line, "verdict");
    table.rows.push_back({text_cell(text_of(line, "title")), optional_cell(number_of(line, "baseline_ns"), "ns"),
                          optional_cell(number_of(line, "test_ns"), "ns"), optional_cell(number_of(line, "ratio"), "1"),
                          text_cell(interval ? fmt::format("{:.5g} % [{:.4f}, {:.4f}]",
                                                           number_of(line, "interval_confidence").value_or(0) * 100,
                                                           interval->low, interval->high)
                                             : why),
                          text_cell(verdict.empty() ? "no data" : verdict, tone_of_verdict(verdict))});
  }
  return table;
}

std::string median_of(const LatencySummary* latency) {
  return latency == nullptr ? "no data" : format_estimate_ns(latency->p50_ns);
}

// The facts of both sides in a row each, those that differ marked.
TableBlock sides_table(const DiffSide& baseline, const DiffSide& test, const Json& verdict) {
  TableBlock table{.id = "sides", .columns = {{""}, {"baseline"}, {"test"}}};
  const auto add = [&](const char* name, const std::string& a, const std::string& b, bool must_match) {
    const Tone tone = must_match && a != b ? Tone::kWarning : Tone::kNeutral;
    table.rows.push_back({text_cell(name), text_cell(a, tone), text_cell(b, tone)});
  };
  const RunFacts& a = baseline.session.recording.facts;
  const RunFacts& b = test.session.recording.facts;
  add("session", baseline.session.info.session_id, test.session.info.session_id, false);
  add("recorded", baseline.session.info.created_utc, test.session.info.created_utc, false);
  add("status", session_status_name(baseline.session.status), session_status_name(test.session.status), true);
  add("model", a.model_name, b.model_name, true);
  add("model SHA-256", shorten(a.model_sha256, 17), shorten(b.model_sha256, 17), true);
  // Work outside the model file: "weights w.bin", "input ids", "option use_tf32".
  const Json* differences = member_of(verdict, "configuration_differences");
  for (const Json& difference : differences != nullptr && differences->is_array() ? *differences : Json::array()) {
    if (const std::string field = text_of(difference, "field"); field.find(' ') != std::string::npos) {
      add(field.c_str(), with_short_hashes(text_of(difference, "baseline")),
          with_short_hashes(text_of(difference, "test")), true);
    }
  }
  add("backend", a.backend, b.backend, true);
  add("batch", std::to_string(a.batch), std::to_string(b.batch), true);
  if (!a.input_shapes.empty() || !b.input_shapes.empty()) {
    const auto shapes = [](const RunFacts& facts) {
      return facts.input_shapes.empty() ? "not recorded" : shapes_text(facts.input_shapes);
    };
    add("input shapes", shapes(a), shapes(b), !a.input_shapes.empty() && !b.input_shapes.empty());
  }
  add("precision", a.precision_executed, b.precision_executed, true);
  add("threads", std::to_string(a.intra_op_threads), std::to_string(b.intra_op_threads), true);
  add("runtime", a.runtime_version, b.runtime_version, true);
  const LatencySummary* latency_a = baseline.analysis.primary_latency();
  const LatencySummary* latency_b = test.analysis.primary_latency();
  add("median latency", median_of(latency_a), median_of(latency_b), false);
  add("processes", std::to_string(latency_a != nullptr ? latency_a->processes : 0),
      std::to_string(latency_b != nullptr ? latency_b->processes : 0), false);
  add("bottleneck", word_of(baseline.analysis.bottleneck.bottleneck_class),
      word_of(test.analysis.bottleneck.bottleneck_class), true);
  return table;
}

TableBlock node_table(const Json& nodes) {
  TableBlock table{.id = "node-changes",
                   .title = "Nodes",
                   .columns = {{"node"},
                               {"operator"},
                               {"executions, baseline", true},
                               {"test", true},
                               {"time each, baseline", true},
                               {"test", true},
                               {"by count", true},
                               {"by time", true},
                               {"matched by"}},
                   .sortable = true,
                   .note = "Change of the time per inference, split into executions and time per execution."};
  constexpr size_t kMostRows = 200;
  for (const Json& node : nodes) {
    if (table.rows.size() == kMostRows) {
      table.note += " The first " + std::to_string(kMostRows) + " of " + std::to_string(nodes.size()) + " nodes.";
      break;
    }
    const auto time_cell = [&](const char* key) {
      const std::optional<double> ns = number_of(node, key);
      return ns ? number_cell(*ns, "ns") : Cell{.text = "not resolved", .order = 0};
    };
    table.rows.push_back({text_cell(text_of(node, "name")), text_cell(text_of(node, "op_type")),
                          optional_cell(number_of(node, "executions_baseline"), "1"),
                          optional_cell(number_of(node, "executions_test"), "1"), time_cell("time_baseline_ns"),
                          time_cell("time_test_ns"), time_cell("count_ns"), time_cell("time_ns"),
                          text_cell(text_of(node, "matched_by"))});
  }
  return table;
}

Section change_section(const Json& verdict, const Json* nodes) {
  Section section{"change", "What changed"};
  const Json* terms = member_of(verdict, "terms");
  section.blocks.push_back(ChartBlock{change_waterfall(terms != nullptr ? *terms : Json())});
  for (const auto& [key, name] : {std::pair{"profile_unavailable", "Terms of count and time"},
                                  {"gap_unavailable", "Gap term"},
                                  {"clock_unavailable", "Share of the processor's clock in the time term"}}) {
    const std::string why = terms != nullptr ? text_of(*terms, key) : "";
    if (!why.empty()) {
      section.blocks.push_back(Paragraph{std::string(name) + ": no data: " + why});
    }
  }
  const std::optional<double> clock = terms != nullptr ? number_of(*terms, "clock_ns") : std::nullopt;
  if (clock) {
    section.blocks.push_back(
        Paragraph{"Of the time term, the processor's clock foretells " + format_duration_ns(*clock) + "."});
  }
  section.blocks.push_back(ChartBlock{node_changes(nodes != nullptr ? *nodes : Json())});
  if (nodes != nullptr && nodes->is_array() && !nodes->empty()) {
    section.blocks.push_back(FoldedBlocks{"All nodes", {node_table(*nodes)}});
  }
  return section;
}

Section lockbox_section(const Json& verdict) {
  Section section{"lockbox", "What else differs"};
  TableBlock table{.id = "lockbox-differences",
                   .columns = {{"fact"}, {"baseline"}, {"test"}, {"kind"}, {"can change a time"}}};
  const Json* differences = member_of(verdict, "lockbox_differences");
  const Json none = Json::array();
  const Json* not_recorded = member_of(verdict, "not_recorded");
  not_recorded = not_recorded != nullptr && not_recorded->is_array() ? not_recorded : &none;
  for (const Json& difference : differences != nullptr && differences->is_array() ? *differences : Json::array()) {
    const Json* relevant = member_of(difference, "performance_relevant");
    const bool matters = relevant != nullptr && relevant->is_boolean() && relevant->get<bool>();
    table.rows.push_back({text_cell(text_of(difference, "key")), text_cell(text_of(difference, "a")),
                          text_cell(text_of(difference, "b")), text_cell(text_of(difference, "category")),
                          text_cell(matters ? "yes" : "no", matters ? Tone::kWarning : Tone::kNeutral)});
  }
  if (differences == nullptr) {
    section.blocks.push_back(Paragraph{"No data: the lockboxes were not compared.", Tone::kWarning});
  } else if (!table.rows.empty()) {
    section.blocks.push_back(std::move(table));
  } else {
    const Json* work = member_of(verdict, "configuration_differences");
    const bool other_work = work != nullptr && work->is_array() && !work->empty();
    section.blocks.push_back(Paragraph{!not_recorded->empty() ? "Nothing else differs in what both lockboxes hold."
                                       : other_work           ? "Nothing else differs in the lockboxes."
                                                              : "The lockboxes of both sessions agree."});
  }
  for (const Json& what : *not_recorded) {
    section.blocks.push_back(Paragraph{format_json(what), Tone::kWarning});
  }
  return section;
}

}  // namespace

Result<Report> build_diff_report(const DiffSide& baseline, const DiffSide& test, const Json& diff) {
  const Json* inner = member_of(diff, "verdict");
  const Json& verdict = inner != nullptr && inner->is_object() ? *inner : diff;
  const std::string name = text_of(verdict, "verdict");
  if (name.empty()) {
    return Error{ErrorKind::kUsage, "the comparison names no verdict", "compare the sessions with aaco diff"};
  }
  Report report;
  report.title = test.session.recording.facts.model_name + ": " + name + " against the baseline";
  report.subtitle = baseline.session.info.session_id + " (baseline) and " + test.session.info.session_id + " (test), " +
                    text_of(verdict, "method");
  report.badges.push_back({name, tone_of_verdict(name)});
  report.headline = diff_headline(verdict, member_of(diff, "nodes"));
  report.sections.push_back(verdict_section(verdict));
  Section latency{"latency", "Latency"};
  latency.blocks = {ChartBlock{overlaid_histogram(baseline.session.recording, test.session.recording)},
                    ChartBlock{overlaid_ecdf(baseline.session.recording, test.session.recording)},
                    sides_table(baseline, test, verdict)};
  const Json* lines = member_of(verdict, "lines");
  if (lines != nullptr && lines->is_array() && !lines->empty()) {
    latency.blocks.emplace_back(lines_table(*lines));
  } else if (const std::string why = text_of(verdict, "lines_unavailable"); !why.empty()) {
    latency.blocks.emplace_back(Paragraph{"No data for mean, tails and throughput: " + why});
  }
  report.sections.push_back(std::move(latency));
  report.sections.push_back(change_section(verdict, member_of(diff, "nodes")));
  report.sections.push_back(lockbox_section(verdict));
  report.footer = definitions_footer(test.session.info.aaco_version, "comparison.md");
  return report;
}

}  // namespace aaco::report

namespace aaco {

Result<std::string> render_diff_html(const OpenSession& baseline, const Analysis& baseline_analysis,
                                     const OpenSession& test, const Analysis& test_analysis, const Json& diff) {
  AACO_ASSIGN(const report::Report built,
              report::build_diff_report({baseline, baseline_analysis}, {test, test_analysis}, diff));
  return report::render_html(built);
}

}  // namespace aaco
