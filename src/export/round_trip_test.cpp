// SPDX-License-Identifier: MIT
// What is written and read again is the same trace.
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/text/utf8.h"
#include "export/test_export.h"

namespace aaco {
namespace {

using Random = std::mt19937_64;

struct Place {
  uint32_t track;
  bool device;
};

// Traces that a profiler could have written; names and values as odd as can be.
class RandomTrace {
 public:
  explicit RandomTrace(uint64_t seed) : random_(seed) {
    table.recordings.push_back({"random", "kineto"});
    for (int64_t i = 0; i < 3; ++i) {
      add_track(std::to_string(100 + i / 2), std::to_string(200 + i), i / 2, kNoId, kNoId, false);
      add_track("", "", i / 2, i, 7, true);
    }
    add_track("100", "stream of a host", 0, 4, 9, true);
    const size_t events = random_() % 60;
    for (size_t i = 0; i < events; ++i) {
      add_event();
    }
  }

  EventTable table;

 private:
  int64_t below(int64_t most) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(most)); }
  StringId text(std::string_view content) { return table.strings.intern(content); }

  void add_track(const std::string& process, const std::string& thread, int64_t rank, int64_t device, int64_t stream,
                 bool on_device) {
    places_.push_back({static_cast<uint32_t>(table.tracks.size()), on_device});
    table.tracks.push_back(
        {text(process), text(thread), text(rank == 0 ? "python" : ""), text(""), rank, device, stream, 0});
  }

  StringId odd_text() {
    static const std::vector<std::string> kTexts = {"",
                                                    "plain",
                                                    "a \"quoted\" \\ one",
                                                    "tab\tline\nbell\x07nul-free",
                                                    "\xF0\x9F\x9A\x80 rocket",
                                                    "bad \xFF\xC0 bytes",
                                                    "{\"no\":\"json\"}",
                                                    "123",
                                                    "</script>",
                                                    "\xE2\x80\xAE reversed",
                                                    std::string("nul\0in", 6)};
    return text(kTexts[random_() % kTexts.size()]);
  }

  Argument odd_argument(size_t number) {
    Argument argument{text(fmt::format("key {}{}", number, number % 2 == 0 ? "" : " \"odd\"")), ArgumentType::kNull, 0};
    argument.type = static_cast<ArgumentType>(below(7));
    constexpr int64_t kIntegers[] = {0, -1, 9007199254740993, INT64_MAX, INT64_MIN + 1, 42};
    constexpr double kReals[] = {0.0, 1.0, -0.1, 1e300, 5e-324, 33.25};
    const std::vector<std::string> jsons = {"[]", "[1,2.5,null]", R"({"a":[{"b":"c"}],"z":9007199254740993})"};
    switch (argument.type) {
      case ArgumentType::kInteger:
        argument.bits = static_cast<uint64_t>(kIntegers[random_() % std::size(kIntegers)]);
        break;
      case ArgumentType::kReal:
        argument.bits = std::bit_cast<uint64_t>(kReals[random_() % std::size(kReals)]);
        break;
      case ArgumentType::kText:
        argument.bits = odd_text();
        break;
      case ArgumentType::kJson:
        argument.bits = text(jsons[random_() % jsons.size()]);
        break;
      default:
        break;
    }
    return argument;
  }

  void add_event() {
    const Place& place = places_[random_() % places_.size()];
    const Track& track = table.tracks[place.track];
    TraceEvent event;
    event.track = place.track;
    event.start_ns = 1'000'000'000'000'000 + below(300);
    event.duration_ns = below(40);
    event.name = odd_text();
    event.correlation = below(3) == 0 ? kNoId : 100 * track.rank + below(20);
    event.external_id = below(3) == 0 ? below(9) : kNoId;
    constexpr EventKind kDeviceKinds[] = {EventKind::kKernel, EventKind::kCopy, EventKind::kSet,
                                          EventKind::kDeviceRange, EventKind::kDeviceSync};
    constexpr EventKind kHostKinds[] = {EventKind::kHostOp, EventKind::kHostCall, EventKind::kHostRange,
                                        EventKind::kOverhead, EventKind::kOther};
    event.kind = place.device ? kDeviceKinds[below(5)] : kHostKinds[below(5)];
    constexpr std::string_view kCategories[] = {"", "cpu_op", "Kernel", "kernel", "KERNEL_DISPATCH", "gpu_memcpy"};
    event.category = text(kCategories[below(6)]);
    if (event.kind == EventKind::kOther) {
      event.category = text(below(2) == 0 ? "fwdbwd" : "");
    }
    if (below(10) == 0) {
      event.shape = below(2) == 0 ? EventShape::kInstant : EventShape::kUntimed;
      event.duration_ns = 0;
      // A call that is not in the file launches nothing there.
      event.correlation = event.shape == EventShape::kUntimed ? kNoId : event.correlation;
    }
    std::vector<Argument> arguments;
    for (size_t i = random_() % 4; i > 0; --i) {
      arguments.push_back(odd_argument(i));
    }
    table.add(event, arguments);
  }

  Random random_;
  std::vector<Place> places_;
};

// Names that a format adds to what readers join by.
bool is_added(std::string_view key) {
  static const std::set<std::string_view> kAdded = {"correlation", "External id", "device",
                                                    "stream",      "rank",        "source category"};
  return kAdded.contains(key);
}

