// SPDX-License-Identifier: MIT
// The vendors' modules on a device, where there is one.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

#include "base/test_skip.h"
#include "device/backend.h"
#include "record/device/activity_table.h"
#include "record/device/device_rows.h"

namespace aaco {
namespace {

using testing::HasSubstr;

class ModuleGpu : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("AACO_MODULES", AACO_BUILT_MODULES, 0);
    auto backend = backend_of(GetParam());
    ASSERT_TRUE(backend);
    backend_ = *backend;
    const auto count = backend_->device_count();
    if (!count) {
      AACO_SKIP(std::string("no ") + GetParam() + " device: " + count.error().message);
    }
    auto device = backend_->open(0);
    ASSERT_TRUE(device) << device.error().message;
    device_ = *device;
  }

  std::unique_ptr<Stream> stream() { return device_->make_stream(0).value(); }
  std::unique_ptr<Buffer> buffer(size_t bytes, MemoryKind kind) { return device_->allocate(bytes, kind).value(); }
  std::unique_ptr<Buffer> pinned(size_t bytes) { return buffer(bytes, MemoryKind::kPinnedHost); }

  // On the device, with a copy of `data` in it.
  template <class T>
  std::unique_ptr<Buffer> upload(Stream& stream, const std::vector<T>& data) {
    auto memory = buffer(data.size() * sizeof(T), MemoryKind::kDevice);
    auto staging = pinned(data.size() * sizeof(T));
    std::copy(data.begin(), data.end(), static_cast<T*>(staging->data()));
    stream.copy(memory->data(), staging->data(), staging->bytes());
    EXPECT_TRUE(stream.synchronize());
    return memory;
  }
  template <class T>
  std::vector<T> download(Stream& stream, const Buffer& memory) {
    auto staging = pinned(memory.bytes());
    stream.copy(staging->data(), memory.data(), memory.bytes());
    const auto done = stream.synchronize();
    EXPECT_TRUE(done) << done.error().message;
    const T* first = static_cast<const T*>(staging->data());
    const size_t count = memory.bytes() / sizeof(T);
    return {first, first + count};
  }

  Backend* backend_ = nullptr;
  Device* device_ = nullptr;
};

TEST_P(ModuleGpu, SaysWhatItIs) {
  const DeviceProperties& properties = device_->properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_FALSE(properties.architecture.empty());
  EXPECT_GT(properties.compute_units, 0);
  EXPECT_THAT(properties.wave_lanes, testing::AnyOf(32, 64));
  EXPECT_GT(properties.memory_bytes, int64_t{1} << 28);
  EXPECT_LE(properties.highest_priority, properties.lowest_priority);
  RecordProperty("device", properties.name + ", " + properties.driver + ", " + properties.gemm_library);
}

TEST_P(ModuleGpu, CopiesAndSets) {
  auto s = stream();
  std::vector<int32_t> data(1000);
  std::iota(data.begin(), data.end(), 0);
  auto memory = upload(*s, data);
  s->set(static_cast<int32_t*>(memory->data()) + 10, 0xff, 20 * sizeof(int32_t));
  std::fill_n(data.begin() + 10, 20, -1);
  EXPECT_EQ(download<int32_t>(*s, *memory), data);
}

TEST_P(ModuleGpu, SpinTakesItsTimeByItsOwnStampAndByEvents) {
  auto s = stream();
  auto from = device_->make_event(true).value();
  auto to = device_->make_event(true).value();
  auto stamp = upload<SpinStamp>(*s, {kUnwrittenStamp});
  s->record(*from);
  s->launch(SpinArgs{static_cast<SpinStamp*>(stamp->data()), 2'000'000, 0});
  s->record(*to);
  const SpinStamp got = download<SpinStamp>(*s, *stamp).front();
  EXPECT_GE(got.end_ns - got.start_ns, 2'000'000U);
  EXPECT_LT(got.end_ns - got.start_ns, 4'000'000U);
  EXPECT_EQ(got.blocks, static_cast<uint64_t>(device_->properties().compute_units));
  EXPECT_GE(got.end_sum_ns - got.start_sum_ns, got.blocks * 2'000'000U);
  EXPECT_LE(got.end_sum_ns - got.start_sum_ns, got.blocks * (got.end_ns - got.start_ns));
  const auto elapsed = device_->elapsed_ns(*from, *to);
  ASSERT_TRUE(elapsed);
  EXPECT_GE(*elapsed, 1'990'000);  // the two clocks may differ by a little
  EXPECT_LT(*elapsed, 10'000'000);
}

