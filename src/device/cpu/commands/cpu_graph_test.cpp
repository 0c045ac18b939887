// SPDX-License-Identifier: MIT
// Capture on CPU streams, and the replay of what was captured.
#include "device/cpu/commands/cpu_graph.h"

#include <algorithm>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "device/cpu/test_cpu.h"

namespace aaco {

namespace {

using test_cpu::expect_ok;
using test_cpu::value_of;
using testing::HasSubstr;

class CpuGraphTest : public test_cpu::CpuTest {
 protected:
  // A function that joins names in order under one lock: what ran, and after what.
  std::function<void()> say(std::string word) {
    return [this, word = std::move(word)] {
      const std::lock_guard lock(mutex);
      said.push_back(word);
    };
  }
  size_t place(const std::string& word) const {
    return static_cast<size_t>(std::find(said.begin(), said.end(), word) - said.begin());
  }

  std::mutex mutex;
  std::vector<std::string> said;
};

// value -> 3 value on one stream, value + 5 on another, their product on the first.
struct Diamond {
  int value = 0;
  int left = 0;
  int right = 0;
  int product = 0;
};

class DiamondTest : public CpuGraphTest {
 protected:
  void enqueue(Stream& first, Stream& second, Event& forked, Event& joined, Diamond& diamond) {
    launch(first, [&] { ++diamond.value; });
    first.record(forked);
    second.wait(forked);
    launch(first, [&] { diamond.left = 3 * diamond.value; });
    launch(second, [&] { diamond.right = diamond.value + 5; });
    second.record(joined);
    first.wait(joined);
    launch(first, [&] { diamond.product += diamond.left * diamond.right; });
  }
};

TEST_F(DiamondTest, AReplayIsWhatTheStreamsWouldHaveDone) {
  const auto first = stream();
  const auto second = stream();
  const auto forked = event();
  const auto joined = event();
  Diamond direct;
  for (int i = 0; i < 10; ++i) {
    enqueue(*first, *second, *forked, *joined, direct);
  }
  expect_ok(device.synchronize());

  Diamond replayed;
  first->begin_capture();
  enqueue(*first, *second, *forked, *joined, replayed);
  const auto graph = value_of(first->end_capture());
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->kernels(), 4);
  expect_ok(device.synchronize());
  EXPECT_EQ(replayed.value, 0);  // kept, not done
  for (int i = 0; i < 10; ++i) {
    first->launch(*graph);
  }
  expect_ok(first->synchronize());
  // The sum over i = 1..10 of 3 i (i + 5) = 3 * (385 + 5 * 55) = 1980.
  EXPECT_EQ(direct.product, 1980);
  EXPECT_EQ(replayed.product, 1980);
  EXPECT_EQ(replayed.value, 10);
}

TEST_F(DiamondTest, TheSecondStreamWorksAgainAfterTheCapture) {
  const auto first = stream();
  const auto second = stream();
  const auto forked = event();
  const auto joined = event();
  Diamond diamond;
  first->begin_capture();
  enqueue(*first, *second, *forked, *joined, diamond);
  const auto graph = value_of(first->end_capture());
  launch(*second, say("done"));
  expect_ok(second->synchronize());
  EXPECT_EQ(said, std::vector<std::string>{"done"});
}

// Three branches that wait for each other inside their work: they end only if they run at the same time.
TEST_F(CpuGraphTest, BranchesRunSideBySide) {
  const auto all = streams(3);
  const auto forked = event();
  std::latch meeting(3);
  all[0]->begin_capture();
  all[0]->record(*forked);
  std::vector<std::unique_ptr<Event>> ends;
  for (const auto& each : all) {
    each->wait(*forked);
    launch(*each, [&] { meeting.arrive_and_wait(); });
    ends.push_back(event());
    each->record(*ends.back());
    all[0]->wait(*ends.back());
  }
  const auto graph = value_of(all[0]->end_capture());
  ASSERT_NE(graph, nullptr);
  all[0]->launch(*graph);
  expect_ok(all[0]->synchronize());
}

TEST_F(CpuGraphTest, AForkOfAForkIsCapturedToo) {
  const auto all = streams(3);
  const auto to_second = event();
  const auto to_third = event();
  const auto back = event();
  all[0]->begin_capture();
  launch(*all[0], say("a"));
  all[0]->record(*to_second);
  all[1]->wait(*to_second);
  launch(*all[1], say("b"));
  all[1]->record(*to_third);
  all[2]->wait(*to_third);
  launch(*all[2], say("c"));
  all[2]->record(*back);
  all[1]->wait(*back);
  launch(*all[1], say("d"));
  all[1]->record(*back);
  all[0]->wait(*back);
  launch(*all[0], say("e"));
  const auto graph = value_of(all[0]->end_capture());
  ASSERT_NE(graph, nullptr);
  all[0]->launch(*graph);
  expect_ok(all[0]->synchronize());
  EXPECT_EQ(said, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
}

TEST_F(CpuGraphTest, AForkThatIsNotJoinedIsAnError) {
  const auto first = stream();
  const auto second = stream();
  const auto forked = event();
  first->begin_capture();
  launch(*first, say("a"));
  first->record(*forked);
  second->wait(*forked);
  launch(*second, say("b"));
  second->set(nullptr, 0, 0);
  const auto graph = first->end_capture();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(graph.error().message, HasSubstr("2 of its 3 operations were not joined"));
  EXPECT_THAT(graph.error().message, HasSubstr("function"));
  // Nothing of it stays behind: both streams work, and the next capture does.
  launch(*second, say("c"));
  expect_ok(device.synchronize());
  EXPECT_EQ(said, std::vector<std::string>{"c"});
  first->begin_capture();
  expect_ok(first->end_capture() ? Result<void>{} : Result<void>{Error{}});
}

TEST_F(CpuGraphTest, AJoinBeforeTheLastOperationIsNoJoin) {
  const auto first = stream();
  const auto second = stream();
  const auto mark = event();
  first->begin_capture();
  first->record(*mark);
  second->wait(*mark);
  launch(*second, say("a"));
  second->record(*mark);
  first->wait(*mark);
  launch(*second, say("b"));
  EXPECT_THAT(first->end_capture().error().message, HasSubstr("1 of its 2"));
}

TEST_F(CpuGraphTest, AWaitForWhatIsNotCapturedIsAnError) {
  const auto first = stream();
  const auto second = stream();
  const auto outside = event();
  const auto never = event();
  second->record(*outside);
  first->begin_capture();
  first->wait(*never);  // holds nobody, here neither
  first->wait(*outside);
  const auto graph = first->end_capture();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("outside the capture"));
  expect_ok(device.synchronize());
}

TEST_F(CpuGraphTest, AnEventOfAGraphIsNothingToWaitForOutside) {
  const auto first = stream();
  const auto second = stream();
  const auto inside = event();
  first->begin_capture();
  first->record(*inside);
  const auto graph = value_of(first->end_capture());
  EXPECT_EQ(inside->synchronize().error().kind, ErrorKind::kUsage);
  second->wait(*inside);
  EXPECT_EQ(second->synchronize().error().kind, ErrorKind::kUsage);
  first->record(*inside);  // an ordinary one again
  expect_ok(inside->synchronize());
}

TEST_F(CpuGraphTest, SynchronizeInACaptureAndTwoCapturesAreErrors) {
  const auto first = stream();
  const auto second = stream();
  first->begin_capture();
  EXPECT_EQ(first->synchronize().error().kind, ErrorKind::kUsage);
  EXPECT_EQ(first->end_capture().error().kind, ErrorKind::kUsage);
  EXPECT_EQ(first->end_capture().error().kind, ErrorKind::kUsage);  // there is none any more
  first->begin_capture();
  second->begin_capture();
  EXPECT_THAT(second->end_capture().error().message, HasSubstr("while another"));
  EXPECT_TRUE(first->end_capture());
}

TEST_F(CpuGraphTest, AGraphIsOneCommandOfItsStream) {
  const auto first = stream();
  const auto second = stream();
  const auto other = stream();
  const auto mark = event();
  first->begin_capture();
  first->record(*mark);
  second->wait(*mark);
  launch(*second, [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
  launch(*second, say("graph"));
  second->record(*mark);
  first->wait(*mark);
  const auto graph = value_of(first->end_capture());
  ASSERT_NE(graph, nullptr);
  const auto done = event();
  launch(*other, say("before"));
  other->launch(*graph);
  launch(*other, say("after"));
  other->record(*done);
  first->wait(*done);
  launch(*first, say("elsewhere"));
  expect_ok(device.synchronize());
  EXPECT_EQ(said, (std::vector<std::string>{"before", "graph", "after", "elsewhere"}));
}

// The graph adds to a plain int: two runs at once would lose counts, and the thread sanitizer would see them.
TEST_F(CpuGraphTest, LaunchesFromManyStreamsRunOneAfterTheOther) {
  constexpr size_t kStreams = 6;
  const auto all = streams(kStreams);
  int count = 0;
  all[0]->begin_capture();
  launch(*all[0], [&] { ++count; });
  const auto graph = value_of(all[0]->end_capture());
  ASSERT_NE(graph, nullptr);
  {
    std::vector<std::jthread> threads;
    for (const auto& each : all) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          each->launch(*graph);
        }
      });
    }
  }
  expect_ok(device.synchronize());
  EXPECT_EQ(count, 200 * static_cast<int>(kStreams));
}

