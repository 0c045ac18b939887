// SPDX-License-Identifier: MIT
#include "guard/judgement/crowded_commands.h"

#include <fmt/format.h>

#include "base/format.h"

namespace aaco {

void refuse_crowd(std::optional<double> others_share, Comparison& comparison) {
  if (!others_share || *others_share <= kCrowdedShare || comparison.verdict == Verdict::kInvalid) {
    return;
  }
  comparison.verdict = Verdict::kInvalid;
  comparison.severity = Severity::kNone;
  comparison.confidence.reset();
  comparison.reason = fmt::format(
      "crowded: other programs held {} of the machine's processors while both sides ran, more than the {} at which a "
      "command's time tells of the command",
      format_percent(*others_share, 0), format_percent(kCrowdedShare, 0));
  comparison.remedy =
      "Measure again when the other programs have ended, or on a machine of its own.";  // both ran in turns
}

}  // namespace aaco
