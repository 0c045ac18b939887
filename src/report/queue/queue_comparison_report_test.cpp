// SPDX-License-Identifier: MIT
#include "report/queue/queue_comparison_report.h"

#include <gtest/gtest.h>

#include "report/sinks.h"

namespace aaco::report {
namespace {

TEST(QueueComparisonReport, SaysEachVerdictItsChangeAndWhatToMindOfIt) {
  QueueComparison slower{.configuration = "moe, 8 streams", .comparison = {}};
  slower.comparison.verdict = Verdict::kRegressed;
  slower.comparison.reason = "the interval lies above 5 %";
  slower.comparison.ratio = 1.25;
  slower.comparison.interval = Interval{1.125, 1.5};
  slower.comparison.warnings = {"no drift was measured"};
  QueueComparison broken{.configuration = "moe, 16 streams", .comparison = {}};
  broken.comparison.reason = "it has no process";
  const Report report = build_queue_comparison_report({{slower, broken}, {"moe, 32 streams: only in the baseline"}});
  EXPECT_EQ(render_lines(report),
            "configuration    verdict       time per unit [98 %]\n"
            "moe, 8 streams   regressed  25.0 % [12.5 %, 50.0 %]\n"
            "moe, 16 streams  invalid\n"
            "\n"
            "moe, 8 streams: the interval lies above 5 %\n"
            "  warning: no drift was measured\n"
            "moe, 16 streams: it has no process\n"
            "moe, 32 streams: only in the baseline\n");
  const std::string page = render_html(report);
  EXPECT_NE(page.find("<td class=\"w bad\">regressed"), page.npos) << page;
}

}  // namespace
}  // namespace aaco::report
