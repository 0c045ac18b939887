// SPDX-License-Identifier: MIT
// What to do next about a trace.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text/characters.h"
#include "report/headline/stake.h"
#include "report/names/kernel_names.h"
#include "report/trace/sections.h"

namespace aaco::report {

void outline_findings(const TraceInput& input, Outline& at) {
  const TableRows rows = input.rows(findings_table);
  size_t row = 0;
  at.list("findings", input.summary.findings, [&](const TraceFinding& finding, Outline& inner) {
    inner.figures(rows[row++]);
    inner.figure("where", finding.where);
    Json figures = Json::object();
    for (const FindingFigure& figure : finding.figures) {
      figures[figure.name] = {{"value", figure.value}, {"unit", figure.unit}};
    }
    inner.figure("figures", std::move(figures));
  });
}

namespace {

constexpr size_t kWhole = 3;  // findings that are shown with what they rest on

// In lines that a terminal need not break.
void say_wrapped(const std::string& text, Outline& at) {
  constexpr size_t kColumns = 100;
  std::string line;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    if (!line.empty() && length_of(line) + 1 + length_of(word) > kColumns) {
      at.note(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "   " : " ") + word;
    from = end + 1;
  }
  at.note(std::move(line));
}

void say_offender(const Offender& offender, const std::string& name, size_t place, bool whole, Outline& at) {
  at.note(fmt::format("{}. {}: {}, limited by {}", place, name,
                      stake_words(offender, offender.kind == OffenderKind::kHostGroup ? "all operators" : "the window"),
                      offender.bound));
  if (whole) {
    say_wrapped(offender.recommendation, at);
    say_wrapped(fmt::format("{}; {}", offender.evidence, offender.stake_basis), at);
  }
}

void say_offenders(const std::vector<Offender>& offenders, Outline& at) {
  at.section("what to do next, by what each could save at most (savings do not add up)");
  size_t place = 0;
  size_t small = 0;
  size_t unknown = 0;
  std::vector<std::string> subjects;
  std::ranges::transform(offenders, std::back_inserter(subjects), &Offender::subject);
  const std::vector<std::string> names = short_kernel_names(subjects);  // no two that are cut alike
  for (size_t i = 0; i < offenders.size(); ++i) {
    const Offender& offender = offenders[i];
    if (!names_a_remedy(offender) && !at.is_chosen()) {
      ++unknown;
    } else if (!is_worth_a_line(offender) && !at.is_chosen()) {
      ++small;
    } else if (++place <= at.most() || at.is_chosen()) {
      say_offender(offender, names[i], place, place <= kWhole || at.is_chosen(), at);
    }
  }
  if (unknown > 0) {
    at.note(fmt::format("{} of unknown work: what they could save is unknown too (--section next)",
                        counted(unknown, "operator", "operators")));
  }
  if (small > 0) {
    at.note(fmt::format("{} below 1 % of the window (--section next)", counted(small, "other", "others")));
  }
}

}  // namespace

void outline_offenders(const TraceInput& input, Outline& at) {
  if (!at.is_data()) {
    if (!input.summary.offenders.empty()) {
      say_offenders(input.summary.offenders, at);
    }
    return;
  }
  const TableRows rows = input.rows(offenders_table);
  size_t row = 0;
  at.list("offenders", input.summary.offenders, [&](const Offender& offender, Outline& inner) {
    inner.figures(rows[row++]);
    inner.figure("time_interval_ns", offender.time_interval_ns);
    inner.figure("stake_interval_ns", offender.stake_interval_ns);
  });
}

}  // namespace aaco::report