TEST_F(CpuGraphTest, AGraphInACaptureBecomesPartOfIt) {
  const auto all = streams(3);
  const auto mark = event();
  all[0]->begin_capture();
  launch(*all[0], say("inner 1"));
  all[0]->record(*mark);
  all[1]->wait(*mark);
  launch(*all[1], say("inner 2"));
  all[1]->record(*mark);
  all[0]->wait(*mark);
  auto inner = value_of(all[0]->end_capture());
  ASSERT_NE(inner, nullptr);
  all[2]->begin_capture();
  launch(*all[2], say("begin"));
  all[2]->launch(*inner);
  launch(*all[2], say("middle"));
  all[2]->launch(*inner);
  launch(*all[2], say("end"));
  const auto outer = value_of(all[2]->end_capture());
  ASSERT_NE(outer, nullptr);
  inner.reset();  // its work is in the other
  EXPECT_EQ(outer->kernels(), 7);
  all[2]->launch(*outer);
  expect_ok(all[2]->synchronize());
  EXPECT_EQ(said, (std::vector<std::string>{"begin", "inner 1", "inner 2", "middle", "inner 1", "inner 2", "end"}));
}

TEST_F(CpuGraphTest, AFailureInAGraphIsTheLaunchingStreams) {
  const auto first = stream();
  const auto second = stream();
  const auto mark = event();
  first->begin_capture();
  first->record(*mark);
  second->wait(*mark);
  launch(*second, [] { throw std::runtime_error("in a branch"); });
  launch(*second, say("not this"));
  second->record(*mark);
  first->wait(*mark);
  launch(*first, say("nor this"));
  const auto graph = value_of(first->end_capture());
  ASSERT_NE(graph, nullptr);
  first->launch(*graph);
  launch(*first, say("nor what follows"));
  EXPECT_THAT(first->synchronize().error().message, HasSubstr("in a branch"));
  EXPECT_TRUE(said.empty());
  expect_ok(second->synchronize());
}

