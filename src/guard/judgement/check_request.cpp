// SPDX-License-Identifier: MIT
#include "guard/judgement/check_request.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco {

Result<void> choose_baseline(const GuardStore& store, const GuardRecord& test, GuardAnswer& answer) {
  AACO_ASSIGN(const std::vector<GuardRecord> records, store.records(test.place));
  const GuardRecord* newest = nullptr;
  const GuardRecord* refused = nullptr;
  for (const GuardRecord& record : records) {
    const bool other = record.record_id != test.record_id &&
                       (test.session_id.empty() || record.session_id != test.session_id);
    if (other && record.source == test.source) {
      (record.valid != 0 ? newest : refused) = &record;
    }
  }
  if (newest != nullptr) {
    answer.baseline = *newest;
    return {};
  }
  answer.no_baseline =
      refused == nullptr
          ? fmt::format("no baseline of {} on {} in {}: aaco guard record keeps one", test.place.subject,
                        test.place.machine, store.folder().string())
          : fmt::format("no valid baseline of {}: the newest is {}", test.place.subject, refused->reason);
  return {};
}

void mark_unconfirmed(const CheckRequest& request, const std::string& why, GuardAnswer& answer) {
  answer.not_again = why;
  if (request.accept_unconfirmed) {
    return;
  }
  for (JudgedSample& sample : answer.samples) {
    Comparison& comparison = sample.comparison;
    if (comparison.verdict == Verdict::kRegressed) {
      comparison.verdict = Verdict::kInconclusive;
      comparison.severity = Severity::kNone;
      comparison.reason = fmt::format("slower than the recording, and not measured again: {}", why);
      comparison.remedy = "Let aaco measure both sides (--against), or take it as it is (--accept-unconfirmed).";
    }
  }
}

}  // namespace aaco