using EventFacts = std::tuple<EventShape, EventKind, int64_t, int64_t, std::string, int64_t, int64_t, int64_t, int64_t,
                              int64_t, std::vector<std::string>>;

// Everything of the slices and marks; threads are compared by what lies on them.
std::vector<EventFacts> told(const EventTable& table) {
  std::vector<EventFacts> all;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table.shape[i] != EventShape::kSlice && table.shape[i] != EventShape::kInstant) {
      continue;
    }
    if (table.strings[table.name[i]] == "metadata" && table.kind[i] == EventKind::kOther) {
      continue;  // of a Perfetto trace, of the recording
    }
    std::vector<std::string> arguments;
    for (size_t at = table.arguments.begin(i); at < table.arguments.end(i); ++at) {
      const Argument argument = table.arguments[at];
      if (!is_added(table.strings[argument.key])) {
        const bool text = argument.type == ArgumentType::kText || argument.type == ArgumentType::kJson;
        arguments.push_back(fmt::format("{}|{}|{}", as_utf8(table.strings[argument.key]),
                                        static_cast<int>(argument.type),
                                        text ? as_utf8(table.text_of(argument)) : std::to_string(argument.bits)));
      }
    }
    const Track& track = table.tracks[table.track[i]];
    all.emplace_back(table.shape[i], table.kind[i], table.start_ns[i], table.duration_ns[i],
                     as_utf8(table.strings[table.name[i]]), table.correlation[i], table.external_id[i], track.rank,
                     track.device, track.stream, arguments);
  }
  std::sort(all.begin(), all.end());
  return all;
}

using DeviceFigures = std::tuple<int64_t, int64_t, std::vector<int64_t>, uint64_t, uint64_t,
                                 std::map<std::string, std::pair<uint64_t, int64_t>>>;

std::vector<DeviceFigures> figures(const EventTable& table) {
  std::vector<DeviceFigures> all;
  for (const DeviceSummary& device : summarise_trace(table).devices) {
    const TimeShares& budget = device.budget;
    std::map<std::string, std::pair<uint64_t, int64_t>> kernels;
    for (const KernelStatistics& kernel : device.kernels) {
      auto& [count, total_ns] = kernels[as_utf8(table.strings[kernel.name])];
      count += kernel.count;
      total_ns += kernel.total_ns;
    }
    all.emplace_back(device.rank, device.device,
                     std::vector<int64_t>{budget.window_ns(), budget.computation_ns, budget.exposed_communication_ns,
                                          budget.exposed_copy_ns, budget.idle_ns},
                     device.overlaps, device.unlinked.no_call, kernels);
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Of the file alone: a viewer can draw the slices of each row, and of a stream work lies side by side.
void check_rows(const EventTable& again, uint64_t seed) {
  for (size_t b = 0; b < again.size(); ++b) {
    for (size_t a = 0; a < again.size(); ++a) {
      const Track& of_a = again.tracks[again.track[a]];
      const Track& of_b = again.tracks[again.track[b]];
      const bool same_row = of_a.process == of_b.process && of_a.thread == of_b.thread;
      const bool first = std::pair(again.start_ns[a], again.end_ns(b)) < std::pair(again.start_ns[b], again.end_ns(a));
      if (a == b || !same_row || !first || again.shape[a] != EventShape::kSlice ||
          again.shape[b] != EventShape::kSlice) {
        continue;
      }
      const bool apart = again.end_ns(a) <= again.start_ns[b];
      const bool work = again.kind[a] == EventKind::kKernel && again.kind[b] == EventKind::kKernel;
      const bool same_start = again.start_ns[a] == again.start_ns[b];
      EXPECT_TRUE(apart || (work ? same_start && again.duration_ns[b] == 0 : again.end_ns(a) >= again.end_ns(b)))
          << seed << ": " << a << " and " << b;
    }
  }
}

uint64_t slices_of_no_category(const EventTable& events) {
  uint64_t count = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    count += events.shape[i] == EventShape::kSlice && events.kind[i] == EventKind::kOther &&
                     events.category[i] == kEmptyString
                 ? 1
                 : 0;
  }
  return count;
}

class RoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, RandomTracesComeBackAsTheyWere) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const RandomTrace trace(seed);
    const TestExport written = export_to(GetParam(), trace.table);
    ASSERT_TRUE(written.counts) << written.counts.error().message;
    uint64_t left_out = 0;
    for (const ExportRemark& remark : written.counts->remarks) {
      left_out += remark.left_out ? remark.count : 0;
    }
    EXPECT_EQ(written.counts->events + left_out, trace.table.size()) << seed;
    if (trace.table.size() == left_out) {
      continue;  // no event: no trace to a reader
    }
    const EventTable again = written.read();
    EXPECT_EQ(told(again), told(trace.table)) << seed;
    EXPECT_EQ(figures(again), figures(trace.table)) << seed;
    check_rows(again, seed);
    const LossTable& losses = again.losses;
    EXPECT_EQ(losses.count(Loss::kMalformedEvent) + losses.count(Loss::kUnmatchedBegin) +
                  losses.count(Loss::kDuplicateKey) + losses.count(Loss::kUnknownName) +
                  losses.count(Loss::kUnknownRecord),
              0)
        << seed;
    const bool asks_category = GetParam() == std::string_view("chrome");
    EXPECT_EQ(losses.count(Loss::kUnknownCategory), asks_category ? slices_of_no_category(trace.table) : 0) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip, testing::Values("chrome", "perfetto"));

}  // namespace
}  // namespace aaco
