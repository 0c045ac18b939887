// SPDX-License-Identifier: MIT
#include "report/trace/offender_section.h"

#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"

namespace aaco::report {

Json findings_json(const TraceSummary& summary) {
  Json list = Json::array();
  for (const TraceFinding& one : summary.findings) {
    Json figures = Json::object();
    for (const FindingFigure& figure : one.figures) {
      figures[figure.name] = {{"value", figure.value}, {"unit", figure.unit}};
    }
    list.push_back({{"pattern", one.pattern},
                    {"recording", one.recording},
                    {"rank", id_json(one.rank)},
                    {"device", id_json(one.device)},
                    {"subject", one.subject},
                    {"figures", std::move(figures)},
                    {"where", one.where},
                    {"evidence", one.evidence},
                    {"window_ns", one.window_ns},
                    {"cost_ns", one.cost_ns},
                    {"saves_ns", one.saves_ns},
                    {"basis", one.basis},
                    {"bound", one.bound},
                    {"remedy", one.remedy},
                    {"source", one.source}});
  }
  return list;
}

Json offenders_json(const TraceSummary& summary) {
  Json list = Json::array();
  for (const Offender& one : summary.offenders) {
    list.push_back(one);
  }
  return list;
}

std::string offenders_text(const TraceSummary& summary) {
  if (summary.offenders.empty()) {
    return "";
  }
  std::string text = "\nwhat to do next, by what each could save at most (savings do not add up)\n";
  size_t rank = 0;
  for (const Offender& one : summary.offenders) {
    text += fmt::format("{}. {}: up to {} of {} ({} of {}), limited by {}\n   {}\n   {}\n   {} [{}]\n", ++rank,
                        printable(one.subject), format_duration_ns(one.stake_ns), format_duration_ns(one.time_ns),
                        format_percent(one.share), one.kind == "host group" ? "all operators" : "the window",
                        printable(one.bound), one.stake_basis, printable(one.evidence), one.recommendation, one.rule);
  }
  return text;
}

}  // namespace aaco::report
