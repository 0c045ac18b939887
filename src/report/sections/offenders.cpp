// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/offenders.h"

#include <algorithm>

#include "base/format.h"
#include "report/headline/stake.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostCards = 5;
constexpr size_t kMostRows = 50;

bool is_known_stake(const Offender& offender) { return !offender.stake_basis.starts_with(kUnknownStake); }

Finding finding_of(const Offender& offender, size_t rank) {
  Finding finding{std::to_string(rank) + ". " + offender.subject, {}, {}, offender.evidence, offender.recommendation};
  const bool known = !offender.bound.starts_with("unknown");
  finding.badges.push_back({word_of(offender.kind), Tone::kNeutral});
  finding.badges.push_back({known ? "limited by " + offender.bound : "limit unknown", Tone::kNeutral});
  finding.figures = {
      {"time", interval_cell(offender.time_ns, offender.time_interval_ns, "ns")},
      {"share of latency", percent_cell(offender.share)},
      {"could save up to", is_known_stake(offender) ? interval_cell(offender.stake_ns, offender.stake_interval_ns, "ns")
                                                    : text_cell("unknown")}};
  if (!offender.stake_basis.empty()) {
    finding.figures.push_back({"that is", offender.stake_basis});
  }
  if (!known) {
    finding.figures.push_back({"limit", offender.bound});
  }
  finding.figures.push_back({"rule", offender.rule});
  return finding;
}

TableBlock rest_table(const std::vector<Offender>& offenders, size_t first) {
  TableBlock table{.id = "offenders",
                   .columns = {{"subject"},
                               {"time", true},
                               {"share of latency", true},
                               {"could save up to", true},
                               {"limit"},
                               {"what to do"},
                               {"rule"}},
                   .sortable = true};
  for (size_t i = first; i < std::min(offenders.size(), kMostRows); ++i) {
    const Offender& offender = offenders[i];
    table.rows.push_back({text_cell(offender.subject), number_cell(offender.time_ns, "ns"),
                          percent_cell(offender.share),
                          is_known_stake(offender) ? number_cell(offender.stake_ns, "ns") : text_cell("unknown"),
                          text_cell(offender.bound), text_cell(offender.recommendation), text_cell(offender.rule)});
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
  size_t cards = 0;
  for (; cards < std::min(offenders.size(), kMostCards) && is_worth_a_line(offenders[cards]); ++cards) {
    section.blocks.push_back(finding_of(offenders[cards], cards + 1));
  }
  if (offenders.size() > cards) {
    section.blocks.push_back(FoldedBlocks{"Others that could save less", {rest_table(offenders, cards)}});
  }
  return section;
}

}  // namespace aaco::report
