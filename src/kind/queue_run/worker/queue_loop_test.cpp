// SPDX-License-Identifier: MIT
// The measured loop on the CPU device: what it checks, and what it leaves behind.
#include "kind/queue_run/worker/queue_loop.h"

#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "device/backend.h"

namespace aaco {
namespace {

class QueueLoop : public testing::Test {
 protected:
  static QueueRequest request_of(const char* dispatch) {
    QueueRequest request;
    request.workload = "tiny_kernel_stress";
    request.streams = 2;
    request.warmup = 2;
    request.iterations = 3;
    request.dispatch = dispatch;
    return request;
  }

  Result<QueueLoopOutcome> measure(PreparedWorkload& workload, const QueueRequest& request) {
    AACO_ASSIGN(Recorder recorder, Recorder::create(folder_.path(), process_++));
    return measure_queue(workload, recorder, request);
  }

  TemporaryFolder folder_ = TemporaryFolder::create().value();
  int64_t process_ = 0;
};

// A graph's first iteration is one more: the untimed one before the capture.
TEST_F(QueueLoop, ChecksAreOfAllIterationsThatWereDone) {
  for (const auto& [dispatch, expected] : {std::pair{"single", 5}, std::pair{"threads", 5}, std::pair{"graph", 6}}) {
    auto workload = prepare_workload(request_of(dispatch));
    ASSERT_TRUE(workload) << workload.error().message;
    int64_t checked = 0;
    (*workload)->instance->checks.push_back([&](DeviceReader&, int64_t iterations) -> Result<void> {
      checked = iterations;
      return {};
    });
    const auto outcome = measure(**workload, request_of(dispatch));
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->iterations, 3);
    EXPECT_EQ(checked, expected) << dispatch;
  }
}

TEST_F(QueueLoop, AWrongResultFailsTheMeasurementUnlessNobodyAsked) {
  QueueRequest request = request_of("single");
  auto workload = prepare_workload(request);
  ASSERT_TRUE(workload) << workload.error().message;
  (*workload)->instance->checks.push_back([](DeviceReader&, int64_t iterations) -> Result<void> {
    if (iterations == 1) {
      return {};  // wrong from the second iteration on
    }
    return Error{ErrorKind::kInvalid, "wrong", ""};
  });
  const auto outcome = measure(**workload, request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kInvalid);
  request.check = false;
  EXPECT_TRUE(measure(**workload, request));
}

// Memory that says whether the stream was still at work in it when it was freed.
class StampedBuffer : public Buffer {
 public:
  explicit StampedBuffer(bool& was_done) : was_done_(was_done) {}
  ~StampedBuffer() override { was_done_ = stamp_.end_ns != 0; }
  StampedBuffer(const StampedBuffer&) = delete;
  StampedBuffer& operator=(const StampedBuffer&) = delete;
  void* data() const override { return const_cast<SpinStamp*>(&stamp_); }
  size_t bytes() const override { return sizeof(stamp_); }

 private:
  SpinStamp stamp_ = kUnwrittenStamp;
  bool& was_done_;
};

TEST(PreparedWorkload, WorkInFlightEndsBeforeItsMemoryIsFreed) {
  bool was_done = false;
  {
    PreparedWorkload workload;
    workload.devices = {open_device("cpu").value()};
    workload.streams.push_back(workload.devices.front()->make_stream(0).value());
    workload.instance = std::make_unique<WorkloadInstance>();
    workload.instance->memory.push_back(std::make_unique<StampedBuffer>(was_done));
    auto* const stamp = static_cast<SpinStamp*>(workload.instance->memory.front()->data());
    workload.streams.front()->launch(SpinArgs{stamp, 50'000'000, 1});
  }
  EXPECT_TRUE(was_done);
}

}  // namespace
}  // namespace aaco
