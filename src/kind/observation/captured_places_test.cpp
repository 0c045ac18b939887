// SPDX-License-Identifier: MIT
#include "kind/observation/captured_places.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "record/device/activity_table.h"

namespace aaco {
namespace {

EventTable replays() {
  ActivityTable sink;
  const auto kernel = [&](int64_t start_ns, int64_t end_ns, ActivityKind kind, uint32_t label) {
    const std::vector<ActivityRecord> batch{{start_ns, end_ns, 1, 3, 0, sink.intern("gemm"), 0, 7, kind, label, {}}};
    sink.push(batch);
  };
  kernel(0, 10, ActivityKind::kKernel, sink.intern("layers.0"));
  kernel(10, 40, ActivityKind::kKernel, sink.intern("layers.1"));
  kernel(40, 55, ActivityKind::kKernel, sink.intern("layers.0"));
  kernel(60, 900, ActivityKind::kCopy, sink.intern("layers.0"));  // no kernel
  kernel(900, 999, ActivityKind::kKernel, kNoName);
  return sink.take();
}

TEST(CapturedPlaces, AddKernelsByPathTheLongestFirst) {
  const EventTable events = replays();
  const std::vector<CapturedPlace> places = captured_places(events);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(events.strings[places[0].path], "layers.1");
  EXPECT_EQ(places[0].total_ns, 30);
  EXPECT_EQ(events.strings[places[1].path], "layers.0");
  EXPECT_EQ(places[1].kernels, 2U);
  EXPECT_EQ(places[1].total_ns, 25);
}

TEST(CapturedPlaces, SayHowManyHaveNoNameAndWhy) {
  ObservationDocument document;
  document.processes.resize(2);
  document.processes[0].graph_work = {.named = 3, .outside = 1, .ambiguous = 4};
  document.processes[1].graph_work = {.unseen = 2};
  report::Section section;
  report::add_captured_places(document, replays(), section);
  ASSERT_EQ(section.blocks.size(), 2U);
  EXPECT_EQ(
      std::get<report::FactList>(section.blocks[0]).facts[0].value.cell.text,
      "3 of 10 kernels, copies and sets named by where they were captured; 1 captured within no range; 2 captured "
      "before that was watched; 4 claimed by two captures");
  EXPECT_EQ(std::get<report::TableBlock>(section.blocks[1]).rows.size(), 2U);
  report::Section none;
  report::add_captured_places(ObservationDocument(), EventTable(), none);
  EXPECT_TRUE(none.blocks.empty());
}

}  // namespace
}  // namespace aaco
