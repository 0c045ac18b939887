// SPDX-License-Identifier: MIT
#include "engine/telemetry.h"

#include <gtest/gtest.h>
#include <thread>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

// Pushes ten losses and an event from a thread of its own, as work that reports about itself does.
class PushingCollector final : public Collector {
 public:
  explicit PushingCollector(CollectorOptions options) : options_(std::move(options)) {}
  bool pushes() const override { return true; }
  Result<void> start() override {
    if (!options_.gpus.empty()) {
      return Error{ErrorKind::kUnavailable, "it does not start", ""};
    }
    thread_ = std::thread([this] {
      for (int64_t step = 0; step < 10; ++step) {
        const ScalarRow row{"loss", step, 100 * step, 1.0 / static_cast<double>(step + 1), std::nullopt, std::nullopt};
        account_.take(row);
        options_.sinks.push(row);
      }
      PlaneEventRow event;
      event.plane = "train";
      event.name = "checkpoint";
      options_.sinks.push(event);
    });
    return {};
  }
  void stop() override {
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  ~PushingCollector() override { stop(); }
  CollectorPlane plane() const override { return {"train", account_.columns()}; }

 private:
  CollectorOptions options_;
  PlaneAccount<ScalarRow> account_;
  std::thread thread_;
};

CollectorInfo pushing() {
  return {"pushing",
          "of this test",
          "of this test",
          "nothing",
          "train",
          {"scalars", "plane_events"},
          [](CollectorOptions options) -> Result<std::unique_ptr<Collector>> {
            return std::unique_ptr<Collector>(std::make_unique<PushingCollector>(std::move(options)));
          }};
}

TEST(Telemetry, a_collector_that_pushes_is_recorded) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  auto telemetry = Telemetry::start(folder->path(), pushing(), {});
  ASSERT_TRUE(telemetry) << telemetry.error().message;
  const auto outcome = (*telemetry)->stop();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->cost.samples, 11);
  EXPECT_EQ(outcome->cost.period_ns, 0);
  EXPECT_EQ(outcome->plane.name, "train");
  ASSERT_EQ(outcome->plane.columns.size(), 6U);
  EXPECT_EQ(outcome->plane.columns[3].name, "value");
  EXPECT_EQ(outcome->plane.columns[3].unread, "");
  EXPECT_EQ(outcome->plane.columns[4].unread, "null in all of 10 rows");
  CollectedRows rows;
  std::vector<std::string> warnings;
  ASSERT_TRUE(read_collected_journals(folder->path(), rows, warnings));
  ASSERT_EQ(rows.rows<ScalarRow>().size(), 10U);
  EXPECT_EQ(rows.rows<ScalarRow>()[9].step, 9);
  EXPECT_EQ(rows.rows<ScalarRow>()[9].time_ns, 900);
  EXPECT_EQ(rows.rows<ScalarRow>()[9].value, 0.1);
  ASSERT_EQ(rows.rows<PlaneEventRow>().size(), 1U);
  EXPECT_EQ(rows.rows<PlaneEventRow>()[0].name, "checkpoint");
}

TEST(Telemetry, one_that_does_not_start_leaves_no_journal) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  CollectorOptions options;
  options.gpus = {"any"};
  const auto telemetry = Telemetry::start(folder->path(), pushing(), options);
  ASSERT_FALSE(telemetry);
  EXPECT_EQ(telemetry.error().message, "it does not start");
  EXPECT_TRUE(collected_journals(folder->path(), "scalars").empty());
}

TEST(Telemetry, a_collector_that_is_polled_is_recorded) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  auto telemetry = Telemetry::start(folder->path(), *find_collector("host"), {});
  ASSERT_TRUE(telemetry) << telemetry.error().message;
  const auto outcome = (*telemetry)->stop();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->plane.name, "telemetry_host");
  CollectedRows rows;
  std::vector<std::string> warnings;
  ASSERT_TRUE(read_collected_journals(folder->path(), rows, warnings));
  EXPECT_EQ(static_cast<int64_t>(rows.rows<SystemRow>().size()), outcome->cost.samples);
}

}  // namespace
}  // namespace aaco
