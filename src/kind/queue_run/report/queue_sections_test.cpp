// SPDX-License-Identifier: MIT
// What a terminal shows of queue figures: every figure with unit and interval, every missing one with its reason.
#include "kind/queue_run/report/queue_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <utility>

#include "kind/queue_run/analysis/signed_figure.h"
#include "report/sinks.h"

namespace aaco::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// With one blank wherever there is space, so that it does not matter where lines are broken.
std::string text_of(Section section) {
  std::istringstream words(render_text({.title = "t", .sections = {std::move(section)}}));
  std::string text;
  for (std::string word; words >> word;) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

SwitchCost switch_example() {
  SwitchCost cost;
  cost.streams = 8;
  cost.kernels = 100;
  cost.processes = 3;
  cost.pairs = 30;
  cost.clock_step_ns = 32;
  cost.one_stream_gap = measured("one_stream_gap", 1'000, Interval{990, 1'020});
  cost.switch_gap = measured("independent_switch_gap", -250, Interval{-260, -240});
  cost.cost = measured("independent_switch_cost", -1'250, Interval{-1'300, -1'200});
  cost.one_stream_overlap = measured("one_stream_overlap", 700, Interval{690, 710});
  cost.switch_overlap = measured("independent_switch_overlap", 1'900, Interval{1'800, 2'000});
  cost.mean_cost = measured("independent_switch_mean_cost", -1'240, Interval{-1'290, -1'190});
  cost.wall_cost = {"independent_switch_wall_cost", 900, {}, {QualityKind::kInconclusive, "needs 3 processes, has 2"}};
  cost.agreement = parse_agreement("disagree: the wall clock says 2150 ns more a switch, 312 are allowed");
  return cost;
}

TEST(QueueSections, FiguresHaveUnitIntervalAndQuality) {
  SwitchCost hand_off;
  hand_off.switch_gap = invalid("hand_off_gap", "process 2, repeat 3: kernels overlapped: 20 of 21 ran beside another");
  hand_off.cost = invalid("hand_off_cost", "process 2, repeat 3: kernels overlapped: 20 of 21 ran beside another");
  hand_off.mean_cost =
      invalid("hand_off_mean_cost", "process 2, repeat 3: kernels overlapped: 20 of 21 ran beside another");
  hand_off.switch_overlap = no_data("hand_off_overlap", "no process measured it");
  hand_off.wall_cost = no_data("hand_off_wall_cost", "no process measured it");
  hand_off.agreement = parse_agreement("not shown: invalid");
  const std::string text = text_of(switch_section(switch_example(), hand_off));
  EXPECT_THAT(text, HasSubstr("1.000 us"));
  EXPECT_THAT(text, HasSubstr("-1.250 us [-1.300, -1.200]"));
  EXPECT_THAT(text, HasSubstr("-1.240 us [-1.290, -1.190]"));
  EXPECT_THAT(text, HasSubstr("Overlap, other stream 1.900 us"));
  EXPECT_THAT(text, HasSubstr("step of the device's clock 32.00 ns"));
  EXPECT_THAT(text, HasSubstr("Switch cost, by the wall clock: inconclusive: needs 3 processes, has 2"));
  EXPECT_THAT(text,
              HasSubstr("Gap, event hand-off; Hand-off cost; Hand-off cost, mean: invalid: process 2, repeat 3:"));
  EXPECT_THAT(text, HasSubstr("disagree: the wall clock says 2150 ns more"));
  EXPECT_THAT(text, HasSubstr("step of the device's clock not measured"));
  EXPECT_THAT(text, Not(HasSubstr("0.000")));
}

// As on a CPU, whose kernels have one start and one end: the gap says it.
TEST(QueueSections, AnOverlapThatIsItsGapNegatedIsLeftOut) {
  SwitchCost twin = switch_example();
  twin.switch_overlap = measured("independent_switch_overlap", -*twin.switch_gap.value, Interval{-10'000, 10'000});
  const std::string text = text_of(switch_section(twin, SwitchCost()));
  EXPECT_THAT(text, Not(HasSubstr("Overlap, other stream")));
  EXPECT_THAT(text, HasSubstr("Overlap, one stream"));
}

TEST(QueueSections, AMapSaysWhatIsUnknown) {
  QueueMap map;
  map.streams = 3;
  map.groups = {{{0, 2}, false}, {{1}, false}};
  map.queues = 2;
  const QueueLimit limit = queue_limit({});
  EXPECT_THAT(text_of(queue_map_section(map, limit)),
              HasSubstr("Probed in pairs, 3 streams are on 2 hardware queues."));
  EXPECT_THAT(text_of(queue_map_section(map, limit)), HasSubstr("before one more waits is unknown: not probed"));
  EXPECT_THAT(text_of(queue_map_section(map, {{}, 8, ""})),
              HasSubstr("With 8 busy streams the kernel of one more waits"));
  map.queues.reset();
  map.reason = "the votes contradict each other";
  map.groups[0].contradicted = true;
  map.contradictions = {"streams 0 and 1 share, 1 and 2 share, 0 and 2 do not"};
  const std::string open = text_of(queue_map_section(map, limit));
  EXPECT_THAT(open, HasSubstr("unknown: the votes contradict each other"));
  EXPECT_THAT(open, HasSubstr("0 and 2 do not"));
  EXPECT_THAT(open, Not(HasSubstr("hardware queues.")));
  map.valid = false;
  map.reason = "the control failed: on stream 1 a kernel did not wait for the one before it";
  EXPECT_THAT(text_of(queue_map_section(map, limit)), HasSubstr("invalid: the control failed"));
}

TEST(QueueSections, ScalingShowsEfficiencyAndWhatFailed) {
  const StreamScaling scaling = stream_scaling({{1, 1, {100, 101, 99}}, {4, 3, {200, 202, 198}}, {8, 8, {}}});
  const std::string text = text_of(stream_scaling_section(scaling, "tokens/s"));
  EXPECT_THAT(text, HasSubstr("50.0 %"));
  EXPECT_THAT(text, HasSubstr("200 tokens/s"));
  EXPECT_THAT(text, HasSubstr("not reached up to stream count 4"));
  EXPECT_THAT(text, HasSubstr("No throughput was measured with 8 streams."));
}

TEST(QueueSections, EveryOtherSectionNamesItsFigures) {
  const std::vector<LaunchCost> launches =
      launch_costs(std::vector<std::vector<LaunchSample>>{{{1, false, {2'600}, {2'600}}, {4, false, {2'600}, {700}}}});
  const std::string launch = text_of(launch_cost_section(launches));
  EXPECT_THAT(launch, HasSubstr("4 threads with a stream each:"));
  EXPECT_THAT(launch, HasSubstr("700.0 ns"));
  EXPECT_THAT(launch, HasSubstr("needs 299 values, has 1"));
  EXPECT_THAT(text_of(convoy_section(convoy(std::span<const ConvoyRun>{}, {}))),
              HasSubstr("no short kernel was ready behind a long one"));
  const std::vector<PriorityRun> without{{0, 0, {}}};
  EXPECT_THAT(text_of(priority_section(priority_effect(without))), HasSubstr("no data: the device has no priorities"));
  EventTable events;
  events.losses.add(Loss::kDropped, 5);
  std::vector<ActivityRun> runs(1);
  runs[0].events = std::make_shared<const EventTable>(std::move(events));
  const std::string shown =
      text_of(workload_timeline_section(workload_timeline(runs, true), profiling_overhead({}, {}, true)));
  EXPECT_THAT(shown, HasSubstr("invalid: the collector lost 5 records of process 1"));
  EXPECT_THAT(shown, HasSubstr("Taken under the activity collector"));
  EXPECT_THAT(shown, HasSubstr("no pair of a profiled and an unprofiled process"));
}

}  // namespace
}  // namespace aaco::report
