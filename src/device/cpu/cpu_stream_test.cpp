// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_stream.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "base/clock.h"
#include "device/cpu/test_cpu.h"

namespace aaco {

namespace {

class CpuStreamTest : public test_cpu::CpuTest {};
using test_cpu::expect_ok;

TEST_F(CpuStreamTest, WorkOfAStreamIsDoneInOrder) {
  constexpr int kCommands = 5000;  // many blocks of the queue
  std::vector<int> seen;
  const auto first = stream();
  for (int i = 0; i < kCommands; ++i) {
    launch(*first, [&seen, i] { seen.push_back(i); });
  }
  expect_ok(first->synchronize());
  std::vector<int> expected(kCommands);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
}

TEST_F(CpuStreamTest, ArgumentsAreTakenWhenLaunched) {
  const auto first = stream();
  uint32_t flag = 0;
  launch_gate(*first, flag);
  SpinStamp stamp = kUnwrittenStamp;
  SpinArgs args{&stamp, 1'000'000, 1};
  first->launch(args);
  args.stamp = nullptr;
  open(flag);
  expect_ok(first->synchronize());
  EXPECT_GE(stamp.end_ns, stamp.start_ns + 1'000'000);
}

TEST_F(CpuStreamTest, CopiesAndSetsAreInOrderWithOperations) {
  const auto first = stream();
  const auto a = test_cpu::value_of(device.allocate(1000, MemoryKind::kDevice));
  const auto b = test_cpu::value_of(device.allocate(1000, MemoryKind::kPinnedHost));
  first->set(a->data(), 0x5a, 1000);
  first->set(b->data(), 0, 1000);
  first->copy(b->data(), a->data(), 999);
  int sum = 0;
  launch(*first, [&] {
    const auto* bytes = static_cast<const uint8_t*>(b->data());
    sum = std::accumulate(bytes, bytes + 1000, 0);
  });
  first->set(b->data(), 1, 1000);
  expect_ok(first->synchronize());
  EXPECT_EQ(sum, 999 * 0x5a);
}

TEST_F(CpuStreamTest, AnEventOrdersTwoStreams) {
  const auto first = stream();
  const auto second = stream();
  const auto done = event();
  for (int round = 0; round < 200; ++round) {
    int value = 0;  // not atomic: the event alone keeps both threads apart
    int seen = -1;
    launch(*first, [&] { value = 1; });
    first->record(*done);
    second->wait(*done);
    launch(*second, [&] { seen = value; });
    expect_ok(second->synchronize());
    EXPECT_EQ(seen, 1);
    expect_ok(first->synchronize());
  }
}

TEST_F(CpuStreamTest, AnEventNeverRecordedHoldsNobody) {
  const auto first = stream();
  const auto never = event();
  first->wait(*never);
  bool ran = false;
  launch(*first, [&] { ran = true; });
  expect_ok(first->synchronize());
  EXPECT_TRUE(ran);
  expect_ok(never->synchronize());
}

// A wait means the latest record enqueued before it, not a later one: were it the later, which is behind the gate, this
// would wait for the gate, which opens after.
TEST_F(CpuStreamTest, AWaitMeansTheLatestRecordBeforeIt) {
  const auto first = stream();
  const auto second = stream();
  const auto mark = event();
  uint32_t flag = 0;
  first->record(*mark);
  second->wait(*mark);
  launch_gate(*first, flag);
  first->record(*mark);
  bool ran = false;
  launch(*second, [&] { ran = true; });
  expect_ok(second->synchronize());
  EXPECT_TRUE(ran);

  // And the next wait is for the second record.
  std::atomic<bool> passed = false;
  second->wait(*mark);
  launch(*second, [&] { passed = true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(passed);
  open(flag);
  expect_ok(second->synchronize());
  EXPECT_TRUE(passed);
}

// A record in another stream replaces the first: a fast one of the second stream must not end a wait for the first's.
TEST_F(CpuStreamTest, ARecordOfAnotherStreamDoesNotEndAnEarlierWait) {
  const auto slow = stream();
  const auto fast = stream();
  const auto waiting = stream();
  const auto mark = event();
  uint32_t flag = 0;
  launch_gate(*slow, flag);
  slow->record(*mark);
  waiting->wait(*mark);
  fast->record(*mark);
  std::atomic<bool> passed = false;
  launch(*waiting, [&] { passed = true; });
  expect_ok(mark->synchronize());  // the latest: fast's
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(passed);
  open(flag);
  expect_ok(waiting->synchronize());
  EXPECT_TRUE(passed);
}

TEST_F(CpuStreamTest, EventsTellTheTimeBetweenThem) {
  const auto first = stream();
  const auto start = event(true);
  const auto end = event(true);
  EXPECT_FALSE(device.elapsed_ns(*start, *end));
  const int64_t before_ns = monotonic_ns();
  first->record(*start);
  first->launch(SpinArgs{nullptr, 3'000'000, 1});
  first->record(*end);
  expect_ok(end->synchronize());
  const auto elapsed_ns = device.elapsed_ns(*start, *end);
  ASSERT_TRUE(elapsed_ns);
  EXPECT_GE(*elapsed_ns, 3'000'000);
  EXPECT_LE(*elapsed_ns, static_cast<double>(monotonic_ns() - before_ns));
  EXPECT_EQ(device.elapsed_ns(*start, *event()).error().kind, ErrorKind::kUsage);  // no timing
}

TEST_F(CpuStreamTest, AHundredAndTwentyEightStreams) {
  constexpr size_t kStreams = 128;
  const auto many = streams(kStreams);
  const auto all_begin = event();
  std::array<int, kStreams> counts{};
  uint32_t flag = 0;
  launch_gate(*many[0], flag);
  many[0]->record(*all_begin);
  std::vector<std::unique_ptr<Event>> ends;
  for (size_t i = 0; i < kStreams; ++i) {
    many[i]->wait(*all_begin);
    for (int k = 0; k < 100; ++k) {
      launch(*many[i], [&counts, i] { ++counts[i]; });
    }
    ends.push_back(event());
    many[i]->record(*ends.back());
  }
  int total = -1;
  for (const auto& end : ends) {
    many[0]->wait(*end);
  }
  launch(*many[0], [&] { total = std::accumulate(counts.begin(), counts.end(), 0); });
  EXPECT_EQ(total, -1);
  open(flag);
  expect_ok(device.synchronize());
  EXPECT_EQ(total, 100 * static_cast<int>(kStreams));
}

// A ring through many streams: each hands on to the next, over and over.
TEST_F(CpuStreamTest, AChainThroughManyStreams) {
  constexpr size_t kStreams = 16;
  const auto ring = streams(kStreams);
  std::vector<std::unique_ptr<Event>> events;
  for (size_t i = 0; i < kStreams; ++i) {
    events.push_back(event());
  }
  std::vector<size_t> seen;
  for (size_t turn = 0; turn < 50 * kStreams; ++turn) {
    const size_t at = turn % kStreams;
    if (turn > 0) {
      ring[at]->wait(*events[(turn - 1) % kStreams]);
    }
    launch(*ring[at], [&seen, turn] { seen.push_back(turn); });
    ring[at]->record(*events[at]);
  }
  expect_ok(device.synchronize());
  ASSERT_EQ(seen.size(), 50 * kStreams);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_F(CpuStreamTest, TheFirstFailureStaysAndWhatFollowsIsNotDone) {
  const auto first = stream();
  const auto other = stream();
  const auto before = event();
  const auto after = event();
  bool ran = false;
  first->record(*before);
  launch(*first, [] { throw std::runtime_error("first"); });
  launch(*first, [] { throw std::runtime_error("second"); });
  launch(*first, [&] { ran = true; });
  first->record(*after);
  const auto outcome = first->synchronize();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, testing::HasSubstr("first"));
  EXPECT_FALSE(ran);
  EXPECT_FALSE(first->synchronize());
  EXPECT_FALSE(device.synchronize());
  // Who waits for what was done before the failure goes on; who waits for what was not done fails with it.
  other->wait(*before);
  expect_ok(other->synchronize());
  other->wait(*after);
  launch(*other, [&] { ran = true; });
  EXPECT_THAT(other->synchronize().error().message, testing::HasSubstr("first"));
  EXPECT_FALSE(ran);
  EXPECT_FALSE(after->synchronize());
  expect_ok(before->synchronize());
}

TEST_F(CpuStreamTest, AStreamThatGoesFinishesItsWork) {
  std::atomic<int> count = 0;
  {
    const auto first = stream();
    for (int i = 0; i < 1000; ++i) {
      launch(*first, [&] { ++count; });
    }
  }
  EXPECT_EQ(count, 1000);
}

TEST_F(CpuStreamTest, AnEventMayGoBeforeItsWorkIsDone) {
  const auto first = stream();
  const auto second = stream();
  uint32_t flag = 0;
  launch_gate(*first, flag);
  {
    const auto mark = event(true);
    first->record(*mark);
    second->wait(*mark);
  }
  open(flag);
  expect_ok(device.synchronize());
}

TEST_F(CpuStreamTest, StreamsAreFedByThreadsOfTheirOwn) {
  constexpr size_t kThreads = 8;
  const auto own = streams(kThreads);
  const auto start = event();
  std::array<int, kThreads> counts{};
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int k = 0; k < 500; ++k) {
          own[i]->record(*start);  // all of them the same event, on purpose
          own[i]->wait(*start);
          own[i]->set(&counts[i], k % 128, 1);
        }
      });
    }
  }
  expect_ok(device.synchronize());
  EXPECT_EQ(counts, (std::array<int, kThreads>{115, 115, 115, 115, 115, 115, 115, 115}));  // 499 % 128
}

TEST_F(CpuStreamTest, PrioritiesAreRefused) {
  EXPECT_EQ(device.make_stream(-1).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(device.properties().lowest_priority, device.properties().highest_priority);
}

}  // namespace

}  // namespace aaco
