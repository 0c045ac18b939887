// SPDX-License-Identifier: MIT
#include "analysis/timeline/idle_causes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/timeline/names/work_names.h"
#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/time_budget.h"

namespace aaco {
namespace {

constexpr size_t kUnbounded = SIZE_MAX;

struct CausesWithSpans : IdleCauses {
  std::array<SpanSet, kIdleCauses> spans;
};

CausesWithSpans causes_of(const EventTable& events, size_t most_parts = kUnbounded) {
  const LaunchIndex launches(events);
  const HostTimeline host(events, kHostKinds);
  const DeviceWork work = device_work(events, launches).at(0);
  CausesWithSpans causes;
  static_cast<IdleCauses&>(causes) = idle_causes(
      {events, host, most_parts}, work, StreamDependencies(events, work, launches, stream_order(events, work).all()),
      time_budget(events, work.slices).idle,
      [&](IdleCause cause, const Span& span) { append(causes.spans[static_cast<size_t>(cause)], span); });
  return causes;
}

const SpanSet& spans_of(const CausesWithSpans& causes, IdleCause cause) {
  return causes.spans[static_cast<size_t>(cause)];
}

// What held the host, from the first end of work to the return of the launching call.
TEST(IdleCauses, TheInnermostOnTheLaunchingThreadUntilTheCallReturns) {
  TestTrace trace;
  const uint32_t other = trace.thread();
  const uint32_t host = trace.thread();
  const uint32_t stream = trace.stream(kNoId, 0, 7);
  trace.add(other, EventKind::kHostCall, "cudaFree", 0, 1'000);  // another thread's business
  trace.add(stream, EventKind::kKernel, "first", 0, 10);
  trace.add(host, EventKind::kHostCall, "cudaDeviceSynchronize", 5, 15);
  trace.add(host, EventKind::kHostRange, "f.py(1): f", 30, 70);
  trace.add(host, EventKind::kHostOp, "aten::add", 50, 50);
  trace.add(host, EventKind::kHostCall, "cudaLaunchKernel", 70, 10, 1);
  trace.add(stream, EventKind::kKernel, "second", 90, 10, 1);
  const CausesWithSpans causes = causes_of(trace.table);
  EXPECT_EQ(spans_of(causes, IdleCause::kHostWaits), (SpanSet{{10, 20}}));
  EXPECT_EQ(spans_of(causes, IdleCause::kLaunchStarved), (SpanSet{{20, 30}}));
  EXPECT_EQ(spans_of(causes, IdleCause::kHostRange), (SpanSet{{30, 50}}));
  EXPECT_EQ(spans_of(causes, IdleCause::kHostOperator), (SpanSet{{50, 70}}));
  EXPECT_EQ(spans_of(causes, IdleCause::kHostCall), (SpanSet{{70, 80}}));
  EXPECT_EQ(spans_of(causes, IdleCause::kUnexplained), (SpanSet{{80, 90}}));  // launched into an empty queue
  ASSERT_EQ(causes.holders.size(), 6);
  EXPECT_EQ(causes.holders[0].total_ns, 20);
  EXPECT_EQ(causes.holders[5].total_ns, 10);
  ASSERT_EQ(causes.held_shortly.size(), 1);
  EXPECT_EQ(causes.held_shortly[0].length_ns, 70);
  EXPECT_EQ(causes.held_shortly[0].waits_ns, 10);
  EXPECT_EQ(causes.held_shortly[0].first, 2);
  EXPECT_EQ(causes.held_shortly[0].call, 5);
  EXPECT_TRUE(causes.held_long.empty());
}

TEST(IdleCauses, StarvedSpansAreKeptWithTheLaunchingThread) {
  TestTrace trace;
  const uint32_t host = trace.thread();
  const uint32_t stream = trace.stream(kNoId, 0, 7);
  trace.add(stream, EventKind::kKernel, "a", 0, 10);
  trace.add(host, EventKind::kHostCall, "launch", 20'010, 10, 1);
  trace.add(stream, EventKind::kKernel, "b", 20'020, 10, 1);
  trace.add(host, EventKind::kHostCall, "launch", 30'000, 10, 2);  // 9,970 ns later: too short to ask about
  trace.add(stream, EventKind::kKernel, "c", 30'010, 10, 2);
  const CausesWithSpans causes = causes_of(trace.table);
  ASSERT_EQ(causes.starved.size(), 1);
  EXPECT_EQ(causes.starved[0].span, (Span{10, 20'010}));
  EXPECT_EQ(causes.starved[0].track, host);
  EXPECT_EQ(causes.starved_left_out, 0);
}

// Two streams; the copy's or communication's end begins the idle span that ends with what waited for it.
class Waiting : public testing::Test {
 public:
  // "first" ends at 10 on stream 7 and "second" begins at 20 on `stream`, launched at `launched_ns`.
  CausesWithSpans run(EventKind kind, const char* first, int64_t stream, int64_t launched_ns, bool waits = false) {
    const uint32_t host = trace_.thread();
    const uint32_t stream_7 = trace_.stream(kNoId, 0, 7);
    const uint32_t two = stream == 7 ? stream_7 : trace_.stream(kNoId, 0, stream);
    trace_.add(host, EventKind::kHostCall, "launch", -10, 1, 1);
    trace_.add(host, EventKind::kHostCall, "cudaEventRecord", -8, 1, 2);
    trace_.add(host, EventKind::kHostCall, "cudaStreamWaitEvent", -6, 1, 3);
    trace_.add(host, EventKind::kHostCall, "launch", launched_ns - 1, 1, 4);
    trace_.add(stream_7, kind, first, 0, 10, 1);
    if (waits) {
      trace_.add(two, EventKind::kDeviceSync, "Stream Wait Event", -6, 1, 3,
                 {trace_.integer("wait_on_stream", 7), trace_.integer("wait_on_cuda_event_record_corr_id", 2)});
    }
    trace_.add(two, EventKind::kKernel, "second", 20, 10, 4);
    return causes_of(trace_.table);
  }

 private:
  TestTrace trace_;
};

const SpanSet kWhole{{10, 20}};

TEST_F(Waiting, TurnaroundOfOneStream) {
  EXPECT_EQ(spans_of(run(EventKind::kKernel, "k", 7, -4), IdleCause::kTurnaround), kWhole);
}
TEST_F(Waiting, CommunicationBeforeItOnItsStream) {
  EXPECT_EQ(spans_of(run(EventKind::kKernel, "ncclK", 7, -4), IdleCause::kAfterCommunication), kWhole);
}
TEST_F(Waiting, ARecordedWaitForAnotherStream) {
  EXPECT_EQ(spans_of(run(EventKind::kKernel, "k", 8, -4, true), IdleCause::kAfterOtherStream), kWhole);
}
TEST_F(Waiting, ARecordedWaitForACopy) {
  const CausesWithSpans causes = run(EventKind::kCopy, "Memcpy", 8, -4, true);
  EXPECT_EQ(spans_of(causes, IdleCause::kAfterCopy), kWhole);
  ASSERT_EQ(causes.holders.size(), 1);
}
TEST_F(Waiting, NoRecordedWaitProvesNothing) {
  EXPECT_EQ(spans_of(run(EventKind::kCopy, "Memcpy", 8, -4), IdleCause::kUnexplained), kWhole);
}
TEST_F(Waiting, LaunchedLaterItDidNotWait) {
  EXPECT_EQ(spans_of(run(EventKind::kKernel, "ncclK", 7, 11), IdleCause::kUnexplained), (SpanSet{{11, 20}}));
}

TEST(IdleCauses, WithoutALaunchingCallNothingIsKnown) {
  TestTrace trace;
  const uint32_t stream = trace.stream(kNoId, 0, 7);
  trace.add(stream, EventKind::kKernel, "a", 0, 10);
  trace.add(stream, EventKind::kKernel, "b", 15, 10, 9);
  const CausesWithSpans causes = causes_of(trace.table);
  EXPECT_EQ(spans_of(causes, IdleCause::kNoLaunch), (SpanSet{{10, 15}}));
  ASSERT_EQ(causes.holders.size(), 1);
  EXPECT_EQ(trace.table.strings[causes.holders[0].name], "b");
}

TEST(IdleCauses, BeyondTheBoundTheHostIsUnexplained) {
  TestTrace trace;
  const uint32_t host = trace.thread();
  const uint32_t stream = trace.stream(kNoId, 0, 7);
  trace.add(stream, EventKind::kKernel, "a", 0, 10);
  trace.add(host, EventKind::kHostOp, "x", 0, 30);
  trace.add(host, EventKind::kHostOp, "y", 30, 10);
  trace.add(host, EventKind::kHostCall, "launch", 40, 10, 1);
  trace.add(stream, EventKind::kKernel, "b", 50, 10, 1);
  const CausesWithSpans causes = causes_of(trace.table, 2);
  EXPECT_EQ(spans_of(causes, IdleCause::kHostOperator), (SpanSet{{10, 40}}));
  EXPECT_EQ(spans_of(causes, IdleCause::kUnexplained), (SpanSet{{40, 50}}));
}

// The definition, one nanosecond at a time, on events looked through from first to last.
class ByDefinition {
 public:
  explicit ByDefinition(const EventTable& events) : events_(events) {}

  std::optional<IdleCause> at(int64_t time_ns) const {
    const auto runs = [&](size_t i) { return events_.start_ns[i] <= time_ns && time_ns < events_.end_ns(i); };
    int64_t began_ns = INT64_MIN;  // the idle span: from the last end, or the window's start, to the next start or the
    int64_t ends_ns = INT64_MAX;   // window's end, which a slice of no length may be
    Span window{INT64_MAX, INT64_MIN};
    for (const size_t i : work()) {
      const bool lasts = events_.duration_ns[i] > 0;
      window = {std::min(window.start_ns, events_.start_ns[i]), std::max(window.end_ns, events_.end_ns(i))};
      if (runs(i)) {
        return std::nullopt;
      }
      began_ns = lasts && events_.end_ns(i) <= time_ns ? std::max(began_ns, events_.end_ns(i)) : began_ns;
      ends_ns = lasts && events_.start_ns[i] > time_ns ? std::min(ends_ns, events_.start_ns[i]) : ends_ns;
    }
    if (time_ns < window.start_ns || time_ns >= window.end_ns) {
      return std::nullopt;
    }
    began_ns = std::max(began_ns, window.start_ns);
    ends_ns = std::min(ends_ns, window.end_ns);
    std::optional<size_t> next;
    for (const size_t i : work()) {
      if (events_.start_ns[i] == ends_ns && (!next || comes_first(i, *next))) {
        next = i;
      }
    }
    const auto call = call_of(*next);
    if (!call) {
      return IdleCause::kNoLaunch;
    }
    if (time_ns < events_.end_ns(*call)) {
      return on_host(events_.track[*call], time_ns);
    }
    return on_device(*next, events_.end_ns(*call), began_ns);
  }

 private:
  std::vector<size_t> work() const {
    std::vector<size_t> all;
    for (size_t i = 0; i < events_.size(); ++i) {
      if (events_.kind[i] == EventKind::kKernel || events_.kind[i] == EventKind::kCopy) {
        all.push_back(i);
      }
    }
    return all;
  }

  std::optional<size_t> call_of(size_t event) const {
    for (size_t i = 0; i < events_.size(); ++i) {
      if (events_.kind[i] == EventKind::kHostCall && events_.correlation[i] == events_.correlation[event]) {
        return i;
      }
    }
    return std::nullopt;
  }

  bool comes_first(size_t a, size_t b) const {
    const auto key = [&](size_t i) {
      const auto call = call_of(i);
      return std::tuple(events_.start_ns[i], !call, call ? events_.end_ns(*call) : 0, i);
    };
    return key(a) < key(b);
  }

  IdleCause on_host(uint32_t track, int64_t time_ns) const {
    std::optional<size_t> innermost;
    for (size_t i = 0; i < events_.size(); ++i) {
      if (events_.track[i] == track && events_.start_ns[i] <= time_ns && time_ns < events_.end_ns(i) &&
          (!innermost || std::tuple(events_.start_ns[i], -events_.duration_ns[i], i) >
                             std::tuple(events_.start_ns[*innermost], -events_.duration_ns[*innermost], *innermost))) {
        innermost = i;
      }
    }
    if (!innermost) {
      return IdleCause::kLaunchStarved;
    }
    if (events_.kind[*innermost] == EventKind::kHostOp) {
      return IdleCause::kHostOperator;
    }
    if (events_.kind[*innermost] == EventKind::kHostRange) {
      return IdleCause::kHostRange;
    }
    return events_.strings[events_.name[*innermost]] == "hipStreamSynchronize" ? IdleCause::kHostWaits
                                                                               : IdleCause::kHostCall;
  }

  // The random traces have no recorded waits: what comes before on the stream is all that is known.
  IdleCause on_device(size_t next, int64_t submitted_ns, int64_t began_ns) const {
    const auto key = [&](size_t i) { return std::tuple(events_.start_ns[i], events_.end_ns(i), i); };
    std::optional<size_t> before;
    for (const size_t i : work()) {
      if (events_.track[i] == events_.track[next] && key(i) < key(next) && (!before || key(*before) < key(i))) {
        before = i;
      }
    }
    if (submitted_ns > began_ns || !before || events_.end_ns(*before) != began_ns) {
      return IdleCause::kUnexplained;
    }
    if (is_communication(events_.strings[events_.name[*before]])) {
      return IdleCause::kAfterCommunication;  // copies of a collective too
    }
    return events_.kind[*before] == EventKind::kCopy ? IdleCause::kAfterCopy : IdleCause::kTurnaround;
  }

  const EventTable& events_;
};

void add_random_events(TestTrace& trace, std::mt19937& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const uint32_t threads[] = {trace.thread(), trace.thread()};
  const uint32_t streams[] = {trace.stream(kNoId, 0, 1), trace.stream(kNoId, 0, 2)};
  const int64_t slices = 1 + below(8);
  for (int64_t i = 0; i < slices; ++i) {
    const int64_t start_ns = below(60);
    const char* name = below(3) == 0 ? "nccl" : "k";
    trace.add(streams[below(2)], below(4) == 0 ? EventKind::kCopy : EventKind::kKernel, name, start_ns, below(10),
              i + 1);
    if (below(5) != 0) {
      const int64_t call_ns = start_ns - below(25);
      trace.add(threads[below(2)], EventKind::kHostCall, "launch", call_ns, below(8), i + 1);
    }
  }
  constexpr EventKind kKinds[] = {EventKind::kHostCall, EventKind::kHostOp, EventKind::kHostRange};
  for (int64_t i = below(10); i > 0; --i) {
    const char* name = below(2) == 0 ? "hipStreamSynchronize" : "other";
    trace.add(threads[below(2)], kKinds[below(3)], name, below(60), below(20));
  }
}

TEST(IdleCauses, EachNanosecondAsDefinedAndAllOfIdle) {
  std::mt19937 random(5);
  std::array<int64_t, kIdleCauses> seen = {};
  for (int round = 0; round < 5'000; ++round) {
    TestTrace trace;
    add_random_events(trace, random);
    const ByDefinition definition(trace.table);
    const CausesWithSpans causes = causes_of(trace.table);
    const DeviceWork work = device_work(trace.table, LaunchIndex(trace.table)).at(0);
    const SpanSet idle = time_budget(trace.table, work.slices).idle;
    int64_t total_ns = 0;
    for (size_t cause = 0; cause < kIdleCauses; ++cause) {
      ASSERT_EQ(causes.shares[cause].total_ns, length_ns(causes.spans[cause])) << "round " << round;
      ASSERT_EQ(causes.shares[cause].spans, causes.spans[cause].size()) << "round " << round;
      seen[cause] += length_ns(causes.spans[cause]);
      total_ns += length_ns(causes.spans[cause]);
      for (const Span& span : causes.spans[cause]) {
        for (int64_t t = span.start_ns; t < span.end_ns; ++t) {
          ASSERT_EQ(definition.at(t), static_cast<IdleCause>(cause)) << "round " << round << " at " << t;
        }
      }
    }
    ASSERT_EQ(total_ns, length_ns(idle)) << "round " << round;  // with the above: disjoint, and nothing else
    int64_t held_ns = 0;
    for (const IdleHolder& holder : causes.holders) {
      held_ns += holder.total_ns;
    }
    ASSERT_EQ(held_ns, total_ns);
  }
  for (size_t cause = 0; cause < kIdleCauses; ++cause) {
    EXPECT_TRUE(seen[cause] > 0 || static_cast<IdleCause>(cause) == IdleCause::kAfterOtherStream) << cause;
  }
}

}  // namespace
}  // namespace aaco
