// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/critical_path.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/timeline/critical_path/path_segments.h"
#include "analysis/timeline/path_of_trace/path_of_trace.h"
#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

using Part = std::tuple<int64_t, std::string, std::string>;  // start, kind, name

std::vector<Part> parts_of(const EventTable& events, const CriticalPath& path) {
  std::vector<Part> parts;
  for (size_t i = 0; i < path.parts.size(); ++i) {
    const PathPart part = path.parts[i];
    parts.emplace_back(part.start_ns, word_of(part.kind), events.strings[part.name]);
  }
  return parts;
}

class CriticalPaths : public testing::Test {
 protected:
  // A call, and what it launched.
  void launch(uint32_t host, int64_t start_ns, int64_t end_ns, uint32_t stream, const char* name, int64_t work_start_ns,
              int64_t done_ns, EventKind kind = EventKind::kKernel) {
    ++correlation_;
    trace_.add(host, EventKind::kHostCall, "launch", start_ns, end_ns - start_ns, correlation_);
    again(stream, name, work_start_ns, done_ns, kind);
  }
  // More of the last call's.
  void again(uint32_t stream, const char* name, int64_t work_start_ns, int64_t done_ns,
             EventKind kind = EventKind::kKernel) {
    trace_.add(stream, kind, name, work_start_ns, done_ns - work_start_ns, correlation_);
  }
  void call(uint32_t host, const char* name, int64_t start_ns, int64_t end_ns, int64_t correlation = kNoId) {
    trace_.add(host, EventKind::kHostCall, name, start_ns, end_ns - start_ns, correlation);
  }
  void op(uint32_t host, const char* name, int64_t start_ns, int64_t end_ns, EventKind kind = EventKind::kHostOp) {
    trace_.add(host, kind, name, start_ns, end_ns - start_ns);
  }
  CriticalPath path() {
    std::vector<CriticalPath> paths = critical_paths_of(trace_.table);
    EXPECT_EQ(paths.size(), 1U);
    return std::move(paths.at(0));
  }
  std::vector<Part> parts() { return parts_of(trace_.table, path()); }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
  uint32_t stream_ = trace_.stream(0, 0, 7);
  uint32_t other_ = trace_.stream(0, 0, 8);
  int64_t correlation_ = 0;
};

TEST_F(CriticalPaths, HostLaunchKernelAndSynchronisation) {
  op(host_, "op", 0, 100);
  launch(host_, 40, 50, stream_, "k", 60, 160);
  call(host_, "cudaDeviceSynchronize", 110, 170);
  EXPECT_EQ(parts(), (std::vector<Part>{{0, "host_operator", "op"},
                                        {40, "host_call", "launch"},
                                        {50, "launch_delay", "k"},
                                        {60, "computation", "k"},
                                        {160, "sync", "cudaDeviceSynchronize"}}));
  EXPECT_EQ(path().length_ns, 170);
}

// Segments cover the window like the parts do, each on its track: the call's, then the stream's.
TEST_F(CriticalPaths, SegmentsLieOnTheirTracks) {
  op(host_, "op", 0, 100);
  launch(host_, 40, 50, stream_, "k", 60, 160);
  call(host_, "cudaDeviceSynchronize", 110, 170);
  using Segment = std::tuple<int64_t, int64_t, std::string, uint32_t, bool>;  // start, end, kind, track, is an event
  std::vector<Segment> segments;
  critical_paths_of(trace_.table, [&](const PathSegment& segment) {
    segments.emplace_back(segment.start_ns, segment.end_ns, word_of(segment.kind), segment.track,
                          segment.event != kNoEvent);
  });
  EXPECT_EQ(segments, (std::vector<Segment>{{0, 40, "host_operator", host_, true},
                                            {40, 50, "host_call", host_, true},
                                            {50, 60, "launch_delay", stream_, false},
                                            {60, 160, "computation", stream_, true},
                                            {160, 170, "sync", host_, true}}));
}