// No two of them fit on a compute unit at once.
TEST_P(ModuleGpu, KernelsThatFillTheDeviceRunOneAfterTheOther) {
  auto first = stream();
  auto second = stream();
  auto stamps = upload<SpinStamp>(*first, {kUnwrittenStamp, kUnwrittenStamp});
  auto* const at = static_cast<SpinStamp*>(stamps->data());
  first->launch(SpinArgs{at, 5'000'000, 0});
  second->launch(SpinArgs{at + 1, 5'000'000, 0});
  EXPECT_TRUE(second->synchronize());
  const auto got = download<SpinStamp>(*first, *stamps);
  const uint64_t start = std::min(got[0].start_ns, got[1].start_ns);
  const uint64_t end = std::max(got[0].end_ns, got[1].end_ns);
  EXPECT_GE(end - start, 9'900'000U);
}

TEST_P(ModuleGpu, GateWaitsForTheHost) {
  auto s = stream();
  auto flag = pinned(2 * sizeof(uint32_t));
  auto* const word = static_cast<volatile uint32_t*>(flag->data());
  word[0] = 0;
  word[1] = 0;
  auto* const plain = static_cast<uint32_t*>(flag->data());
  auto done = device_->make_event(false).value();
  s->launch(GateArgs{plain, plain + 1, 3, 5'000'000'000});
  s->record(*done);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  word[0] = 2;  // not yet
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  word[0] = 3;
  EXPECT_TRUE(done->synchronize());
  EXPECT_EQ(word[1], 0U);
  word[0] = 0;
  s->launch(GateArgs{plain, plain + 1, 3, 1'000'000});
  EXPECT_TRUE(s->synchronize());
  EXPECT_EQ(word[1], 1U);
}

TEST_P(ModuleGpu, EventsOrderStreams) {
  auto writer = stream();
  auto reader = stream();
  auto event = device_->make_event(false).value();
  auto memory = upload<int32_t>(*writer, std::vector<int32_t>(256, 1));
  auto copied = upload<int32_t>(*writer, std::vector<int32_t>(256, 0));
  writer->launch(SpinArgs{nullptr, 3'000'000, 1});
  writer->set(memory->data(), 0, memory->bytes());
  writer->record(*event);
  reader->wait(*event);
  reader->copy(copied->data(), memory->data(), memory->bytes());
  EXPECT_EQ(download<int32_t>(*reader, *copied), std::vector<int32_t>(256, 0));
}

TEST_P(ModuleGpu, GraphsHoldWhatTwoStreamsWereGiven) {
  auto first = stream();
  auto second = stream();
  auto fork = device_->make_event(false).value();
  auto join = device_->make_event(false).value();
  auto stamps = upload<SpinStamp>(*first, std::vector<SpinStamp>(2, kUnwrittenStamp));
  auto* const at = static_cast<SpinStamp*>(stamps->data());
  first->begin_capture();
  first->record(*fork);
  second->wait(*fork);
  first->launch(SpinArgs{at, 1000, 1});
  second->launch(SpinArgs{at + 1, 1000, 1});
  second->launch(NullArgs{});
  second->record(*join);
  first->wait(*join);
  auto graph = first->end_capture();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ((*graph)->kernels(), 3);
  EXPECT_EQ(download<SpinStamp>(*first, *stamps)[0].end_ns, 0U);  // kept, not done
  first->launch(**graph);
  const auto got = download<SpinStamp>(*first, *stamps);
  EXPECT_GT(got[0].end_ns, 0U);
  EXPECT_GT(got[1].end_ns, 0U);
}

TEST_P(ModuleGpu, AFailedStreamSaysSoAndDoesNoMore) {
  auto s = stream();
  auto other = stream();
  auto memory = upload<int32_t>(*other, {5});
  s->launch(static_cast<OpId>(kOpCount), nullptr);
  s->set(memory->data(), 0, sizeof(int32_t));
  const auto failed = s->synchronize();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("no such operation"));
  EXPECT_FALSE(s->synchronize());
  EXPECT_EQ(download<int32_t>(*other, *memory), std::vector<int32_t>{5});
}

TEST_P(ModuleGpu, TooMuchMemoryIsAnError) {
  const auto none = device_->allocate(static_cast<size_t>(device_->properties().memory_bytes) * 4, MemoryKind::kDevice);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kResource);
  EXPECT_THAT(none.error().message, HasSubstr("were asked for"));
  auto s = stream();  // and the device still works
  EXPECT_EQ(download<int32_t>(*s, *upload<int32_t>(*s, {1, 2})), (std::vector<int32_t>{1, 2}));
}

