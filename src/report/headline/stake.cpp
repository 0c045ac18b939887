// SPDX-License-Identifier: MIT
#include "report/headline/stake.h"

#include <fmt/format.h>

#include "analysis/model_run/conclusions/offenders.h"
#include "base/format.h"

namespace aaco::report {

double stake_share(const Offender& offender) {
  return offender.time_ns > 0 ? offender.stake_ns / offender.time_ns * offender.share : 0;
}

bool is_worth_a_line(const Offender& offender) { return stake_share(offender) >= 0.01; }

bool names_a_remedy(const Offender& offender) { return offender.rule != "count-its-work"; }

std::string stake_words(const Offender& offender, const std::string& whole) {
  if (offender.stake_basis.ends_with("no roof to compare with")) {
    return fmt::format("takes {} ({} of {}); what it could save is unknown without a roof",
                       format_duration_ns(offender.time_ns), format_percent(offender.share), whole);
  }
  if (offender.stake_basis.starts_with(kUnknownStake)) {
    const std::string time = offender.kind == OffenderKind::kOverhead ? ""
                             : offender.share > 1
                                 ? fmt::format("takes {} as profiled, ", format_duration_ns(offender.time_ns))
                                 : fmt::format("takes {} ({} of {}), ", format_duration_ns(offender.time_ns),
                                               format_percent(offender.share), whole);
    return fmt::format("{}what it could save is {}", time, offender.stake_basis);
  }
  return fmt::format("could save up to {} ({} of {})", format_duration_ns(offender.stake_ns),
                     format_percent(stake_share(offender)), whole);
}

}  // namespace aaco::report
