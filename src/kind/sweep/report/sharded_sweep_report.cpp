// SPDX-License-Identifier: MIT
#include "kind/sweep/report/sharded_sweep_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "base/json/json.h"
#include "kind/sweep/report/sweep_members.h"
#include "report/plot/estimate_bars.h"
#include "report/sections/document_report.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

std::string name_of(const JudgedSweepPoint& judged) {
  return judged.point.change.empty() ? "as it is" : judged.point.change;
}

Tone tone_of(const JudgedSweepPoint& judged) {
  if (!judged.point.failure.empty()) {
    return Tone::kWarning;
  }
  if (judged.point.change.empty()) {
    return Tone::kNeutral;
  }
  return judged.comparison.verdict == Verdict::kImproved    ? Tone::kGood
         : judged.comparison.verdict == Verdict::kRegressed ? Tone::kBad
                                                            : Tone::kNeutral;
}

bool is_open(const JudgedSweepPoint& judged) {
  return !judged.point.change.empty() &&
         (judged.comparison.verdict == Verdict::kInconclusive || judged.comparison.verdict == Verdict::kInvalid);
}

// Without the reason, which would not fit a table.
std::string short_words(const JudgedSweepPoint& judged) {
  if (!judged.point.failure.empty()) {
    return "not measured";
  }
  return is_open(judged) ? judged.words.substr(0, judged.words.find(':')) : judged.words;
}

// Of each that was not measured, or of which nothing was shown: why.
Bullets reasons_of(const ShardedSweep& sweep) {
  Bullets reasons{.title = "Why not", .items = {}};
  for (const JudgedSweepPoint& judged : sweep.points) {
    if (!judged.point.failure.empty()) {
      reasons.items.push_back(fmt::format("{}: {}", name_of(judged), judged.point.failure));
    } else if (is_open(judged)) {
      reasons.items.push_back(fmt::format("{}: {}", name_of(judged), judged.words));
    }
  }
  return reasons;
}

std::vector<Cell> row_cells(const JudgedSweepPoint& judged) {
  const std::optional<Estimate>& step = judged.step_ns;
  const std::optional<double>& ratio = judged.comparison.ratio;
  return {text_cell(name_of(judged)), estimate_cell(step, "ns"), duration_cell(judged.exposed_ns),
          judged.point.change.empty() ? Cell()
          : ratio                     ? interval_cell(*ratio, judged.comparison.interval, "1")
                                      : missing_cell("no data"),
          text_cell(short_words(judged), tone_of(judged))};
}

Section changes_section(const ShardedSweep& sweep, std::vector<Block> remarks, bool with_charts) {
  Section section{"changes", "What each change did", {}, std::move(remarks)};
  section.blocks.emplace_back(sweep.best.empty()
                                  ? Paragraph{"None is shown to be faster than the configuration as it is."}
                                  : Paragraph{fmt::format("Best: {}", sweep.best), Tone::kGood});
  TableBlock table{.id = "changes",
                   .columns = {{"change"},
                               {"step [95 %]", true},
                               {"exposed communication", true},
                               {"over as it is", true},
                               {"what it did"}},
                   .rows = {},
                   .sortable = true,
                   .note = fmt::format(
                       "Medians over {}; each round has fresh processes of every point, in another order. A ratio is "
                       "of the rounds in pairs; its interval is wide enough that all comparisons together call one "
                       "faster or slower wrongly with a probability of {} at most.",
                       counted(sweep.rounds, "round", "rounds"), format_percent(kVerdictLevel, 0))};
  for (const JudgedSweepPoint& judged : sweep.points) {
    table.rows.push_back(row_cells(judged));
  }
  section.blocks.emplace_back(std::move(table));
  if (Bullets reasons = reasons_of(sweep); !reasons.items.empty()) {
    section.blocks.emplace_back(std::move(reasons));
  }
  if (with_charts) {
    section.blocks.emplace_back(ChartBlock{sweep_step_chart(sweep)});
  }
  return section;
}

const JudgedSweepPoint* point_of(const ShardedSweep& sweep, const std::string& change) {
  const auto point =
      std::ranges::find(sweep.points, change, [](const JudgedSweepPoint& judged) { return judged.point.change; });
  return point == sweep.points.end() ? nullptr : &*point;
}

// "step 8.1 ms [8.0, 8.2], 0.93 [0.91, 0.95] of the step as it is".
std::string step_words(const JudgedSweepPoint& judged) {
  const std::optional<double>& ratio = judged.comparison.ratio;
  return fmt::format(
      "step {}{}", line_of(estimate_cell(judged.step_ns, "ns")),
      !judged.point.change.empty() && ratio
          ? fmt::format(", {} of the step as it is", line_of(interval_cell(*ratio, judged.comparison.interval, "1")))
          : "");
}

// The step of the fastest that is shown, else of the configuration as it is: what of it is exposed communication.
TimeBar budget_of(const JudgedSweepPoint& judged) {
  if (!judged.step_ns || !judged.exposed_ns || *judged.exposed_ns > judged.step_ns->value) {
    return {};
  }
  return {.parts = {{"exposed communication", *judged.exposed_ns, 1},
                    {"all else of a step", judged.step_ns->value - *judged.exposed_ns, 0}}};
}

