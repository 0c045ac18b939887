// SPDX-License-Identifier: MIT
// The pages of what aaco queue recorded: the figures that follow from known documents, and what is said where there are
// none.
#include "kind/queue_run/report/queue_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "analysis/devices/device_clocks.h"
#include "base/json/json.h"
#include "kind/queue_probe/analysis/convoy.h"
#include "kind/queue_probe/analysis/priority_effect.h"
#include "kind/queue_probe/analysis/queue_limit.h"
#include "kind/queue_probe/analysis/record_check.h"
#include "kind/queue_probe/queue_probe_kind.h"
#include "kind/queue_probe/queue_probe_report.h"
#include "kind/queue_run/analysis/profiling_overhead.h"
#include "kind/queue_run/queue_run_kind.h"
#include "kind/queue_run/report/queue_plots.h"
#include "kind/queue_run/timeline/workload_timeline.h"
#include "kind/sweep/report/queue_sweep_report.h"
#include "kind/sweep/sweep_kinds.h"
#include "report/plot/svg.h"
#include "report/sinks.h"
#include "report/test_markup.h"

namespace aaco::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// A process of 4 iterations, 1 ms each, so 4 x 10 tokens in 4 ms: 10 000 tokens a second.
Json process_of(int64_t process) {
  return {{"process", process},      {"pid", 100 + process}, {"load_ms", 2.5},
          {"iterations", 4},         {"wall_ns", 4'000'000}, {"stationary", process != 1},
          {"dispatch_p50_ns", 5e4},  {"p50_ns", 1e6},        {"units_per_iteration", 10.0},
          {"allocated_bytes", 1024}, {"peak_bytes", 2048},   {"reserved_bytes", nullptr},
          {"interrupted", false}};
}

Json run_document(int64_t streams) {
  return {
      {"kind", "queue_run"},
      {"bundle", "s/d/run-" + std::to_string(streams)},
      {"request",
       {{"workload", "moe"},
        {"streams", streams},
        {"dispatch", "single"},
        {"sync_mode", "per_iteration"},
        {"iterations", 4},
        {"warmup", 1},
        {"processes", 3},
        {"parameters", {{"hidden", "<16>"}}}}},
      {"work",
       {{"kernels", 12},
        {"flops", 1e6},
        {"ideal_bytes", 2e6},
        {"used_streams", 2},
        {"streams", streams},
        {"unit", "tokens"}}},
      {"devices", {{{"id", "cpu:0"}, {"name", "A & B"}, {"architecture", "x"}, {"driver", "d"}}}},
      {"communicator", {{"ranks", 1}, {"library", "in process"}, {"emulated", false}}},
      {"verification", {{"operations", 12}, {"checked", 12}, {"in_part", 0}, {"outputs", 1}, {"bitwise", true}}},
      {"notes", {"a note"}},
      {"processes", {process_of(0), process_of(1), process_of(2)}},
      {"figures",
       {{"latency", {{"p50_ns", {{"value", 1e6}, {"interval", {{"low", 9e5}, {"high", 1.1e6}}}}}, {"p95_ns", 2e6}}}}},
      {"clocks", Json::array()},
      {"profile", nullptr},
      {"tool", nullptr}};
}

OpenSession session_of(const SessionKind& kind, int64_t processes = 3) {
  OpenSession session;
  session.path = "sessions/d/s";
  session.info.kind = kind;
  session.info.session_id = "20260101_000000_abcdef";
  session.info.status = session.status = SessionStatus::kComplete;
  session.info.facts.model_name = "moe";
  session.info.facts.backend = "cpu:0";
  for (int64_t process = 0; process < processes; ++process) {
    for (int64_t i = 0; i < 4; ++i) {
      IterationRow row;
      row.process = process;
      row.iter_idx = i;
      row.phase = IterationPhase::kMeasure;
      row.t_start_ns = i * 1'000'000;
      row.t_end_ns = row.t_start_ns + 1'000'000;
      session.recording.iterations.push_back(row);
    }
  }
  return session;
}

std::string html_of(const Result<Report>& report) {
  EXPECT_TRUE(report) << report.error().message;
  const std::string html = report ? render_html(*report) : "";
  EXPECT_EQ(test::markup_problem(html), "");
  return html;
}

