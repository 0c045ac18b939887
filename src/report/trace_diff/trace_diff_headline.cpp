// SPDX-License-Identifier: MIT
#include "report/trace_diff/trace_diff_headline.h"

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "report/names/kernel_names.h"
#include "report/plot/chart.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostParts = 4;  // that the bar names

std::string signed_text(int64_t ns) { return (ns > 0 ? "+" : "") + duration_text(ns); }

std::string name_of(const TraceDiff& diff, const DiffRow& row) {
  const std::string name(diff.strings[row.kernel]);
  return name.empty() ? "(no operator)" : short_kernel_name(name);
}

bool goes_with(const DiffRow& row, int64_t change_ns) {
  return change_ns > 0 ? row.change_ns() > 0 : row.change_ns() < 0;
}

// The rows that went the way of the whole; what went against it is in the table.
TimeBar bar_of(const TraceDiff& diff, int64_t change_ns) {
  TimeBar bar;
  double others_ns = 0;
  for (const DiffRow& row : diff.kernels) {
    if (!goes_with(row, change_ns)) {
      continue;
    }
    const double ns = std::abs(static_cast<double>(row.change_ns()));
    if (bar.parts.size() < kMostParts) {
      bar.parts.push_back({name_of(diff, row), ns, static_cast<int>(bar.parts.size())});
    } else {
      others_ns += ns;
    }
  }
  bar.parts.push_back({"others", others_ns, plot::kMuted});
  return bar;
}

// "+4.000 us in gemm: 2 -> 3 executions, mean 1.000 us -> 2.000 us".
std::string finding_of(const TraceDiff& diff, const DiffRow& row) {
  const std::string what = fmt::format("{} in {}: ", signed_text(row.change_ns()), name_of(diff, row));
  if (row.before.count == 0 || row.after.count == 0) {
    const DiffSide& side = row.before.count == 0 ? row.after : row.before;
    return what + fmt::format("{}, {}", row.before.count == 0 ? "new" : "vanished",
                              counted(side.count, "execution", "executions"));
  }
  return what + fmt::format("{} -> {}, mean {} -> {}", row.before.count,
                            counted(row.after.count, "execution", "executions"),
                            duration_text(row.before.total_ns / static_cast<int64_t>(row.before.count)),
                            duration_text(row.after.total_ns / static_cast<int64_t>(row.after.count)));
}

std::string without_device_text(const TraceDiff& diff) {
  const char* const which = diff.before.count > 0 ? "after has no" : diff.after.count > 0 ? "before has no" : nullptr;
  return which == nullptr ? "neither trace has device activity with times: nothing is compared"
                          : fmt::format("{} device activity with times", which);
}

std::vector<std::pair<std::string, Tone>> doubts_of(const TraceDiff& diff) {
  std::vector<std::pair<std::string, Tone>> doubts;
  if (diff.before.count > 0 && diff.after.count > 0 && on_other_devices(diff)) {
    doubts.emplace_back("the devices differ: the change is theirs too", Tone::kWarning);
  }
  for (const auto& [side, losses] : {std::pair{"before", &diff.losses_before}, {"after", &diff.losses_after}}) {
    for (const LossTable::Entry& entry : losses->entries()) {
      const LossInfo& info = loss_info(entry.loss);
      if (info.severity != LossSeverity::kNote) {
        doubts.emplace_back(fmt::format("{}: {} ({}): {}", side, info.name, entry.count, info.meaning),
                            info.severity == LossSeverity::kSevere ? Tone::kBad : Tone::kWarning);
      }
    }
  }
  return doubts;
}

}  // namespace

Headline trace_diff_headline(const TraceDiff& diff) {
  Headline headline;
  const int64_t change_ns = diff.after.total_ns - diff.before.total_ns;
  if (diff.before.count == 0 || diff.after.count == 0) {
    headline.figure = without_device_text(diff);
  } else {
    headline.figure =
        fmt::format("device time {} in {} -> {} in {}: {} ({})", duration_text(diff.before.total_ns),
                    counted(diff.before.count, "execution", "executions"), duration_text(diff.after.total_ns),
                    diff.after.count, signed_text(change_ns), share_text(change_ns, diff.before.total_ns));
    headline.budget = bar_of(diff, change_ns);
    for (const DiffRow& row : diff.kernels) {
      if (headline.findings.size() < Headline::kMostFindings && row.change_ns() != 0) {
        headline.findings.push_back(finding_of(diff, row));
      }
    }
  }
  set_quality(doubts_of(diff), headline);
  return headline;
}

}  // namespace aaco::report