TEST_F(CpuGraphTest, AGraphMayGoWhileItRuns) {
  const auto first = stream();
  uint32_t flag = 0;
  first->begin_capture();
  launch_gate(*first, flag);
  launch(*first, say("done"));
  auto graph = value_of(first->end_capture());
  first->launch(*graph);
  graph.reset();
  open(flag);
  expect_ok(first->synchronize());
  EXPECT_EQ(said, std::vector<std::string>{"done"});
}

TEST_F(CpuGraphTest, AStreamMayGoWhileItIsCaptured) {
  const auto second = stream();
  {
    const auto first = stream();
    const auto mark = event();
    first->begin_capture();
    first->record(*mark);
    second->wait(*mark);
    launch(*second, say("captured"));
  }
  launch(*second, say("done"));
  expect_ok(second->synchronize());
  EXPECT_EQ(said, std::vector<std::string>{"done"});
  second->begin_capture();
  EXPECT_TRUE(second->end_capture());
}

// 128 streams forked and joined, replayed: more lanes than processors, and each a thread.
TEST_F(CpuGraphTest, AGraphOfAHundredAndTwentyEightStreams) {
  constexpr size_t kStreams = 128;
  const auto all = streams(kStreams);
  const auto forked = event();
  std::vector<int> counts(kStreams);
  std::vector<std::unique_ptr<Event>> ends;
  int total = 0;
  all[0]->begin_capture();
  all[0]->record(*forked);
  for (size_t i = 0; i < kStreams; ++i) {
    all[i]->wait(*forked);
    for (int k = 0; k < 3; ++k) {
      launch(*all[i], [&counts, i] { ++counts[i]; });
    }
    ends.push_back(event());
    all[i]->record(*ends.back());
  }
  for (const auto& end : ends) {
    all[0]->wait(*end);
  }
  launch(*all[0], [&] { total = std::accumulate(counts.begin(), counts.end(), 0); });
  const auto graph = value_of(all[0]->end_capture());
  ASSERT_NE(graph, nullptr);
  for (int run = 0; run < 5; ++run) {
    all[0]->launch(*graph);
  }
  expect_ok(all[0]->synchronize());
  EXPECT_EQ(total, 5 * 3 * static_cast<int>(kStreams));
}

}  // namespace

}  // namespace aaco