const plot::Chart* chart_of(const Report& report, const std::string& id) {
  for (const plot::Chart* chart : charts_of(report)) {
    if (chart->id == id) {
      return chart;
    }
  }
  return nullptr;
}

TEST(QueueRunReport, ShowsTheClocksOfGpus) {
  Json document = run_document(8);
  EXPECT_THAT(html_of(build_queue_run_report(session_of(kQueueRun.traits), document, nullptr)),
              Not(HasSubstr("Clocks while it measured")));
  DeviceClocks held;
  held.device = "0000:1b:00.0";
  held.samples = 20;
  held.core_clock_p50_mhz = 1470;
  held.core_clock_min_mhz = 1440;
  held.throttled_share = 0.25;
  held.reason_shares = {{"sw_power_cap", 0.25}};
  DeviceClocks unknown;
  unknown.device = "0000:5d:00.0";
  unknown.no_data = "no sample";
  document["clocks"] = std::vector<DeviceClocks>{held, unknown};
  const std::string html = html_of(build_queue_run_report(session_of(kQueueRun.traits), document, nullptr));
  for (const char* part : {"1.47 GHz", "1.44 GHz", "25.0 %", "sw_<wbr/>power_<wbr/>cap 25.0 %", "no sample"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

// What a profile lacks is not read as nothing recorded.
TEST(QueueRunReport, AProfileWithoutItsFiguresIsDamaged) {
  Json document = run_document(8);
  for (const char* missing : {"timeline", "overhead"}) {
    document["profile"] = {{"timeline", WorkloadTimeline()}, {"overhead", ProfilingOverhead()}};
    document["profile"].erase(missing);
    const auto report = build_queue_run_report(session_of(kQueueRun.traits), document, nullptr);
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message, HasSubstr("the profile has no " + std::string(missing)));
  }
}

TEST(QueueRunReport, ShowsFiguresOfWhatProcessesLeft) {
  const auto report = build_queue_run_report(session_of(kQueueRun.traits), run_document(8), nullptr);
  const std::string html = html_of(report);
  for (const char* part :
       {"moe on cpu:0 (A &amp; B), 8 streams", "10,000 tokens/s", "2 of 8", "1.000 ms", "hidden=&lt;16&gt;",
        "12 of 12 operations against the CPU", "The iterations of 1 of 3 processes show a trend", "a note",
        "no data: this backend cannot tell"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  ASSERT_NE(chart_of(*report, "latency-series"), nullptr);
  EXPECT_TRUE(plot::has_data(*chart_of(*report, "latency-series")));
}

TEST(QueueRunReport, WithoutWaitingThereIsNoThroughput) {
  Json document = run_document(2);
  document["request"]["sync_mode"] = "none";
  OpenSession session = session_of(kQueueRun.traits);
  for (IterationRow& row : session.recording.iterations) {
    row.phase = IterationPhase::kDispatch;
  }
  const auto report = build_queue_run_report(session, document, nullptr);
  const std::string html = html_of(report);
  EXPECT_THAT(html, Not(HasSubstr("tokens/s")));
  EXPECT_THAT(html, HasSubstr("nothing that is timed waits for the device"));
  const plot::Chart* series = chart_of(*report, "enqueue-series");
  ASSERT_NE(series, nullptr);
  EXPECT_EQ(series->series.at(1).x.size(), 12U);
}

TEST(QueueRunReport, SaysWhatEndedEarlyAndWhatWasNotChecked) {
  Json document = run_document(8);
  document["verification"] = nullptr;
  OpenSession session = session_of(kQueueRun.traits, 0);
  session.status = SessionStatus::kFailed;
  session.info.status_reason = "the device is <gone>";
  document["processes"] = Json::array();
  const std::string html = html_of(build_queue_run_report(session, document, nullptr));
  EXPECT_THAT(html, HasSubstr("This session is failed: the device is &lt;gone&gt;"));
  EXPECT_THAT(html, HasSubstr("Nothing was checked"));
}

TEST(QueueRunReport, KernelsOfEachStreamAreCounted) {
  EventTable events;
  for (int64_t stream = 0; stream < 2; ++stream) {
    Track track;
    track.device = 0;
    track.stream = stream;
    events.tracks.push_back(track);
  }
  // Two kernels of 100 ns on stream 0, one of 200 ns on stream 1 beside them: 400 ns within 200, so 2 in flight.
  for (const auto& [track, start, duration] : {std::tuple{0U, 0, 100}, {0U, 100, 100}, {1U, 0, 200}}) {
    TraceEvent event;
    event.kind = EventKind::kKernel;
    event.track = track;
    event.start_ns = start;
    event.duration_ns = duration;
    events.add(event, {});
  }
  const auto report = build_queue_run_report(session_of(kQueueRun.traits), run_document(2), &events);
  html_of(report);
  const Section& timeline = report->sections.at(6);
  ASSERT_EQ(timeline.id, "timeline");
  ASSERT_EQ(timeline.blocks.size(), 2U);  // the device over time, and its streams
  EXPECT_EQ(std::get<ChartBlock>(timeline.blocks[1]).chart.y.categories.size(), 2U);
  const Section& section = report->sections.at(7);
  ASSERT_EQ(section.id, "activity");
  const auto& figures = std::get<TableBlock>(section.blocks.at(0));
  EXPECT_DOUBLE_EQ(sort_key(figures.rows.at(0).at(1)).value_or(0), 2);
  for (const Block& block : section.blocks) {
    if (const auto* table = std::get_if<TableBlock>(&block); table != nullptr && table->id == "activity-streams") {
      ASSERT_EQ(table->rows.size(), 2U);
      EXPECT_EQ(shown_text(table->rows[0][2]), "2");
      EXPECT_EQ(sort_key(table->rows[1][3]), 200);
    }
  }
}

TEST(QueueSweepReport, PlotsThroughputEfficiencyAndLatencyOverStreams) {
  Json fast = run_document(4);
  for (Json& process : fast["processes"]) {
    process["wall_ns"] = 2'000'000;  // twice the throughput on four times the streams: an efficiency of one half
  }
  const Json document{{"kind", "queue_sweep"},
                      {"workload", "moe"},
                      {"points", {run_document(1), fast}},
                      {"stopped_by", "out of <memory>"}};
  const auto report = build_queue_sweep_report(session_of(kQueueSweep.traits, 0), document);
  const std::string html = html_of(report);
  EXPECT_THAT(html, HasSubstr("The sweep ended early: out of &lt;memory&gt;"));
  const plot::Chart* efficiency = chart_of(*report, "efficiency-by-streams");
  ASSERT_NE(efficiency, nullptr);
  EXPECT_EQ(efficiency->series.at(0).x, (std::vector<double>{1, 4}));
  EXPECT_DOUBLE_EQ(efficiency->series.at(0).y.at(1), 0.5);
  const plot::Chart* latency = chart_of(*report, "latency-by-streams");
  ASSERT_NE(latency, nullptr);
  ASSERT_EQ(latency->series.size(), 4U);  // median and p95, a line and points each; no p99
  EXPECT_EQ(latency->series.at(1).low, (std::vector<double>{9e5, 9e5}));
  EXPECT_EQ(chart_of(*report, "throughput-by-streams")->series.at(0).y.at(1), 20'000);
}

TEST(QueueSweepReport, NoPointIsNoData) {
  const Json document{{"kind", "queue_sweep"}, {"workload", "moe"}, {"points", Json::array()}, {"stopped_by", nullptr}};
  EXPECT_THAT(html_of(build_queue_sweep_report(session_of(kQueueSweep.traits, 0), document)),
              HasSubstr("No data: no throughput was measured."));
}

// Streams 0 and 1 share, 0 and 2 do not, of 1 and 2 nothing is known.
TEST(QueueProbeReport, TheMatrixHasEveryPairTwiceAndTheDiagonal) {
  QueueMap map;
  map.streams = 3;
  map.pairs = {{0, 1, QueueRelation::kShared, 5, 5, 5, 5},
               {0, 2, QueueRelation::kSeparate, 0, 5, 0, 5},
               {1, 2, QueueRelation::kUnknown, 2, 5, 3, 5}};
  const plot::Chart chart = queue_matrix(map);
  ASSERT_EQ(chart.series.size(), 3U);
  EXPECT_EQ(chart.series[0].name, "shared");
  EXPECT_EQ(chart.series[0].x.size(), 5U);  // three on the diagonal and the pair both ways
  EXPECT_EQ(chart.series[1].x.size(), 2U);
  EXPECT_EQ(chart.series[1].y, (std::vector<double>{0, 2}));
  EXPECT_EQ(chart.series[2].x.size(), 2U);
  EXPECT_THAT(chart.series[2].labels[0], HasSubstr("waited 2 of 5 times, the other way round 3 of 5"));
  map.pairs.clear();
  EXPECT_FALSE(plot::has_data(queue_matrix(map)));
}

TEST(QueueProbeReport, MissingFiguresHaveTheirReasons) {
  const MetricValue gap = measured("one_stream_gap", 100, Interval{90, 110});
  SwitchCost independent;
  independent.one_stream_gap = gap;
  independent.switch_gap = measured("independent_switch_gap", 400, Interval{350, 450});
  independent.cost = measured("independent_switch_cost", 300, Interval{250, 350});
  independent.wall_cost = no_data("independent_switch_wall_cost", "one process");
  SwitchCost hand_off = independent;
  hand_off.switch_gap = no_data("hand_off_gap", "the gate <opened> early");
  hand_off.cost = no_data("hand_off_cost", "the gate <opened> early");
  const Json document{{"document",
                       {{"kind", "queue_probe"},
                        {"request", {{"device", "cpu:0"}, {"streams", 2}, {"processes", 3}}},
                        {"device_name", "A & B"},
                        {"independent_switch", independent},
                        {"hand_off", hand_off},
                        {"launches", Json::array()},
                        {"queue_map", QueueMap()},
                        {"queue_limit", QueueLimit()},
                        {"convoy", Convoy()},
                        {"priority", PriorityEffect()},
                        {"records", RecordCheck()}}}};
  const auto report = build_queue_probe_report(session_of(kQueueProbe.traits, 0), document);
  const std::string html = html_of(report);
  EXPECT_THAT(html, HasSubstr("the gate &lt;opened&gt; early"));
  const plot::Chart* gaps = chart_of(*report, "switch-gaps");
  ASSERT_NE(gaps, nullptr);
  EXPECT_EQ(gaps->series.at(0).x, (std::vector<double>{100, 400}));  // a gap without a value has no bar
  EXPECT_FALSE(plot::has_data(*chart_of(*report, "launch-by-threads")));
}

// The figures that knew what each kernel waited for, not those that a trace alone gives.
TEST(QueueReport, AProfiledRunShowsWhatWasMeasuredUnderTheProfiler) {
  Json document = run_document(2);
  document["profile"] = {{"timeline", WorkloadTimeline()}, {"overhead", ProfilingOverhead()}};
  document["profile"]["timeline"]["concurrency"]["most_in_flight"] = 17;
  const auto report = build_queue_run_report(session_of(kQueueRun.traits), document, nullptr);
  EXPECT_THAT(html_of(report), HasSubstr("at most 17 in flight"));
}

TEST(QueueReport, DamagedDocumentsAreRefused) {
  const OpenSession session = session_of(kQueueRun.traits);
  EXPECT_FALSE(build_queue_run_report(session, Json::array(), nullptr));
  EXPECT_FALSE(build_queue_sweep_report(session, run_document(1)));
  EXPECT_FALSE(build_queue_probe_report(session, run_document(1)));
  Json broken = run_document(1);
  broken["processes"][0]["wall_ns"] = -1;
  EXPECT_FALSE(build_queue_run_report(session, broken, nullptr));
  broken["processes"] = "none";
  EXPECT_FALSE(build_queue_run_report(session, broken, nullptr));
}

// A run that was ended before it had figures still has a page.
TEST(QueueReport, WithoutADocument) {
  OpenSession session = session_of(kQueueProbe.traits, 0);
  session.path = "no/such/session";
  session.status = SessionStatus::kInterrupted;
  EXPECT_THAT(html_of(queue_probe_report(session)), HasSubstr("the session ended before it had figures"));
  session.status = SessionStatus::kComplete;
  EXPECT_FALSE(queue_probe_report(session));
}

}  // namespace
}  // namespace aaco::report
