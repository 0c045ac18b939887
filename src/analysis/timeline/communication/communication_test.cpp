// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/communication.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/time_budget.h"

namespace aaco {
namespace {

Communication communication_of(const EventTable& events) {
  const LaunchIndex launches(events);
  CommunicationFinder finder(events);
  for (const DeviceWork& work : device_work(events, launches)) {
    const RowGroups order = stream_order(events, work);
    finder.add(work, time_budget(events, work.slices).exposed_communication,
               StreamDependencies(events, work, launches, order.all()), order.all());
  }
  return finder.finish();
}

std::vector<Argument> all_reduce(TestTrace& trace) {
  return {trace.text("Collective name", "allreduce"),
          trace.text("dtype", "Float"),
          trace.integer("In msg nelems", 250),
          trace.integer("Out msg nelems", 250),
          trace.integer("Group size", 4),
          trace.text("Process Group Name", "0"),
          trace.text("Process Group Ranks", "[0, 1, 2, 3]")};
}

TEST(Communication, SizeTimeAndBandwidth) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  for (const int64_t duration_ns : {400, 500, 700}) {
    trace.add(stream, EventKind::kKernel, "ncclK", duration_ns * 100, duration_ns, kNoId, all_reduce(trace));
  }
  const Communication communication = communication_of(trace.table);
  const auto statistics = collective_statistics(trace.table, communication, 0);
  ASSERT_EQ(statistics.size(), 1);
  EXPECT_EQ(trace.table.strings[communication.kinds[0].name], "allreduce");
  EXPECT_EQ(communication.kinds[0].group_size, 4);
  EXPECT_EQ(statistics[0].count, 3);
  EXPECT_EQ(statistics[0].bytes, 1'000);
  EXPECT_EQ(statistics[0].total_ns, 1'600);
  EXPECT_EQ(statistics[0].median_ns, 500);
  EXPECT_EQ(statistics[0].exposed_ns, 1'600);
  EXPECT_EQ(statistics[0].proved, 0);
  EXPECT_DOUBLE_EQ(*statistics[0].algorithm_bandwidth, 2.0);
  EXPECT_DOUBLE_EQ(*statistics[0].bus_bandwidth, 3.0);
  EXPECT_TRUE(collective_statistics(trace.table, communication, 1).empty());
}

TEST(Communication, WithoutArgumentsTheKernelsNameAndNoSize) {
  TestTrace trace;
  trace.add(trace.stream(0, 0, 7), EventKind::kKernel, "ncclDevKernel_Generic", 0, 10);
  const auto communication = communication_of(trace.table);
  const auto statistics = collective_statistics(trace.table, communication, 0);
  ASSERT_EQ(statistics.size(), 1);
  EXPECT_EQ(trace.table.strings[communication.kinds[0].name], "ncclDevKernel_Generic");
  EXPECT_FALSE(statistics[0].bytes || statistics[0].algorithm_bandwidth || statistics[0].bus_bandwidth);
}

// Communication [0, 100) on stream 7; other computation hides [20, 40) of it.
class Blocking : public testing::Test {
 public:
  Blocking() {
    call("launch", -50, 1);
    trace_.add(stream_, EventKind::kKernel, "ncclK", 0, 100, 1);
    call("launch", -45, 2);
    trace_.add(trace_.stream(0, 0, 9), EventKind::kKernel, "other", 20, 20, 2);
  }

 protected:
  void call(const char* name, int64_t start_ns, int64_t correlation) {
    trace_.add(host_, EventKind::kHostCall, name, start_ns, 1, correlation);
  }
  void wait(uint32_t stream, int64_t correlation, int64_t record) {
    trace_.add(stream, EventKind::kDeviceSync, "Stream Wait Event", 0, 1, correlation,
               {trace_.integer("wait_on_stream", 7), trace_.integer("wait_on_cuda_event_record_corr_id", record)});
  }
  int64_t blocking() {
    const auto kernels = communication_of(trace_.table).kernels;
    EXPECT_EQ(kernels[0].exposed_ns, 80);
    return kernels[0].blocking_ns;
  }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
  uint32_t stream_ = trace_.stream(0, 0, 7);
  uint32_t waiting_ = trace_.stream(0, 0, 8);
};

TEST_F(Blocking, ComputationBehindItOnItsStreamSinceItWasLaunched) {
  call("launch", 29, 3);  // returns at 30
  trace_.add(stream_, EventKind::kKernel, "k", 100, 10, 3);
  EXPECT_EQ(blocking(), 60);
}

TEST_F(Blocking, LaunchedBeforeItBeganAllThatIsExposed) {
  call("launch", -20, 3);
  trace_.add(stream_, EventKind::kKernel, "k", 100, 10, 3);
  EXPECT_EQ(blocking(), 80);
}

TEST_F(Blocking, LaunchedAfterItsEndNone) {
  call("launch", 150, 3);
  trace_.add(stream_, EventKind::kKernel, "k", 160, 10, 3);
  EXPECT_EQ(blocking(), 0);
}

TEST_F(Blocking, AnotherStreamThatWaitsForARecordedEvent) {
  call("cudaEventRecord", -40, 3);
  call("cudaStreamWaitEvent", -38, 4);
  wait(waiting_, 4, 3);
  call("launch", 49, 5);
  trace_.add(waiting_, EventKind::kCopy, "Memcpy", 100, 5, 5);
  call("launch", 59, 6);
  trace_.add(waiting_, EventKind::kKernel, "k", 105, 10, 6);  // behind the copy, which is what waits
  EXPECT_EQ(blocking(), 40);
}

TEST_F(Blocking, AWaitForWhatComesAfterItOnItsStream) {
  call("launch", -44, 7);
  trace_.add(stream_, EventKind::kCopy, "Memcpy", 100, 10, 7);
  call("cudaEventRecord", -40, 3);
  call("cudaStreamWaitEvent", -38, 4);
  wait(waiting_, 4, 3);
  call("launch", 49, 5);
  trace_.add(waiting_, EventKind::kKernel, "k", 110, 10, 5);
  EXPECT_EQ(blocking(), 50);
}

TEST_F(Blocking, AnotherStreamWithoutARecordedWaitProvesNothing) {
  call("launch", -20, 3);
  trace_.add(waiting_, EventKind::kKernel, "k", 100, 10, 3);
  EXPECT_EQ(blocking(), kNoId);
}

TEST_F(Blocking, AWaitForAnEventOfBeforeProvesNothing) {
  call("cudaEventRecord", -60, 3);
  call("cudaStreamWaitEvent", -38, 4);
  wait(waiting_, 4, 3);
  call("launch", -20, 5);
  trace_.add(waiting_, EventKind::kKernel, "k", 100, 10, 5);
  EXPECT_EQ(blocking(), kNoId);
}

TEST_F(Blocking, AnUnknownLaunchProvesNothing) {
  trace_.add(stream_, EventKind::kKernel, "k", 100, 10, 3);
  EXPECT_EQ(blocking(), kNoId);
}

TEST_F(Blocking, TimesThatContradictTheDependenceProveNothing) {
  call("launch", -20, 3);
  trace_.add(stream_, EventKind::kSet, "k", 30, 5, 3);  // computation; hidden time is no longer 20
  EXPECT_EQ(communication_of(trace_.table).kernels[0].blocking_ns, kNoId);
}

// Exposed time of each kernel is what one nanosecond after the other says.
TEST(Communication, ExposedByDefinition) {
  std::mt19937 random(3);
  for (int round = 0; round < 1'000; ++round) {
    TestTrace trace;
    const uint32_t stream = trace.stream(0, 0, 7);
    for (size_t i = 1 + random() % 10; i > 0; --i) {
      trace.add(stream, EventKind::kKernel, random() % 2 == 0 ? "ncclK" : "k", static_cast<int64_t>(random() % 50),
                static_cast<int64_t>(random() % 20));
    }
    const EventTable& events = trace.table;
    for (const CollectiveKernel& kernel : communication_of(events).kernels) {
      int64_t exposed_ns = 0;
      for (int64_t t = events.start_ns[kernel.event]; t < events.end_ns(kernel.event); ++t) {
        bool hidden = false;
        for (size_t i = 0; i < events.size(); ++i) {
          hidden = hidden || (events.strings[events.name[i]] == "k" && events.start_ns[i] <= t && t < events.end_ns(i));
        }
        exposed_ns += hidden ? 0 : 1;
      }
      ASSERT_EQ(kernel.exposed_ns, exposed_ns) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace aaco
