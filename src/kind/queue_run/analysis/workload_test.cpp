// SPDX-License-Identifier: MIT
// The analyses of a workload's activity records, on timelines whose answer is known.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "base/json/json.h"
#include "kind/queue_probe/analysis/convoy.h"
#include "kind/queue_run/analysis/profiling_overhead.h"
#include "kind/queue_run/timeline/concurrency.h"
#include "kind/queue_run/timeline/fairness.h"
#include "kind/queue_run/timeline/launch_delay.h"
#include "kind/queue_run/timeline/same_stream_gap.h"
#include "kind/queue_run/timeline/workload_timeline.h"
#include "record/device/activity_table.h"

namespace aaco {
namespace {

// What a process recorded, as a run that the analyses take.
struct RecordedRun {
  std::vector<ActivityRecord> records;
  std::vector<EventDependency> waits;
  uint64_t dropped = 0;
  std::string unresolved;
  std::vector<int64_t> round_starts_ns;

  operator ActivityRun() const {
    ActivityTable sink;
    sink.push(records);
    sink.dropped(dropped);
    return {std::make_shared<const EventTable>(sink.take()), waits, unresolved, round_starts_ns};
  }
};

// Builds the records of one process. Every kernel's correlation is its number, from 1.
class Timeline {
 public:
  // A kernel that was launched by a call that ended at `launched_ns`; its correlation.
  int64_t kernel(uint64_t stream, int64_t start_ns, int64_t end_ns, int64_t launched_ns = 0) {
    const int64_t correlation = work(ActivityKind::kKernel, stream, start_ns, end_ns);
    run.records.push_back(
        {launched_ns - 10, launched_ns, next_, 999, 0, 0, 0, 0, ActivityKind::kLaunchCall, kNoName, {}});
    return correlation;
  }
  int64_t work(ActivityKind kind, uint64_t stream, int64_t start_ns, int64_t end_ns) {
    run.records.push_back({start_ns, end_ns, ++next_, stream, 0, 0, 0, 0, kind, kNoName, {}});
    return static_cast<int64_t>(next_);
  }
  RecordedRun run;

