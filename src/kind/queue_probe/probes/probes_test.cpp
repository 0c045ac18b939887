// SPDX-License-Identifier: MIT
// The probes on the CPU device, with tiny durations: what they enqueue and hand over, never how long it took. On the
// CPU "the whole device" is a lock that device-filling kernels hold, so that they do run one after the other.
#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/test_skip.h"
#include "device/backend.h"
#include "kind/queue_probe/probes/clock_probe.h"
#include "kind/queue_probe/probes/convoy_probe.h"
#include "kind/queue_probe/probes/gate.h"
#include "kind/queue_probe/probes/launch_probe.h"
#include "kind/queue_probe/probes/priority_probe.h"
#include "kind/queue_probe/probes/queue_limit_probe.h"
#include "kind/queue_probe/probes/queue_map_probe.h"
#include "kind/queue_probe/probes/record_probe.h"
#include "kind/queue_probe/probes/spin_stamps.h"
#include "kind/queue_probe/probes/switch_probe.h"

namespace aaco {
namespace {

constexpr int64_t kSpin = 20'000;

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().message);
  }
  return std::move(result).value();
}

class Probes : public testing::Test {
 protected:
  Device& device = *value_of(open_device("cpu"));
};

// The CPU device, in some way another one.
class OtherDevice : public Device {
 public:
  explicit OtherDevice(Device& device) : device_(device), properties_(device.properties()) {}
  const DeviceProperties& properties() const override { return properties_; }
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes, MemoryKind kind) override {
    return device_.allocate(bytes, kind);
  }
  Result<std::unique_ptr<Event>> make_event(bool timing) override { return device_.make_event(timing); }
  Result<double> elapsed_ns(Event& from, Event& to) override { return device_.elapsed_ns(from, to); }
  Result<void> synchronize() override { return device_.synchronize(); }
  MemoryUse memory_use() const override { return device_.memory_use(); }
  void reset_peak() override { device_.reset_peak(); }
  Result<void> enable_peer(Device& peer) override { return device_.enable_peer(peer); }

 protected:
  Device& device_;
  DeviceProperties properties_;
};

class WithPriorities : public OtherDevice {
 public:
  explicit WithPriorities(Device& device) : OtherDevice(device) {
    properties_.lowest_priority = 0;
    properties_.highest_priority = -2;
  }
  Result<std::unique_ptr<Stream>> make_stream(int priority) override {
    priorities.push_back(priority);
    return device_.make_stream(0);
  }

  std::vector<int> priorities;  // of the streams made
};

// One of the streams that share a queue.
class SharedStream : public Stream {
 public:
  explicit SharedStream(Stream& queue) : queue_(queue) {}
  void launch(OpId op, const void* args) override { queue_.launch(op, args); }
  void copy(void* to, const void* from, size_t bytes) override { queue_.copy(to, from, bytes); }
  void set(void* to, int value, size_t bytes) override { queue_.set(to, value, bytes); }
  void record(Event& event) override { queue_.record(event); }
  void wait(Event& event) override { queue_.wait(event); }
  void launch(Graph& graph) override { queue_.launch(graph); }
  void begin_capture() override { queue_.begin_capture(); }
  Result<std::unique_ptr<Graph>> end_capture() override { return queue_.end_capture(); }
  Result<void> synchronize() override { return queue_.synchronize(); }
  int priority() const override { return queue_.priority(); }
  uint64_t native_id() const override { return queue_.native_id(); }

 private:
  Stream& queue_;
};

// Streams take the queues in turns.
class WithQueues : public OtherDevice {
 public:
  WithQueues(Device& device, size_t queues)
      : OtherDevice(device), queues_(value_of(make_streams(device, static_cast<int32_t>(queues), 0))) {}
  Result<std::unique_ptr<Stream>> make_stream(int) override {
    return std::unique_ptr<Stream>(std::make_unique<SharedStream>(*queues_[made_++ % queues_.size()]));
  }

 private:
  std::vector<std::unique_ptr<Stream>> queues_;
  size_t made_ = 0;
};