Headline headline_of(const ShardedSweep& sweep, const std::vector<Section>& sections) {
  const JudgedSweepPoint* const first = point_of(sweep, sweep.best);
  Headline headline =
      headline_with(sweep.best.empty() ? "none of the changes is shown to be faster than the configuration as it is"
                                       : "fastest: " + sweep.best,
                    sections);
  if (first != nullptr) {
    headline.figure += ": " + step_words(*first);
    headline.budget = budget_of(*first);
    if (first->exposed_ns && *first->exposed_ns > 0) {
      headline.findings.push_back(fmt::format("exposed communication: to hide it could save up to {} a step",
                                              format_duration_ns(*first->exposed_ns)));
    }
  }
  const auto open = std::ranges::count_if(sweep.points, is_open);
  if (open > 0) {
    headline.findings.push_back(
        fmt::format("{} undetermined; to find out: aaco overlap sweep with more --processes (it had {})",
                    counted(open, "change is", "changes are"), counted(sweep.rounds, "round", "rounds")));
  }
  return headline;
}

Section setup_section(const ShardedSweep& sweep) {
  Section section{"setup", "Setup"};
  section.blocks.emplace_back(
      FactList{{{"configuration", sweep.config.empty() ? "the defaults" : sweep.config},
                {"overrides", sweep.overrides.empty() ? "none" : fmt::format("{}", fmt::join(sweep.overrides, " "))},
                {"devices", fmt::format("{}", fmt::join(sweep.devices, ", "))}}});
  return section;
}

constexpr const char* kNeedsRounds = "rounds that were measured to their end";

constexpr SubjectMetric<JudgedSweepPoint> kPointMetrics[] = {
    {{"rank_step_p50", "step", "ns", "median over rounds of the slowest rank's median step", kNeedsRounds,
      "which rank it was"},
     [](const JudgedSweepPoint& judged) { return figure_or(judged.step_ns, "no round was measured to its end"); }},
    {{"exposed_communication", "exposed communication", "ns", "of a step, median over rounds of the rank that has most",
      "steps under the device's collector", "which collective"},
     [](const JudgedSweepPoint& judged) { return figure_or(judged.exposed_ns, "nothing was recorded"); }},
    {{"step_ratio", "over as it is", "1", "geometric mean over rounds of step / step of the configuration as it is",
      kNeedsRounds, "why: see the sessions"},
     [](const JudgedSweepPoint& judged) {
       const Comparison& comparison = judged.comparison;
       const std::string& why = comparison.reason;
       return comparison.ratio ? figure_or(Estimate{*comparison.ratio, comparison.interval}, "")
                               : no_data("", why.empty() ? "it is the configuration as it is" : why);
     }},
};

std::vector<SweepMember> members_of(const ShardedSweep& sweep) {
  std::vector<SweepMember> members;
  for (const JudgedSweepPoint& judged : sweep.points) {
    members.push_back(
        {name_of(judged), judged.point.failure, judged.point.sessions, metric_rows(kPointMetrics, judged)});
  }
  return members;
}

std::string title_of(const ShardedSweep& sweep) {
  return fmt::format("Overlap: one change at a time, {}", counted(sweep.devices.size(), "rank", "ranks"));
}

Result<Report> build_report(const OpenSession& session, const Json& json) {
  AACO_ASSIGN(const ShardedSweep sweep, read_sharded_sweep(json, (session.path / layout::kOverlap).string()));
  Report report;
  report.title = title_of(sweep);
  report.subtitle = fmt::format("Session {}, recorded {}", session.info.session_id, session.info.created_utc);
  report.badges.push_back(status_badge(session.status));
  report.sections.push_back(changes_section(sweep, status_remarks(session), true));
  report.headline = headline_of(sweep, report.sections);
  const std::vector<SweepMember> members = members_of(sweep);
  report.sections.push_back(setup_section(sweep));
  add_member_sessions("Sessions of the trainings", members, report.sections.back());
  report.metrics = member_metrics(members);
  add_last_sections(session, "overlap-studies.md", report);
  return report;
}

}  // namespace

Result<Report> sharded_sweep_report(const OpenSession& session) { return report_of_document(session, build_report); }

Report build_sharded_sweep_summary(const ShardedSweep& sweep) {
  Report report;
  report.title = title_of(sweep);
  report.subtitle = fmt::format("{} of {}", counted(sweep.rounds, "round", "rounds"),
                                counted(sweep.points.size(), "configuration", "configurations"));
  report.sections = {changes_section(sweep, {}, false), setup_section(sweep)};
  report.headline = headline_of(sweep, report.sections);
  report.footer = "bundle  " + sweep.bundle;
  return report;
}

plot::Chart sweep_step_chart(const ShardedSweep& sweep) {
  plot::Chart chart{.id = "sweep-steps",
                    .title = "Median step of the slowest rank",
                    .caption = plot::kWhiskers,
                    .x = {.title = "time", .quantity = plot::Quantity::kDuration, .from_zero = true},
                    .no_data = "nothing was measured"};
  plot::Series bars{.mark = plot::Mark::kBars};
  for (const JudgedSweepPoint& judged : sweep.points) {
    plot::add_estimate_bar(judged.point.change.empty() ? "as it is" : judged.point.change, judged.step_ns, chart, bars);
  }
  chart.series.push_back(std::move(bars));
  return chart;
}

}  // namespace aaco::report