// Collects from before the first call of the vendor's runtime: in a process of its own, as ctest runs it.
class ModuleCollector : public ModuleGpu {
 protected:
  void SetUp() override {
    setenv("AACO_MODULES", AACO_BUILT_MODULES, 0);
    auto backend = backend_of(GetParam());
    ASSERT_TRUE(backend);
    auto collector = (*backend)->collect(sink_);
    ModuleGpu::SetUp();
    if (!IsSkipped() && !collector) {
      AACO_SKIP("no collector: " + collector.error().message + " (" + collector.error().hint + ")");
    }
    if (collector) {
      collector_ = std::move(*collector);
    }
  }

  ActivityTable sink_;
  std::unique_ptr<ActivityCollector> collector_;
};

TEST_P(ModuleCollector, SeesEveryKernelOnItsStream) {
  const auto now_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
  };
  const int64_t before = now_ns();
  auto s = stream();
  for (int i = 0; i < 5; ++i) {
    s->launch(SpinArgs{nullptr, 100'000, 1});
  }
  EXPECT_TRUE(s->synchronize());
  const int64_t after = now_ns();
  ASSERT_TRUE(collector_->flush());
  int kernels = 0;
  int calls = 0;
  const EventTable events = sink_.take();
  for (size_t i = 0; i < events.size(); ++i) {
    calls += is_launch_call(events, i) ? 1 : 0;
    if (events.kind[i] != EventKind::kKernel) {
      continue;
    }
    ++kernels;
    EXPECT_EQ(stream_of(events, i).stream, s->native_id());
    EXPECT_GE(events.duration_ns[i], 99'000);
    EXPECT_GE(events.start_ns[i], before);
    EXPECT_LE(events.end_ns(i), after);
    EXPECT_THAT(std::string(events.strings[events.name[i]]), HasSubstr("spin_kernel"));
    int launches = 0;
    for (size_t call = 0; call < events.size(); ++call) {
      launches += is_launch_call(events, call) && events.correlation[call] == events.correlation[i] ? 1 : 0;
    }
    EXPECT_EQ(launches, 1);
  }
  EXPECT_EQ(kernels, 5);
  EXPECT_GE(calls, 5);
  EXPECT_EQ(sink_.dropped_count(), 0U);
}

const auto kName = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Vendors, ModuleGpu, testing::Values("cuda", "hip"), kName);
INSTANTIATE_TEST_SUITE_P(Vendors, ModuleCollector, testing::Values("cuda", "hip"), kName);

}  // namespace
}  // namespace aaco
