// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_report.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/test_trace.h"
#include "base/json/json.h"
#include "report/sinks.h"

namespace aaco::report {
namespace {

// Columns are held apart by one space.
std::string squeezed(const std::string& text) {
  std::string line;
  for (const char letter : text) {
    const bool again = letter == ' ' && (line.empty() || line.back() == ' ' || line.back() == '\n');
    if (letter == '\n' && !line.empty() && line.back() == ' ') {
      line.pop_back();
    }
    line += again ? "" : std::string(1, letter);
  }
  return line;
}

class TraceReport : public testing::Test {
 protected:
  const EventTable& events() const { return trace_.table; }

  TestTrace trace_;
  TraceSummary summary_;
};

TEST_F(TraceReport, IdleOfAnIncompleteTraceIsAnUpperBound) {
  const uint32_t stream = trace_.stream(0, 1, 7);
  trace_.add(stream, EventKind::kKernel, "gemm", 100, 300);
  trace_.add(stream, EventKind::kKernel, "gemm", 500, 100);
  const auto text = [&] { return squeezed(trace_lines({}, events(), summarise_trace(events()), {.most = 3})); };
  EXPECT_NE(text().find("\nidle 100.0 ns"), std::string::npos);
  trace_.table.losses.add(Loss::kDropped);
  EXPECT_NE(text().find("\nidle (upper bound) 100.0 ns"), std::string::npos) << text();
  const Json json = trace_figures({}, events(), summarise_trace(events()));
  EXPECT_EQ(json["devices"][0]["idle_is_upper_bound"], true);
}

// The whole report has each section that has something to say, and its JSON every key with or without.
TEST_F(TraceReport, OfAWholeReport) {
  const uint32_t stream = trace_.stream(0, 1, 7);
  trace_.add(stream, EventKind::kKernel, "gemm", 100, 300, 1);
  trace_.add(stream, EventKind::kKernel, "gemm", 500, 100);
  trace_.add(trace_.thread(0), EventKind::kHostCall, "hipLaunchKernel", 0, 20, 1);
  trace_.table.recordings.push_back({"t.json", "kineto"});
  summary_ = summarise_trace(events());
  const TraceOrigin origin{{{"t.json", "kineto", 10}}, {"notes.txt"}, std::nullopt};
  const std::string text = squeezed(trace_lines(origin, events(), summary_, {.most = 3}));
  EXPECT_TRUE(
      text.starts_with("rank 0 device 1 was busy 80.0 % of 500.0 ns; idle mostly: cause unknown: no launch recorded "
                       "(100.00 %)\n"))
      << text;
  EXPECT_LE(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(text.find("\n\n") + 1), '\n'), 6);
  for (const char* part :
       {"\nrank 0 device 1\n", "\ncomputation 400.0 ns 80.00 %\n", "\nidle 100.0 ns 20.00 %\n",
        "\ngemm 2 400.0 ns 100.00 % 100.0 ns 300.0 ns\n", "critical path",
        "\nwhat was read\nt.json (kineto)\nnot read, in no known format: 1 file, the first notes.txt\n3 events on 2 "
        "tracks\n",
        "\nkernel lengths\nfrom below count total share\n0 ns 1.000 us 2 400.0 ns 100.00 %\n", "what to do next"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_EQ(text.find("program counter"), std::string::npos);
  const Json json = trace_figures(origin, events(), summary_);
  EXPECT_EQ(json["devices"][0]["computation_ns"], 400);
  EXPECT_EQ(json["devices"][0]["idle_ns"], 100);
  for (const char* key :
       {"files", "recordings", "held", "events", "losses", "clocks", "ranks", "operators", "rooflines", "suspects",
        "findings", "offenders", "kernel_lengths", "memory", "critical_paths", "counters", "pc_samples"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST_F(TraceReport, SeveralDevicesShareOneTable) {
  DeviceSummary first;
  first.rank = 0;
  first.device = 0;
  first.budget.window = {0, 100};
  first.budget.computation_ns = 60;
  first.budget.idle_ns = 40;
  first.kernels = {{trace_.table.strings.intern("a"), WorkClass::kComputation, 2, 60, 20, 30, 40}};
  DeviceSummary second = first;
  second.rank = 1;
  second.budget.computation_ns = 30;
  second.budget.idle_ns = 70;
  summary_.devices = {first, second};
  const std::string text = squeezed(trace_lines({}, events(), summary_, {.most = 5}));
  EXPECT_NE(text.find("device time, of the window window computation exposed communication exposed copy idle "
                      "communication hidden\nrank 0 device 0 100.0 ns 60.00 % 0.00 % 0.00 % 40.00 % -\n"
                      "rank 1 device 0 100.0 ns 30.00 % 0.00 % 0.00 % 70.00 % -\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\na 4 120.0 ns 100.00 % 30.00 ns 40.00 ns\n"), std::string::npos) << text;  // two of each
}

TEST_F(TraceReport, OfOneSectionAlone) {
  trace_.add(trace_.stream(0, 1, 7), EventKind::kKernel, "gemm", 100, 300, 1);
  summary_ = summarise_trace(events());
  const auto text = [&](const std::string& id) {
    return squeezed(trace_lines({}, events(), summary_, {.most = 3, .section = id}));
  };
  EXPECT_NE(text("kernels").find("\ngemm 1 300.0 ns"), std::string::npos);
  EXPECT_EQ(text("kernels").find("critical path"), std::string::npos);
  EXPECT_NE(text("memory").find("no data: this trace has nothing for section memory"), std::string::npos);
  const std::vector<std::string> ids = trace_section_ids();
  for (const char* id : {"next", "device-time", "idle", "kernels", "operators", "source", "kernel_lengths"}) {
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end()) << id;
  }
}

}  // namespace
}  // namespace aaco::report