 private:
  uint64_t next_ = 0;
};

// Two kernels of stream 1, then 2, then 1 after an event of 2: gaps 5, 12 and 30; all launched long before.
Timeline alternating(int64_t more_ns = 0) {
  Timeline line;
  line.kernel(1, 1'000, 1'100);
  line.kernel(1, 1'105, 1'200);
  const int64_t producer = line.kernel(2, 1'212 + more_ns, 1'300 + more_ns);
  const int64_t waiter = line.kernel(1, 1'330 + more_ns, 1'400 + more_ns);
  line.run.waits.push_back({waiter, producer});
  return line;
}

TEST(WorkloadSwitches, GapsByClass) {
  const std::vector<ActivityRun> runs{alternating().run, alternating(1).run, alternating(2).run};
  const WorkloadSwitches result = workload_switches(runs);
  EXPECT_EQ(*result.same_stream_gap.value, 5);
  EXPECT_EQ(*result.other_stream_gap.value, 13);
  EXPECT_EQ(*result.hand_off_gap.value, 30);
  EXPECT_EQ(*result.switch_cost.value, 8);
  EXPECT_EQ(*result.hand_off_cost.value, 25);
  EXPECT_TRUE(result.switch_cost.interval);
  EXPECT_EQ(result.pairs, 9);
  EXPECT_EQ(result.same_stream, 3);
  EXPECT_EQ(result.other_stream, 3);
  EXPECT_EQ(result.hand_off, 3);
}

TEST(WorkloadSwitches, WhatIsNoSwitchIsCountedApart) {
  Timeline line;
  line.kernel(1, 1'000, 1'100);
  line.kernel(2, 1'050, 1'200);                         // overlaps
  line.kernel(3, 1'300, 1'400, 1'250);                  // launched after the one before had ended
  line.work(ActivityKind::kKernel, 4, 1'410, 1'500);    // no launching call
  line.work(ActivityKind::kCopy, 5, 1'400, 1'560);      // a copy that a kernel waits for, by its stream
  line.kernel(5, 1'570, 1'600);                         // not ready at 1500
  const int64_t waiter = line.kernel(6, 1'610, 1'700);  // an event of unknown work
  line.run.waits.push_back({waiter, kNoId});
  line.kernel(7, 1'650, 1'660);  // within the one before
  line.kernel(8, 1'720, 1'800);  // 20 after what ended last, not after stream 7
  const std::vector<ActivityRun> runs{line.run};
  const WorkloadSwitches result = workload_switches(runs);
  EXPECT_EQ(result.pairs, 7);
  EXPECT_EQ(result.overlapped, 2);
  EXPECT_EQ(result.not_ready, 2);
  EXPECT_EQ(result.unknown, 1);
  EXPECT_EQ(result.unresolved, 1);
  EXPECT_EQ(result.other_stream, 1);
  EXPECT_EQ(*result.other_stream_gap.value, 20);
  EXPECT_EQ(quality_text(result.same_stream_gap.quality),
            "no data: no such pair of kernels was ready in time and apart");
  EXPECT_EQ(quality_text(result.switch_cost.quality), "no data: needs gaps of both kinds in one process");
}

TEST(WorkloadSwitches, NodesOfGraphsAndOtherDevicesAreNotPaired) {
  Timeline line;
  line.kernel(1, 1'000, 1'100);
  line.kernel(1, 1'105, 1'200);
  line.run.records[2].graph_node = 7;
  line.kernel(1, 1'101, 1'150);
  line.run.records[4].device = 1;
  const std::vector<ActivityRun> runs{line.run};
  const WorkloadSwitches result = workload_switches(runs);
  EXPECT_EQ(result.pairs, 1);
  EXPECT_EQ(result.unknown, 1);
}

// What needs no waits has figures nevertheless.
TEST(Activity, WaitsThatAreNotResolvedLeaveNoData) {
  RecordedRun unresolved = alternating().run;
  unresolved.unresolved = "the program is another";
  const std::vector<ActivityRun> runs{alternating().run, unresolved};
  const WorkloadTimeline timeline = workload_timeline(runs, false);
  for (const MetricValue& figure :
       {timeline.switches.same_stream_gap, timeline.switches.other_stream_gap, timeline.switches.hand_off_gap,
        timeline.switches.switch_cost, timeline.switches.hand_off_cost, timeline.same_stream_gap.p50,
        timeline.same_stream_gap.p99}) {
    EXPECT_EQ(quality_text(figure.quality), "no data: the program is another") << figure.id;
    EXPECT_FALSE(figure.value) << figure.id;
  }
  EXPECT_EQ(timeline.switches.pairs, 6);
  EXPECT_TRUE(timeline.launch_delay.p50.value);
  EXPECT_TRUE(timeline.concurrency.mean_in_flight.value);
  EXPECT_EQ(quality_text(timeline.fairness.jain.quality), "no data: its streams are given different work");
}

TEST(Activity, LostOrBrokenRecordsMakeEveryFigureInvalid) {
  RecordedRun lost = alternating().run;
  lost.dropped = 3;
  RecordedRun broken = alternating().run;
  std::swap(broken.records[0].start_ns, broken.records[0].end_ns);
  for (const auto& [bad, words] : {std::pair{lost, "invalid: the collector lost 3 records of process 2"},
                                   std::pair{broken, "invalid: 1 records of process 2 end before they begin"}}) {
    const std::vector<ActivityRun> runs{alternating().run, bad};
    const WorkloadSwitches switches = workload_switches(runs);
    const Convoy of_convoy = convoy(runs, {});
    const LaunchDelay delay = launch_delay(runs);
    const SameStreamGap gap = same_stream_gap(runs);
    for (const MetricValue& figure :
         {switches.same_stream_gap, switches.other_stream_gap, switches.hand_off_gap, switches.switch_cost,
          switches.hand_off_cost, delay.p50, delay.p99, gap.p50, gap.p99, concurrency(runs).mean_in_flight,
          of_convoy.alone_p50, of_convoy.behind_p50, of_convoy.behind_p99, of_convoy.effect, fairness(runs).jain,
          fairness(runs).max_over_min}) {
      EXPECT_EQ(quality_text(figure.quality), words) << figure.id;
      EXPECT_FALSE(figure.value) << figure.id;
    }
  }
}

// Delays 0, 1, ..., 299 and one kernel that began before its call returned: of 301 values the middle is 149, and rank
// 0.99 * 300 = 297 is 296.
TEST(LaunchDelay, QuantilesAndNegativeDelays) {
  Timeline line;
  for (int64_t i = 0; i < 300; ++i) {
    line.kernel(1, i * 1'000 + i, i * 1'000 + i + 100, i * 1'000);
  }
  line.kernel(2, 500'000, 500'100, 500'040);
  const std::vector<ActivityRun> one{line.run};
  const LaunchDelay result = launch_delay(one);
  EXPECT_EQ(*result.p50.value, 149);
  EXPECT_EQ(quality_text(result.p50.quality), "inconclusive: needs 3 processes, has 1");
  EXPECT_DOUBLE_EQ(*result.p99.value, 296);
  EXPECT_EQ(*result.delays_ns.min, -40);
  line.work(ActivityKind::kKernel, 1, 600'000, 600'100);
  const std::vector<ActivityRun> more{line.run};
  EXPECT_EQ(launch_delay(more).without_call, 1);
  const std::vector<ActivityRun> few{alternating().run};
  EXPECT_EQ(quality_text(launch_delay(few).p99.quality), "no data: needs 299 values, has 4");
}

TEST(SameStreamGap, OnlyOfKernelsThatWereReady) {
  Timeline line;
  line.kernel(1, 1'000, 1'100);
  line.kernel(1, 1'107, 1'200);
  line.kernel(1, 1'300, 1'400, 1'250);              // launched late
  line.work(ActivityKind::kCopy, 1, 1'410, 1'500);  // the work before may be a copy
  line.kernel(1, 1'509, 1'600);
  const int64_t producer = line.kernel(2, 1'600, 1'700);
  const int64_t waiter = line.kernel(1, 1'710, 1'800);  // waited for the other stream
  line.run.waits.push_back({waiter, producer});
  line.work(ActivityKind::kKernel, 1, 1'900, 1'950);  // no launching call
  const std::vector<ActivityRun> runs{line.run};
  const SameStreamGap result = same_stream_gap(runs);
  EXPECT_EQ(*result.p50.value, 8);  // of 7 and 9
  EXPECT_EQ(result.not_ready, 2);
  EXPECT_EQ(result.unknown, 1);
}

// 0..100 one kernel, 100..150 two, 150..200 three, 300..400 one: 450 of durations over 300 busy.
TEST(Concurrency, IsTheSumOverTheUnion) {
  Timeline line;
  line.kernel(1, 0, 200);
  line.kernel(2, 100, 200);
  line.kernel(3, 150, 200);
  line.kernel(1, 300, 400);
  line.kernel(2, 350, 350);
  line.work(ActivityKind::kCopy, 4, 0, 1'000);
  const std::vector<ActivityRun> runs(3, line.run);
  const Concurrency result = concurrency(runs);
  EXPECT_DOUBLE_EQ(*result.mean_in_flight.value, 450.0 / 300);
  EXPECT_EQ(result.mean_in_flight.interval, (Interval{1.5, 1.5}));
  EXPECT_EQ(result.at_level_ns, (std::vector<int64_t>{600, 150, 150}));
  EXPECT_EQ(result.most_in_flight, 3);
  EXPECT_EQ(result.streams, 3);
  const std::vector<ActivityRun> serial{alternating().run};
  EXPECT_EQ(*concurrency(serial).mean_in_flight.value, 1);
  EXPECT_FALSE(concurrency({}).mean_in_flight.value);
}

// Four alike, one alone, and 1, 2, 3, 4: 100 / (4 * 30).
TEST(Fairness, JainsIndex) {
  const std::vector<std::vector<double>> alike{{5, 5, 5, 5}};
  EXPECT_DOUBLE_EQ(*fairness(alike).jain.value, 1);
  EXPECT_DOUBLE_EQ(*fairness(alike).max_over_min.value, 1);
  const std::vector<std::vector<double>> starved{{8, 0, 0, 0}};
  EXPECT_DOUBLE_EQ(*fairness(starved).jain.value, 0.25);
  EXPECT_EQ(quality_text(fairness(starved).max_over_min.quality), "no data: a stream did not get on at all");
  const std::vector<std::vector<double>> steps{{1, 2, 3, 4}, {2, 4, 6, 8}, {40, 30, 20, 10}};
  EXPECT_DOUBLE_EQ(*fairness(steps).jain.value, 100.0 / 120);
  EXPECT_DOUBLE_EQ(*fairness(steps).max_over_min.value, 4);
  const std::vector<std::vector<double>> still{{0, 0}};
  EXPECT_FALSE(fairness(still).jain.value);
  const std::vector<std::vector<double>> one{{3}};
  EXPECT_EQ(quality_text(fairness(one).jain.quality), "no data: needs two streams, process 1 has 1");
  const std::vector<std::vector<double>> uneven{{3, 3}, {3, 3, 3}};
  EXPECT_FALSE(fairness(uneven).jain.value);
  EXPECT_FALSE(fairness(std::span<const std::vector<double>>{}).jain.value);
}

// Stream 1 ends its three at 300; stream 2 has one and a half by then, stream 3 only a part of its first.
TEST(Fairness, ProgressUntilTheFirstStreamIsDone) {
  Timeline line;
  for (const int64_t at : {0, 100, 200}) {
    line.kernel(1, at, at + 100);
    line.kernel(2, 2 * at, 2 * at + 200);
  }
  line.kernel(3, 200, 600);
  line.kernel(3, 700, 800);
  EXPECT_EQ(stream_progress(ready_kernels(line.run)), (std::vector<double>{3, 1.5, 0.25}));
}

// In each round one stream does everything while the other waits, in turns. Over the whole, stream 2 is done first, at
// 1200, when stream 1 has two of its four: 36 / (2 * 20). Within a round it is progress 2 and 0: 1/2.
TEST(Fairness, IsTakenWithinRounds) {
  Timeline line;
  for (const int64_t round : {0, 1}) {
    const int64_t at = round * 1'000;
    const uint64_t first = round == 0 ? 1 : 2;
    line.kernel(first, at, at + 100);
    line.kernel(first, at + 100, at + 200);
    line.kernel(3 - first, at + 200, at + 300);
    line.kernel(3 - first, at + 300, at + 400);
  }
  const std::vector<ActivityRun> whole{line.run};
  EXPECT_DOUBLE_EQ(*fairness(whole).jain.value, 0.9);
  line.run.round_starts_ns = {0, 1'000};
  const std::vector<ActivityRun> in_rounds{line.run};
  EXPECT_DOUBLE_EQ(*fairness(in_rounds).jain.value, 0.5);
  EXPECT_EQ(fairness(in_rounds).rounds, 2);
  EXPECT_EQ(quality_text(fairness(in_rounds).max_over_min.quality), "no data: a stream did not get on at all");
}

QueueProcess process_of(double p50_ns, double dispatch_ns, int64_t wall_ns) {
  QueueProcess process;
  process.iterations = 10;
  process.p50_ns = p50_ns;
  process.dispatch_p50_ns = dispatch_ns;
  process.wall_ns = wall_ns;
  return process;
}

// Pairs of ratio 1.1, 1.1 and 1.1 while the times drift: the interval is a point. With two pairs there is none.
TEST(ProfilingOverhead, IsTheRatioOverPairs) {
  const std::vector<QueueProcess> without{process_of(100, 10, 5'000), process_of(200, 10, 5'000),
                                          process_of(400, 10, 5'000)};
  std::vector<QueueProcess> with{process_of(110, 10, 5'000), process_of(220, 10, 5'000), process_of(440, 10, 5'000)};
  const ProfilingOverhead overhead = profiling_overhead(without, with, true);
  EXPECT_NEAR(*overhead.ratio.value, 1.1, 1e-12);
  ASSERT_TRUE(overhead.ratio.interval);
  EXPECT_NEAR(overhead.ratio.interval->low, 1.1, 1e-9);
  EXPECT_NEAR(overhead.ratio.interval->high, 1.1, 1e-9);
  EXPECT_EQ(overhead.of, "iteration p50");
  EXPECT_EQ(overhead.unprofiled_ns->value, 200);
  EXPECT_EQ(overhead.profiled_ns->value, 220);
  with[2].iterations = 0;  // interrupted before its first
  const ProfilingOverhead two = profiling_overhead(without, with, true);
  EXPECT_NEAR(*two.ratio.value, 1.1, 1e-12);
  EXPECT_EQ(quality_text(two.ratio.quality), "inconclusive: needs 3 pairs of processes, has 2");
  EXPECT_EQ(quality_text(profiling_overhead(without, {}, true).ratio.quality),
            "no data: no pair of a profiled and an unprofiled process");
}

TEST(ProfilingOverhead, OfWhatTheLoopWaitsFor) {
  QueueProcess without = process_of(0, 10, 5'000);
  QueueProcess with = process_of(0, 15, 6'000);
  without.p50_ns.reset();
  with.p50_ns.reset();
  EXPECT_NEAR(*profiling_overhead({&without, 1}, {&with, 1}, true).ratio.value, 1.2, 1e-12);
  EXPECT_NEAR(*profiling_overhead({&without, 1}, {&with, 1}, false).ratio.value, 1.5, 1e-12);
}

// Short kernels of stream 2 wait 3 alone; while the long one of stream 1 runs until its end.
TEST(Convoy, ShortKernelsBehindALongOne) {
  const ConvoyThresholds thresholds{100, 1'000};
  Timeline line;
  line.kernel(1, 10'000, 20'000);
  line.kernel(2, 1'003, 1'010, 1'000);
  line.kernel(2, 2'003, 2'010, 2'000);
  line.kernel(2, 20'001, 20'010, 12'000);  // 8001 behind
  line.kernel(2, 20'013, 20'020, 12'000);  // ready at 20010, alone
  line.kernel(2, 20'050, 20'900, 12'000);  // neither short nor long
  line.kernel(1, 20'002, 20'005, 13'000);  // its own stream's long one is no convoy: ready at 20000, 2 later
  line.work(ActivityKind::kKernel, 3, 30'000, 30'010);
  const std::vector<ActivityRun> runs(3, line.run);
  const Convoy result = convoy(runs, thresholds);
  EXPECT_EQ(*result.alone_p50.value, 3);
  EXPECT_EQ(*result.behind_p50.value, 8'001);
  EXPECT_EQ(*result.effect.value, 7'998);
  EXPECT_EQ(result.alone_ns.values, 12);
  EXPECT_EQ(result.behind_ns.values, 3);
  EXPECT_EQ(result.unknown, 3);
  EXPECT_FALSE(result.behind_p99.value);
  const std::vector<ActivityRun> none{alternating().run};
  EXPECT_EQ(quality_text(convoy(none, thresholds).effect.quality),
            "no data: needs short kernels of both kinds in one process");
}

// Two repeats: of the first kernel of a stream it is not known when it was ready, in each. Delays: 5 of stream 0 alone,
// 30 of stream 1 at 60 behind the long one of stream 0.
TEST(Convoy, ProbesAreReadyWhenTheOneBeforeHasEnded) {
  const ConvoyRepeat loaded{{{0, 100, 0}, {50, 60, 1}, {90, 95, 1}}, false};
  const ConvoyRepeat alone{{{1'000, 1'010, 1}, {1'015, 1'020, 1}}, false};
  std::vector<ConvoyRun> runs(3, ConvoyRun{{loaded, alone}});
  const Convoy result = convoy(runs, {50, 100});
  EXPECT_EQ(*result.behind_p50.value, 30);
  EXPECT_EQ(*result.alone_p50.value, 5);
  EXPECT_EQ(*result.effect.value, 25);
  EXPECT_EQ(result.unknown, 6);
  EXPECT_EQ(Json(convoy(Json(runs).get<std::vector<ConvoyRun>>(), {50, 100})), Json(result));
  runs[1].repeats[1].gate_timed_out = true;
  EXPECT_EQ(quality_text(convoy(runs, {}).effect.quality),
            "invalid: process 2, repeat 2: the gate opened by itself before all was enqueued");
  runs[0].repeats[0].kernels[2] = {-1, 0, 1};
  EXPECT_EQ(quality_text(convoy(runs, {}).alone_p50.quality),
            "invalid: process 1, repeat 1: kernel 3 of 3 left no time stamp");
}

// Random streams of random kernels: neither the order of the records nor the origin of time matters, and stretching
// time by three stretches what is a time and leaves what is a ratio.
TEST(Activity, OrderOriginAndScale) {
  std::mt19937 random(11);
  Timeline line;
  std::vector<int64_t> free_at(4, 0);
  for (int i = 0; i < 400; ++i) {
    const size_t stream = random() % 4;
    const int64_t start_ns = free_at[stream] + 1 + static_cast<int64_t>(random() % 300);
    free_at[stream] = start_ns + 1 + static_cast<int64_t>(random() % (i % 20 == 0 ? 5'000 : 200));
    line.kernel(stream, start_ns, free_at[stream], start_ns - static_cast<int64_t>(random() % 1'000));
  }
  line.run.waits = {{50, 20}, {51, 21}, {60, kNoId}};
  RecordedRun shuffled = line.run;
  std::shuffle(shuffled.records.begin(), shuffled.records.end(), random);
  RecordedRun moved = line.run;
  RecordedRun stretched = line.run;
  for (size_t i = 0; i < moved.records.size(); ++i) {
    moved.records[i].start_ns += 1'000'000'007;
    moved.records[i].end_ns += 1'000'000'007;
    stretched.records[i].start_ns *= 3;
    stretched.records[i].end_ns *= 3;
  }
  const ConvoyThresholds thresholds{100, 1'000};
  const auto all = [](const ActivityRun& run, const ConvoyThresholds& limits) {
    const std::vector<ActivityRun> runs{run};
    return Json{workload_switches(runs), launch_delay(runs), same_stream_gap(runs),
                concurrency(runs),       fairness(runs),     convoy(runs, limits)};
  };
  const Json expected = all(line.run, thresholds);
  EXPECT_EQ(all(shuffled, thresholds), expected);
  EXPECT_EQ(all(moved, thresholds), expected);
  const Json three = all(stretched, {300, 3'000});
  EXPECT_GT(expected[0]["other_stream"], 10);
  EXPECT_GT(expected[5]["behind_ns"]["values"], 10);
  EXPECT_EQ(three[0]["other_stream"], expected[0]["other_stream"]);
  EXPECT_DOUBLE_EQ(three[0]["other_stream_gap"]["value"], 3 * expected[0]["other_stream_gap"]["value"].get<double>());
  EXPECT_DOUBLE_EQ(three[1]["p50"]["value"], 3 * expected[1]["p50"]["value"].get<double>());
  EXPECT_DOUBLE_EQ(three[2]["p99"]["value"].is_null() ? 0 : 1, expected[2]["p99"]["value"].is_null() ? 0 : 1);
  EXPECT_DOUBLE_EQ(three[3]["mean_in_flight"]["value"], expected[3]["mean_in_flight"]["value"]);
  EXPECT_DOUBLE_EQ(three[4]["jain"]["value"], expected[4]["jain"]["value"]);
  EXPECT_DOUBLE_EQ(three[5]["effect"]["value"], 3 * expected[5]["effect"]["value"].get<double>());
}

}  // namespace
}  // namespace aaco