TEST_F(Probes, NothingBehindAGateBeginsBeforeItOpens) {
  const auto streams = value_of(make_streams(device, 3, 0));
  SpinStamps stamps = value_of(SpinStamps::make(device, 3));
  const auto gate = value_of(Gate::make(device, 10'000'000'000));
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(stamps.clear(gate->stream()));
    gate->close(streams);
    for (size_t i = 0; i < 3; ++i) {
      streams[i]->launch(SpinArgs{stamps.of(i), 100, 1});
    }
    const int64_t opened_ns = monotonic_ns();  // the CPU's kernels use this clock
    gate->open();
    ASSERT_TRUE(device.synchronize());
    for (const KernelStamp& kernel : value_of(stamps.read(gate->stream(), {0, 1, 2}))) {
      EXPECT_GE(kernel.start_ns, opened_ns);
    }
    EXPECT_FALSE(gate->timed_out());
  }
}

TEST_F(Probes, AGateThatNobodyOpensSaysSo) {
  const auto streams = value_of(make_streams(device, 1, 0));
  const auto gate = value_of(Gate::make(device, 1'000'000));
  gate->close(streams);
  ASSERT_TRUE(device.synchronize());
  EXPECT_TRUE(gate->timed_out());
  gate->close(streams);
  gate->open();
  ASSERT_TRUE(device.synchronize());
  EXPECT_FALSE(gate->timed_out()) << "of the latest round";
}

TEST_F(Probes, AGateThatGoesOpens) {
  const auto streams = value_of(make_streams(device, 1, 0));
  constexpr int64_t kTimeout = 60'000'000'000;
  const int64_t start_ns = monotonic_ns();
  {
    const auto gate = value_of(Gate::make(device, kTimeout));
    gate->close(streams);
  }
  ASSERT_TRUE(streams[0]->synchronize());
  EXPECT_LT(monotonic_ns() - start_ns, kTimeout);
}

TEST_F(Probes, StampsThatNobodyWroteAreMissing) {
  const auto streams = value_of(make_streams(device, 1, 0));
  SpinStamps stamps = value_of(SpinStamps::make(device, 2));
  ASSERT_TRUE(stamps.clear(*streams[0]));
  streams[0]->launch(SpinArgs{stamps.of(1), 100, 1});
  const std::vector<KernelStamp> kernels = value_of(stamps.read(*streams[0], {7, 8}));
  EXPECT_EQ(stamp_problem(kernels), "kernel 1 of 2 left no time stamp");
  EXPECT_EQ(kernels[1].stream, 8);
  EXPECT_GE(kernels[1].end_ns - kernels[1].start_ns, 100);
}

// Eight blocks of a clock that counts from long ago: their sums do not fit 64 bits.
TEST_F(Probes, MeansOfBlocksSurviveSumsThatWrap) {
  const auto stream = value_of(device.make_stream(0));
  SpinStamps stamps = value_of(SpinStamps::make(device, 1));
  constexpr uint64_t kBegin = uint64_t{1} << 62;
  SpinStamp written = kUnwrittenStamp;
  for (uint64_t block = 0; block < 8; ++block) {  // starts 0 to 70 later, ends 1000 to 1140 later
    written.start_ns = std::min(written.start_ns, kBegin + 10 * block);
    written.end_ns = std::max(written.end_ns, kBegin + 1'000 + 20 * block);
    written.start_sum_ns += kBegin + 10 * block;
    written.end_sum_ns += kBegin + 1'000 + 20 * block;
    ++written.blocks;
  }
  std::memcpy(stamps.of(0), &written, sizeof(written));
  const KernelStamp kernel = value_of(stamps.read(*stream, {0})).front();
  EXPECT_EQ(kernel.end_ns - kernel.start_ns, 1'140);
  EXPECT_EQ(kernel.start_lag_ns, 35);
  EXPECT_EQ(kernel.end_lead_ns, 70);
}

TEST_F(Probes, TheClockHasAStep) {
  const std::vector<KernelStamp> readings = value_of(probe_clock(device));
  EXPECT_EQ(stamp_problem(readings), "");
  const auto step = clock_step_ns(readings);
  ASSERT_TRUE(step);
  EXPECT_GE(*step, 1);
}

// A palindrome of sides, all kernels with stamps, round robin where it is said.
TEST_F(Probes, TheSwitchExperimentIsWhatItSays) {
  const SwitchRun run = value_of(probe_switches(device, {3, 7, kSpin, 2, 60'000'000'000}));
  EXPECT_EQ(run.streams, 3);
  EXPECT_TRUE(run.clock_step_ns);
  constexpr std::array kRound{SwitchSide::kOneStream, SwitchSide::kIndependent, SwitchSide::kHandOff,
                              SwitchSide::kHandOff,   SwitchSide::kIndependent, SwitchSide::kOneStream};
  ASSERT_EQ(run.repeats.size(), 2 * kRound.size());
  for (size_t i = 0; i < run.repeats.size(); ++i) {
    const SwitchRepeat& repeat = run.repeats[i];
    EXPECT_EQ(repeat.side, kRound[i % kRound.size()]);
    ASSERT_EQ(repeat.kernels.size(), 7U);
    EXPECT_EQ(chain_problem(repeat.kernels, repeat.side != SwitchSide::kIndependent), "");
    EXPECT_FALSE(repeat.gate_timed_out);
    double busy_ns = 0;
    for (size_t k = 0; k < repeat.kernels.size(); ++k) {
      EXPECT_EQ(repeat.kernels[k].stream, repeat.side == SwitchSide::kOneStream ? 0 : static_cast<int32_t>(k % 3));
      EXPECT_GE(repeat.kernels[k].end_ns - repeat.kernels[k].start_ns, kSpin);
      busy_ns += static_cast<double>(repeat.kernels[k].end_ns - repeat.kernels[k].start_ns);
    }
    EXPECT_GE(repeat.wall_ns, busy_ns) << "one after the other, all within the wall time";
  }
  const std::vector<SwitchRun> processes{run};
  const SwitchCost hand_off = switch_cost(processes, SwitchSide::kHandOff);
  EXPECT_TRUE(hand_off.cost.value) << quality_text(hand_off.cost.quality);
  EXPECT_FALSE(hand_off.cost.interval) << "of one process";
  EXPECT_EQ(hand_off.pairs, 4);
  EXPECT_EQ(Json(Json(run).get<SwitchRun>()), Json(run));
}

// Kernels of one block do run beside each other: as a switch experiment that must be refused, not measured.
TEST_F(Probes, KernelsThatDoNotFillTheDeviceAreNoSwitchExperiment) {
  if (device.properties().compute_units < 2) {
    AACO_SKIP("needs two processors");
  }
  const auto streams = value_of(make_streams(device, 2, 0));
  SpinStamps stamps = value_of(SpinStamps::make(device, 2));
  const auto gate = value_of(Gate::make(device, 60'000'000'000));
  constexpr int64_t kLong = 50'000'000;
  std::string problem;
  // A busy machine may let one thread wait until the other is done, but not every time.
  for (int attempt = 0; attempt < 20 && problem.empty(); ++attempt) {
    ASSERT_TRUE(stamps.clear(gate->stream()));
    gate->close(streams);
    streams[0]->launch(SpinArgs{stamps.of(0), kLong, 1});
    streams[1]->launch(SpinArgs{stamps.of(1), kLong, 1});
    gate->open();
    ASSERT_TRUE(device.synchronize());
    problem = chain_problem(value_of(stamps.read(gate->stream(), {0, 1})), false);
  }
  EXPECT_TRUE(problem.starts_with("kernels overlapped")) << problem;
}

TEST_F(Probes, LaunchesOfEveryThreadAreCounted) {
  const std::vector<LaunchSample> samples = value_of(probe_launches(device, {{1, 3}, 20, 4}));
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[1].threads, 3);
  EXPECT_TRUE(samples[2].synchronised);
  for (const LaunchSample& sample : samples) {
    EXPECT_EQ(sample.call_ns.size(), static_cast<size_t>(20 * 4 * sample.threads));
    ASSERT_EQ(sample.per_kernel_ns.size(), 4U);
    EXPECT_GT(*median(sample.per_kernel_ns), 0);
  }
  // Of one thread the calls are the batch: their sum over all is that of the batches.
  double calls_ns = 0;
  double batches_ns = 0;
  for (const double call : samples[0].call_ns) {
    calls_ns += call;
  }
  for (const double each : samples[0].per_kernel_ns) {
    batches_ns += each * 20;
  }
  EXPECT_NEAR(calls_ns, batches_ns, 1e-3);
}

TEST_F(Probes, EveryOrderedPairIsProbedAndAStreamWaitsForItself) {
  const std::vector<BlockingProbe> probes = value_of(probe_queue_map(device, {3, 2, {2'000'000, 1'000}}));
  EXPECT_EQ(probes.size(), 18U);
  std::multiset<std::pair<int32_t, int32_t>> pairs;
  for (const BlockingProbe& probe : probes) {
    pairs.emplace(probe.first, probe.second);
    if (probe.first == probe.second) {
      EXPECT_NE(probe.vote, ProbeVote::kRan);
    }
  }
  EXPECT_EQ(pairs.count({2, 1}), 2U);
  EXPECT_TRUE(queue_map(3, probes).valid);
}

// A long kernel that is over before the host has enqueued anything decides nothing.
TEST_F(Probes, AVoteThatCameTooLateIsUnknown) {
  for (const BlockingProbe& probe : value_of(probe_queue_map(device, {2, 1, {0, 0}}))) {
    EXPECT_EQ(probe.vote, ProbeVote::kUnknown);
  }
}

TEST_F(Probes, TheLimitIsHowManyQueuesTheStreamsShare) {
  for (const size_t queues : {1U, 3U}) {
    WithQueues few(device, queues);
    const std::vector<LimitProbe> votes = value_of(probe_queue_limit(few, {5, 3, {20'000'000, 1'000}}));
    EXPECT_EQ(votes.size(), 3 * queues) << "it ends with the first that waits";
    EXPECT_EQ(queue_limit(votes).queues, queues);
  }
}

TEST_F(Probes, PriorityIsTriedInPairsBehindTheMarker) {
  WithPriorities prioritised(device);
  const PriorityRun run = value_of(probe_priority(prioritised, {2, 3, kSpin, 1, 60'000'000'000}));
  EXPECT_EQ(run.highest, -2);
  EXPECT_EQ(std::count(prioritised.priorities.begin(), prioritised.priorities.end(), -2), 1);
  ASSERT_EQ(run.repeats.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    const PriorityRepeat& repeat = run.repeats[i];
    EXPECT_EQ(repeat.high, i == 1 || i == 2);
    EXPECT_EQ(repeat.kernel.stream, repeat.high ? 3 : 2);
    EXPECT_EQ(repeat.background.size(), 6U);
    EXPECT_GE(repeat.kernel.start_ns, repeat.marker.end_ns) << "it waits for the marker";
    EXPECT_FALSE(repeat.gate_timed_out);
  }
  if (device.properties().lowest_priority == device.properties().highest_priority) {
    EXPECT_TRUE(value_of(probe_priority(device, {})).repeats.empty());
  }
}

TEST_F(Probes, ConvoysComeWithAndWithoutLongKernels) {
  const ConvoyRun run = value_of(probe_convoy(device, {2, 5, 200'000, 1, 1'000, 1, 60'000'000'000}));
  ASSERT_EQ(run.repeats.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    const std::vector<KernelStamp>& kernels = run.repeats[i].kernels;
    EXPECT_EQ(kernels.size(), i == 1 || i == 2 ? 7U : 5U);
    EXPECT_EQ(stamp_problem(kernels), "");
    EXPECT_EQ(std::count_if(kernels.begin(), kernels.end(), [](const KernelStamp& k) { return k.stream == 1; }), 5);
  }
}

TEST_F(Probes, NothingToProbeIsAUsageError) {
  EXPECT_EQ(probe_switches(device, {1, 10, kSpin, 1, 0}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(probe_switches(device, {2, 1, kSpin, 1, 0}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(probe_launches(device, {{0}, 1, 1}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(probe_queue_map(device, {0, 1, {0, 0}}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(probe_queue_limit(device, {0, 1, {0, 0}}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(probe_priority(device, {0, 1, 0, 1, 0}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(probe_convoy(device, {1, 1, 0, 0, 0, 1, 0}).error().kind, ErrorKind::kUsage);
}

TEST(RecordProbeTest, EachKernelHasItsRecordAndItsStamp) {
  RecordProbe probe;
  probe.kernels = 5;
  probe.shortest_ns = kSpin;
  const RecordRun run = value_of(probe_records("cpu", probe));
  EXPECT_EQ(run.unavailable, "");
  EXPECT_EQ(run.dropped, 0U);
  ASSERT_EQ(run.kernels.size(), 5U);
  for (size_t i = 0; i < run.kernels.size(); ++i) {
    const RecordedKernel& kernel = run.kernels[i];
    EXPECT_GE(kernel.stamp_end_ns - kernel.stamp_start_ns, kSpin + static_cast<int64_t>(i) * probe.step_ns);
    EXPECT_LE(kernel.record_start_ns, kernel.stamp_start_ns);  // on the CPU both are of one clock
    EXPECT_GE(kernel.record_end_ns, kernel.stamp_end_ns);
  }
  EXPECT_EQ(agreement_text(record_check(std::span(&run, 1)).agreement), "agree");
}

}  // namespace
}  // namespace aaco
