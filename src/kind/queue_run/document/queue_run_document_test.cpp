// SPDX-License-Identifier: MIT
#include "kind/queue_run/document/queue_run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "kind/sweep/document/queue_sweep_document.h"

namespace aaco {
namespace {

using testing::HasSubstr;

QueueRunDocument whole_run() {
  QueueRunDocument run;
  run.version = "1";
  run.created_utc = "2026-01-01T00:00:00Z";
  run.bundle = "s/d/run";
  run.request.workload = "moe";
  run.request.parameters = {{"top_k", "2"}};
  run.work.unit = "tokens";
  run.devices.resize(1);
  run.devices[0].name = "a processor";
  run.devices[0].pci = "0000:1b:00.0";
  run.communicator = {8, "emulated", true};
  run.verification = WorkloadCheck();
  run.verification->worst_error = 0.25;
  run.notes = {"a note"};
  run.processes.resize(1);
  run.processes[0].p50_ns = 1e6;
  run.figures.latency = LatencySummary();
  run.figures.latency->p50_ns = {1e6, Interval{9e5, 1.1e6}};
  run.figures.reserved_bytes = 7;
  run.clocks.resize(1);
  run.profile = QueueProfile();
  run.profile->collector = "cuda";
  run.profile->dropped = 3;
  run.tools.resize(2);
  run.tools[0].files = {{"profiler/nsys/a.csv", "", 5}, {"profiler/nsys/b.sqlite", "nsys", 6}};
  return run;
}

// What is read is what was written: every member, those of the optional parts too.
TEST(QueueRunDocument, ReadsWhatItWrites) {
  const Json written = Json(whole_run());
  const auto read = read_queue_run(written, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(*read).dump(), written.dump());
  EXPECT_EQ(read->profile->collector, "cuda");
  EXPECT_EQ(read->tools[0].files[0].format, "");
  const Json bare = Json(QueueRunDocument());
  EXPECT_EQ(Json(*read_queue_run(bare, "x.json")).dump(), bare.dump());
}

// A run that ended while it was checked left these.
TEST(QueueRunDocument, ReadsOneThatEndedBeforeItKnewItsDevices) {
  Json written = Json(whole_run());
  written["devices"] = nullptr;
  written["communicator"] = nullptr;
  written["verification"] = nullptr;
  const auto read = read_queue_run(written, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->devices.empty());
  EXPECT_FALSE(read->verification);
}

// Of a version that ran under one tool at most.
TEST(QueueRunDocument, ReadsTheToolOfAnEarlierVersion) {
  Json written = Json(whole_run());
  EXPECT_EQ(written["tool"], written["tools"][0]);
  written.erase("tools");
  const auto read = read_queue_run(written, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->tools.size(), 1U);
  EXPECT_EQ(read->tools[0].files[1].format, "nsys");
  written["tool"] = nullptr;
  EXPECT_TRUE(read_queue_run(written, "x.json")->tools.empty());
}

TEST(QueueRunDocument, RefusesWhatNoRunWrites) {
  EXPECT_THAT(read_queue_run(Json::array(), "x.json").error().message, HasSubstr("x.json: not what aaco queue run"));
  EXPECT_FALSE(read_queue_run(Json(QueueSweepDocument()), "x.json"));
  Json negative = Json(whole_run());
  negative["processes"][0]["wall_ns"] = -1;
  EXPECT_THAT(read_queue_run(negative, "x.json").error().message, HasSubstr("process 0 has a negative figure"));
  Json without = Json(whole_run());
  without.erase("work");
  EXPECT_THAT(read_queue_run(without, "x.json").error().message, HasSubstr("work"));
}

TEST(QueueSweepDocument, ReadsWhatItWrites) {
  QueueSweepDocument sweep;
  sweep.workload = "moe";
  sweep.points = {whole_run(), QueueRunDocument()};
  sweep.scaling.saturation = "none";
  sweep.stopped_by = "out of memory";
  const Json written = Json(sweep);
  const auto read = read_queue_sweep(written, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(*read).dump(), written.dump());
  Json damaged = written;
  damaged["points"][1]["kind"] = "queue_probe";
  EXPECT_THAT(read_queue_sweep(damaged, "x.json").error().message, HasSubstr("not what aaco queue run wrote"));
  damaged["points"] = "none";
  EXPECT_THAT(read_queue_sweep(damaged, "x.json").error().message, HasSubstr("not what aaco queue sweep wrote"));
}

}  // namespace
}  // namespace aaco
