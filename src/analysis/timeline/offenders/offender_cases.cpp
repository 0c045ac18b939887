// SPDX-License-Identifier: MIT
#include "analysis/timeline/offenders/offender_cases.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "base/text/characters.h"
#include "record/events/event_table.h"

namespace aaco {

namespace {

// Sums of what ran at the same time on several streams may exceed the window; what they could save cannot.
void limit_to_window(Offender& offender) {
  if (offender.share > 1) {
    const double window_ns = offender.time_ns / offender.share;
    offender.evidence += fmt::format("{}{} in all, in part at the same time", offender.evidence.empty() ? "" : "; ",
                                     format_duration_ns(offender.time_ns));
    offender.time_ns = window_ns;
    offender.share = 1;
    offender.stake_ns = std::min(offender.stake_ns, window_ns);
  }
}

}  // namespace

std::string place_text(int64_t rank, int64_t device) {
  std::string text;
  if (rank != kNoId) {
    text = fmt::format("rank {}", rank);
  }
  if (device != kNoId) {
    text += fmt::format("{}device {}", text.empty() ? "" : " ", device);
  }
  return text;
}

void OffenderCases::add(OffenderCase offender_case, const std::string& place) {
  if (offender_case.offender.stake_ns <= 0) {
    return;
  }
  limit_to_window(offender_case.offender);
  OffenderGroup& offender_group = found_[offender_case.offender.subject];
  if (offender_group.count == 0 || offender_case.offender.stake_ns > offender_group.largest.offender.stake_ns) {
    offender_group.largest = std::move(offender_case);
    offender_group.place = place;
  }
  ++offender_group.count;
}

std::vector<OffenderCase> OffenderCases::finish() {
  std::vector<OffenderCase> all;
  for (auto& [subject, group] : found_) {
    if (group.count > 1) {
      group.largest.offender.evidence +=
          fmt::format("; on {} {}, most on {}", group.count,
                      group.largest.offender.kind == OffenderKind::kHostGroup ? "ranks" : "devices",
                      group.place.empty() ? "one" : group.place);
    }
    group.largest.offender.subject = shorten(subject, kLongestOffender);  // the names of two kernels may begin alike
    all.push_back(std::move(group.largest));
  }
  return all;
}

OffenderCase make_case(OffenderCause cause, std::string subject, int64_t time_ns, int64_t stake_ns, int64_t window_ns,
                       const char* basis) {
  OffenderCase offender_case;
  offender_case.cause = cause;
  offender_case.offender.subject = std::move(subject);
  offender_case.offender.kind = OffenderKind::kOverhead;
  offender_case.offender.bound = "overhead";
  offender_case.offender.time_ns = static_cast<double>(time_ns);
  offender_case.offender.share = window_ns > 0 ? static_cast<double>(time_ns) / static_cast<double>(window_ns) : 0;
  offender_case.offender.stake_ns = static_cast<double>(stake_ns);
  offender_case.offender.stake_basis = basis;
  return offender_case;
}

}  // namespace aaco
