// SPDX-License-Identifier: MIT
#include "report/trace/offender_section.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"

namespace aaco::report {

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