TEST_F(CriticalPaths, ADeviceThatIsFasterThanTheHostIsNotOnIt) {
  op(host_, "op", 0, 1'000);
  launch(host_, 10, 20, stream_, "k", 25, 30);
  EXPECT_EQ(parts(),
            (std::vector<Part>{{0, "host_operator", "op"}, {10, "host_call", "launch"}, {20, "host_operator", "op"}}));
}

TEST_F(CriticalPaths, AThreadThatSleepsIsNotOnIt) {
  call(trace_.thread(1), "poll", 0, 1'000);
  launch(host_, 40, 50, stream_, "k", 60, 160);
  call(host_, "cudaDeviceSynchronize", 110, 170);
  call(host_, "write", 170, 180);
  const std::vector<Part> expected = {{40, "host_call", "launch"},
                                      {50, "launch_delay", "k"},
                                      {60, "computation", "k"},
                                      {160, "sync", "cudaDeviceSynchronize"},
                                      {170, "host_call", "write"}};
  EXPECT_EQ(parts(), expected);
  EXPECT_EQ(path().length_ns, 140);
}

TEST_F(CriticalPaths, QueuedWorkFollowsItsStream) {
  launch(host_, 0, 10, stream_, "a", 15, 100);
  launch(host_, 10, 20, stream_, "b", 103, 200, EventKind::kCopy);
  EXPECT_EQ(parts(), (std::vector<Part>{{0, "host_call", "launch"},
                                        {10, "launch_delay", "a"},
                                        {15, "computation", "a"},
                                        {100, "turnaround", "b"},
                                        {103, "copy", "b"}}));
}

TEST_F(CriticalPaths, ALateLaunchIsTheReasonAndNotTheStream) {
  launch(host_, 0, 10, stream_, "a", 12, 20);
  op(host_, "op", 10, 90);
  launch(host_, 90, 100, stream_, "b", 105, 110);
  EXPECT_EQ(parts(), (std::vector<Part>{{0, "host_call", "launch"},
                                        {10, "host_operator", "op"},
                                        {90, "host_call", "launch"},
                                        {100, "launch_delay", "b"},
                                        {105, "computation", "b"}}));
}

TEST_F(CriticalPaths, AllOfAReplayedGraph) {
  launch(host_, 0, 10, stream_, "a", 15, 100);
  again(stream_, "b", 102, 300);
  again(stream_, "c", 301, 350);
  call(host_, "hipStreamSynchronize", 20, 351);
  EXPECT_EQ(parts(), (std::vector<Part>{{0, "host_call", "launch"},
                                        {10, "launch_delay", "a"},
                                        {15, "computation", "a"},
                                        {100, "turnaround", "b"},
                                        {102, "computation", "b"},
                                        {300, "turnaround", "c"},
                                        {301, "computation", "c"},
                                        {350, "sync", "hipStreamSynchronize"}}));
}

TEST_F(CriticalPaths, WorkThatBeginsBeforeItsCallReturnsHangsOnTheCallsStart) {
  launch(host_, 0, 300, stream_, "copy", 20, 290, EventKind::kCopy);
  call(host_, "cudaStreamSynchronize", 301, 301);
  call(host_, "cudaStreamSynchronize", 285, 296);  // overlaps for the test's sake
  EXPECT_EQ(path().shares[static_cast<size_t>(PathKind::kLaunchDelay)] +
                path().shares[static_cast<size_t>(PathKind::kHostCall)],
            path().window.end_ns - path().shares[static_cast<size_t>(PathKind::kCopy)] -
                path().shares[static_cast<size_t>(PathKind::kSync)] -
                path().shares[static_cast<size_t>(PathKind::kUnexplained)]);
}

TEST_F(CriticalPaths, ARecordedWaitJoinsStreams) {
  launch(host_, 0, 5, stream_, "long", 10, 500);
  call(host_, "cudaEventRecord", 5, 6, 50);
  call(host_, "cudaStreamWaitEvent", 6, 7, 51);
  trace_.add(other_, EventKind::kDeviceSync, "Stream Wait Event", 7, 0, 51,
             {trace_.integer("wait_on_stream", 7), trace_.integer("wait_on_cuda_event_record_corr_id", 50)});
  launch(host_, 7, 10, other_, "after", 505, 600);
  EXPECT_EQ(parts(), (std::vector<Part>{{0, "host_call", "launch"},
                                        {5, "launch_delay", "long"},
                                        {10, "computation", "long"},
                                        {500, "sync", "after"},
                                        {505, "computation", "after"}}));
  EXPECT_EQ(path().inferred_waits, 0U);
}

TEST_F(CriticalPaths, AWaitKnownByItsCallAloneIsInferred) {
  launch(host_, 0, 5, stream_, "long", 10, 500);
  call(host_, "hipStreamWaitEvent", 6, 7);
  launch(host_, 7, 10, other_, "after", 505, 600);
  EXPECT_EQ(parts()[3], Part(500, "sync", "after"));
  EXPECT_EQ(path().inferred_waits, 1U);
}

TEST_F(CriticalPaths, WithoutAnyWaitStreamsAreIndependent) {
  launch(host_, 0, 5, stream_, "long", 10, 500);
  launch(host_, 7, 10, other_, "after", 505, 600);
  EXPECT_EQ(parts(), (std::vector<Part>{{0, "host_call", "launch"},
                                        {5, "unexplained", ""},
                                        {7, "host_call", "launch"},
                                        {10, "launch_delay", "after"},
                                        {505, "computation", "after"}}));
  EXPECT_EQ(path().length_ns, 598);
}

TEST_F(CriticalPaths, AStreamsSynchronisationWaitsForThatStream) {
  launch(host_, 0, 5, stream_, "mine", 10, 400);
  launch(host_, 5, 8, other_, "other", 10, 450);
  call(host_, "cudaStreamSynchronize", 20, 460, 90);
  trace_.add(stream_, EventKind::kDeviceSync, "Stream Sync", 20, 380, 90);
  op(host_, "op", 460, 900);
  const std::vector<Part> all = parts();
  EXPECT_EQ(all[2], Part(10, "computation", "mine"));
  EXPECT_EQ(all[3], Part(400, "sync", "cudaStreamSynchronize"));
}

TEST_F(CriticalPaths, OfSeveralDevicesThatWhichEndsLastIsWaitedFor) {
  launch(host_, 0, 10, stream_, "first", 20, 160);
  launch(host_, 10, 20, trace_.stream(0, 1, 7), "last", 30, 200);
  launch(host_, 20, 30, trace_.stream(0, 2, 7), "last, too", 40, 200);  // at the same time: the first device's
  launch(host_, 30, 40, trace_.stream(0, 3, 7), "later", 50, 230);
  call(host_, "cudaDeviceSynchronize", 40, 210);
  op(host_, "op", 210, 300);
  const std::vector<Part> seen_parts = parts();
  EXPECT_EQ(std::count_if(seen_parts.begin(), seen_parts.end(),
                          [](const Part& part) { return std::get<1>(part) == "computation"; }),
            1);
  EXPECT_EQ(std::count(seen_parts.begin(), seen_parts.end(), Part{30, "computation", "last"}), 1);
}

TEST_F(CriticalPaths, WhatIsNotLaunchedYetIsNotWaitedFor) {
  const uint32_t thread = trace_.thread(0);
  launch(host_, 0, 5, stream_, "mine", 10, 400);
  launch(thread, 30, 35, stream_, "theirs", 400, 405);
  call(host_, "hipDeviceSynchronize", 20, 410);
  op(host_, "op", 410, 500);
  EXPECT_EQ(parts()[3], Part(400, "sync", "hipDeviceSynchronize"));
}

TEST_F(CriticalPaths, TheBackwardThreadStandsInForTheOneThatWaits) {
  const uint32_t backward = trace_.thread(0);
  op(host_, "forward", 0, 100);
  op(host_, "run_backward", 100, 400, EventKind::kHostRange);
  op(backward, "backward", 110, 390);
  op(host_, "optimizer", 400, 450);
  launch(host_, 440, 445, stream_, "k", 450, 460);
  for (const EventShape shape : {EventShape::kFlowStart, EventShape::kFlowEnd}) {
    const bool end = shape == EventShape::kFlowEnd;
    trace_.table.add({end ? 110 : 50, 0, 1, kNoId, trace_.table.strings.intern("fwdbwd"), kEmptyString,
                      end ? backward : host_, EventKind::kOther, shape},
                     {});
  }
  EXPECT_EQ(parts(), (std::vector<Part>{{0, "host_operator", "forward"},
                                        {100, "host_range", "run_backward"},
                                        {110, "host_operator", "backward"},
                                        {390, "host_range", "run_backward"},
                                        {400, "host_operator", "optimizer"},
                                        {440, "host_call", "launch"},
                                        {445, "launch_delay", "k"},
                                        {450, "computation", "k"}}));
  EXPECT_EQ(path().length_ns, 440);
}

class CriticalRanks : public CriticalPaths {
 protected:
  void collective(uint32_t stream, int64_t work_start_ns, int64_t done_ns) {
    trace_.add(stream, EventKind::kKernel, "ncclKernel", work_start_ns, done_ns - work_start_ns, ++correlation_,
               {trace_.text("Collective name", "allreduce"), trace_.text("Process Group Name", "0"),
                trace_.integer("Group size", 2)});
  }
  uint32_t host1_ = trace_.thread(1);
  uint32_t stream1_ = trace_.stream(1, 0, 7);
};

TEST_F(CriticalRanks, TheLastArriverKeepsTheOthersWaiting) {
  call(host_, "launch", 0, 5, 1);
  collective(stream_, 10, 600);
  launch(host_, 5, 8, stream_, "next", 602, 1'000);
  op(host1_, "slow", 0, 490);
  call(host1_, "launch", 490, 495, 3);
  collective(stream1_, 500, 600);
  const CriticalPath critical_path = path();
  EXPECT_EQ(parts_of(trace_.table, critical_path), (std::vector<Part>{{0, "host_operator", "slow"},
                                                                      {490, "host_call", "launch"},
                                                                      {495, "launch_delay", "ncclKernel"},
                                                                      {500, "communication", "ncclKernel"},
                                                                      {600, "turnaround", "next"},
                                                                      {602, "computation", "next"}}));
  EXPECT_EQ(critical_path.ranks.size(), 2U);
  EXPECT_EQ(critical_path.changes_of_rank, 1U);
  EXPECT_EQ(critical_path.length_ns, 1'000);
}

TEST_F(CriticalRanks, WithoutCollectivesEachRankHasItsOwn) {
  launch(host_, 0, 5, stream_, "a", 10, 20);
  launch(host1_, 0, 5, stream1_, "b", 10, 30);
  const std::vector<CriticalPath> paths = critical_paths_of(trace_.table);
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0].length_ns, 20);
  EXPECT_EQ(paths[1].length_ns, 30);
}

TEST_F(CriticalRanks, ARankThatWentAheadWaitsForNobody) {
  collective(stream_, 10, 40);
  collective(stream1_, 50, 90);
  EXPECT_EQ(critical_paths_of(trace_.table).size(), 2U) << "they did not meet";
}

TEST_F(CriticalPaths, StepsAreCutOutOfThePath) {
  op(host_, "ProfilerStep#1", 0, 50, EventKind::kHostRange);
  op(host_, "ProfilerStep#2", 50, 170, EventKind::kHostRange);
  op(host_, "op", 5, 100);
  launch(host_, 40, 50, stream_, "k", 60, 160);
  call(host_, "cudaDeviceSynchronize", 110, 170);
  const CriticalPath critical_path = path();
  ASSERT_EQ(critical_path.steps.size(), 2U);
  EXPECT_EQ(critical_path.steps[0].shares[static_cast<size_t>(PathKind::kHostOperator)], 35);
  EXPECT_EQ(critical_path.steps[0].shares[static_cast<size_t>(PathKind::kHostCall)], 10);
  EXPECT_EQ(critical_path.steps[1].shares[static_cast<size_t>(PathKind::kComputation)], 100);
  EXPECT_EQ(critical_path.steps[1].shares[static_cast<size_t>(PathKind::kSync)], 10);
}

EventTable random_trace(std::mt19937& random) {
  TestTrace trace;
  std::vector<uint32_t> hosts;
  std::vector<uint32_t> streams;
  for (int64_t rank = 0; rank < 2; ++rank) {
    hosts.push_back(trace.thread(rank));
    hosts.push_back(trace.thread(rank));
    streams.push_back(trace.stream(rank, 0, 1));
    streams.push_back(trace.stream(rank, 0, 2));
  }
  static constexpr const char* kCalls[] = {"launch", "hipStreamWaitEvent", "cudaStreamSynchronize",
                                           "hipDeviceSynchronize", "cudaMemcpy"};
  const int count = 1 + static_cast<int>(random() % 40);
  for (int i = 0; i < count; ++i) {
    const uint32_t host = hosts[random() % hosts.size()];
    const uint32_t stream = streams[random() % streams.size()];
    const int64_t start_ns = random() % 200;
    const int64_t length_ns = random() % 30;
    switch (random() % 4) {
      case 0:
        trace.add(host, EventKind::kHostOp, "op", start_ns, length_ns);
        break;
      case 1:
        trace.add(host, EventKind::kHostCall, kCalls[random() % 5], start_ns, length_ns, random() % 10);
        break;
      case 2:
        trace.add(stream, EventKind::kKernel, "k", start_ns, length_ns, random() % 10);
        break;
      default:
        trace.add(stream, EventKind::kKernel, "nccl", start_ns, length_ns, random() % 10,
                  {trace.text("Collective name", "allreduce"), trace.integer("Group size", 2)});
    }
  }
  return std::move(trace.table);
}

TEST(CriticalPathProperties, ThePathCoversItsWindowOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    const EventTable events = random_trace(random);
    for (const CriticalPath& path : critical_paths_of(events)) {
      const int64_t window_ns = path.window.end_ns - path.window.start_ns;
      ASSERT_EQ(std::accumulate(path.shares.begin(), path.shares.end(), int64_t{0}), window_ns) << "round " << round;
      int64_t items_ns = 0;
      for (const PathItem& item : path.items) {
        items_ns += item.total_ns;
      }
      ASSERT_EQ(items_ns, window_ns);
      ASSERT_LE(path.length_ns, window_ns);
      ASSERT_GE(window_ns - path.shares[static_cast<size_t>(PathKind::kUnexplained)], 0);
      for (size_t i = 1; i < path.parts.size(); ++i) {
        ASSERT_LT(path.parts[i - 1].start_ns, path.parts[i].start_ns);
      }
      for (size_t i = 0; i < events.size(); ++i) {  // no slice is longer than the longest path
        const Track& track = events.tracks[events.track[i]];
        if (is_on_device(events.kind[i]) && path.ranks.front().second == track.rank &&
            events.strings[events.name[i]] == "k") {
          ASSERT_GE(path.length_ns, events.duration_ns[i]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace aaco
