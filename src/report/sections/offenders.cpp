// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/format.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostCards = 5;
constexpr size_t kMostRows = 50;

Finding finding_of(const Offender& offender, size_t rank) {
  Finding finding{std::to_string(rank) + ". " + offender.subject, {}, {}, offender.evidence, offender.recommendation};
  const bool known = !offender.bound.starts_with("unknown");
  finding.badges.push_back({offender.kind, Tone::kNeutral});
  finding.badges.push_back({known ? "limited by " + offender.bound : "limit unknown", Tone::kNeutral});
  finding.figures = {{"time", format_with_interval(offender.time_ns, offender.time_interval_ns, "ns")},
                     {"share of latency", format_percent(offender.share)},
                     {"could save up to", format_with_interval(offender.stake_ns, offender.stake_interval_ns, "ns")}};
  if (!offender.stake_basis.empty()) {
    finding.figures.push_back({"that is", offender.stake_basis});
  }
  if (!known) {
    finding.figures.push_back({"limit", offender.bound});
  }
  finding.figures.push_back({"rule", offender.rule});
  return finding;
}

TableBlock rest_table(const std::vector<Offender>& offenders) {
  TableBlock table{.id = "offenders",
                   .columns = {{"subject"},
                               {"time", true},
                               {"share of latency", true},
                               {"could save up to", true},
                               {"limit"},
                               {"what to do"},
                               {"rule"}},
                   .sortable = true};
  for (size_t i = kMostCards; i < std::min(offenders.size(), kMostRows); ++i) {
    const Offender& one = offenders[i];
    table.rows.push_back({text_cell(one.subject),
                          number_cell(one.time_ns, "ns"),
                          {.text = format_percent(one.share), .order = one.share},
                          number_cell(one.stake_ns, "ns"),
                          text_cell(one.bound),
                          text_cell(one.recommendation),
                          text_cell(one.rule)});
  }
  return table;
}

}  // namespace

Section offenders_section(const Input& input) {
  Section section{"offenders", "What to do next", {}, {}};
  const std::vector<Offender>& offenders = input.analysis.offenders;
  if (offenders.empty()) {
    section.blocks.push_back(
        Paragraph{"No data: top offenders need node times, from a run with --profile.", Tone::kWarning});
    return section;
  }
  section.blocks.push_back(
      Paragraph{"Ranked by what fixing each could save per inference, at most. Savings do not add up."});
  for (size_t i = 0; i < std::min(offenders.size(), kMostCards); ++i) {
    section.blocks.push_back(finding_of(offenders[i], i + 1));
  }
  if (offenders.size() > kMostCards) {
    section.blocks.push_back(FoldedBlocks{"Further offenders", {rest_table(offenders)}});
  }
  return section;
}

}  // namespace aaco::report
