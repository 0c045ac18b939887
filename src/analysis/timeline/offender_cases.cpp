// SPDX-License-Identifier: MIT
#include "analysis/timeline/offender_cases.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "base/text/characters.h"
#include "trace/event_table.h"

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

void OffenderCases::add(OffenderCase one, const std::string& place) {
  if (one.offender.stake_ns <= 0) {
    return;
  }
  limit_to_window(one.offender);
  OffenderGroup& found = found_[one.offender.subject];
  if (found.count == 0 || one.offender.stake_ns > found.one.offender.stake_ns) {
    found.one = std::move(one);
    found.place = place;
  }
  ++found.count;
}

std::vector<OffenderCase> OffenderCases::finish() {
  std::vector<OffenderCase> all;
  for (auto& [subject, found] : found_) {
    if (found.count > 1) {
      found.one.offender.evidence +=
          fmt::format("; on {} {}, most on {}", found.count, found.one.offender.kind == kOnHost ? "ranks" : "devices",
                      found.place.empty() ? "one" : found.place);
    }
    found.one.offender.subject = shorten(subject, kLongestOffender);  // the names of two kernels may begin alike
    all.push_back(std::move(found.one));
  }
  return all;
}

OffenderCase make_case(const char* cause, std::string subject, int64_t time_ns, int64_t stake_ns, int64_t window_ns,
                       const char* basis) {
  OffenderCase one;
  one.cause = cause;
  one.offender.subject = std::move(subject);
  one.offender.kind = "overhead";
  one.offender.bound = "overhead";
  one.offender.time_ns = static_cast<double>(time_ns);
  one.offender.share = window_ns > 0 ? static_cast<double>(time_ns) / static_cast<double>(window_ns) : 0;
  one.offender.stake_ns = static_cast<double>(stake_ns);
  one.offender.stake_basis = basis;
  return one;
}

}  // namespace aaco
