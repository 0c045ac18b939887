// SPDX-License-Identifier: MIT
#include "export/planes/recorded_planes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "export/export_format.h"

namespace aaco {
namespace {

Recording recording() {
  Recording run;
  IterationRow iteration;
  iteration.phase = IterationPhase::kMeasure;
  iteration.t_start_ns = 1'000;
  iteration.t_end_ns = 9'000;
  run.iterations.push_back(iteration);
  ProcessFacts facts;
  facts.pid = 40;
  run.facts.process_facts.push_back(facts);
  for (const int64_t start_ns : {5'000, 2'000}) {  // in the order of the file
    OffCpuRow row;
    row.process_id = row.thread_id = 40;
    row.thread_name = "aaco";
    row.t_start_ns = start_ns;
    row.t_end_ns = start_ns + 500;
    row.reason = start_ns == 2'000 ? OffCpuReason::kPreempted : OffCpuReason::kSleep;
    row.next_name = "hog";
    run.collected.rows<OffCpuRow>().push_back(row);
  }
  HostEventRow fault;
  fault.kind = HostEventKind::kPageFault;
  fault.t_start_ns = 3'000;
  fault.process_id = fault.thread_id = 40;
  run.collected.rows<HostEventRow>().push_back(fault);
  SystemRow sample;
  sample.t_ns = 4'000;
  sample.psi_io_some_pct = 1.5;
  run.collected.rows<SystemRow>().push_back(sample);
  return run;
}

std::vector<std::string> rows_of(const EventTable& events) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < events.size(); ++i) {
    const Track& track = events.tracks[events.track[i]];
    rows.push_back(fmt::format("{}, {}: {} {}+{}", events.strings[track.process], events.strings[track.thread],
                               events.strings[events.name[i]], events.start_ns[i], events.duration_ns[i]));
  }
  return rows;
}

TEST(RecordedPlanes, AreEventsOnTracksOfTheirOwn) {
  EventTable events;
  add_recorded_planes(recording(), events);
  EXPECT_THAT(rows_of(events),
              testing::ElementsAre(
                  "process 40, iterations: iteration 0 1000+8000", "process 40, thread 40: preempted by hog 2000+500",
                  "process 40, thread 40: running 2500+2500", "process 40, thread 40: sleep 5000+500",
                  "process 40, thread 40: page_fault: page_fault 3000+0", "host, samples: psi_io_some_pct 4000+0"));
}

TEST(RecordedPlanes, ArePerfettosAndChromesToo) {
  EventTable events;
  add_recorded_planes(recording(), events);
  const TestFolder folder;
  const auto perfetto = write_perfetto(events, folder.path() / "planes.pftrace");
  ASSERT_TRUE(perfetto) << perfetto.error().message;
  EXPECT_EQ(perfetto->events, 6);
  const auto chrome = write_chrome(events, folder.path() / "planes.json");
  ASSERT_TRUE(chrome) << chrome.error().message;
  const auto json = read_json(folder.path() / "planes.json");
  ASSERT_TRUE(json);
  size_t counters = 0;
  for (const Json& event : json->at("traceEvents")) {
    if (event.at("ph") == "C") {
      ++counters;
      EXPECT_EQ(event.at("args").at("unit"), "%");
    }
  }
  EXPECT_EQ(counters, 1);
}

}  // namespace
}  // namespace aaco
