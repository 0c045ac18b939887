// SPDX-License-Identifier: MIT
#include "ingest/table/table_rows.h"

#include "ingest/test_reading.h"

namespace aaco {
namespace {

using enum ColumnRole;

constexpr ColumnMapping kColumns[] = {
    {"start", kStart},      {"end", kEnd},       {"length", kDuration}, {"name", kName},     {"category", kCategory},
    {"call", kCorrelation}, {"pid", kProcess},   {"tid", kThread},      {"device", kDevice}, {"from", kSource},
    {"to", kDestination},   {"stream", kStream}, {"queue", kQueue},
};

bool is_to_host(std::string_view name) { return name == "to host"; }

constexpr TableKind kKernels{.columns = kColumns, .kind = EventKind::kKernel};

// One row of unquoted cells.
void add(const TableKind& kind, std::vector<std::string_view> columns, const std::vector<std::string_view>& texts,
         EventTable& table) {
  TrackIndex tracks(table);
  TableRows rows(kind, columns, "t", 0, tracks, table);
  std::vector<Cell> cells;
  for (const std::string_view text : texts) {
    cells.push_back(cell_of(text, false));
  }
  rows.add(cells, 2);
}

EventTable single_event(const TableKind& kind, std::vector<std::string_view> columns,
                        const std::vector<std::string_view>& texts) {
  EventTable table;
  add(kind, std::move(columns), texts, table);
  return table;
}

TEST(TableRows, ARolesCellIsAColumnAndAnyOtherAnArgument) {
  EventTable table =
      single_event(kKernels, {"Start", "END", "name", "call", "device", "stream", "grid", "share", "note", "void"},
                   {"1000", "1250", "k", "7", "4", "2", "64", "0.5", "text", ""});
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 1000);
  EXPECT_EQ(table.duration_ns[0], 250);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(name_at(table, 0), "k");
  EXPECT_EQ(table.correlation[0], 7);
  EXPECT_EQ(track_at(table, 0).device, 4);
  EXPECT_EQ(track_at(table, 0).stream, 2);
  EXPECT_EQ(argument_at(table, 0, "grid"), "64");
  EXPECT_EQ(argument_at(table, 0, "share"), "0.5");
  EXPECT_EQ(argument_at(table, 0, "note"), "\"text\"");
  EXPECT_EQ(arguments_of(table, 0), 3);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(TableRows, WhatARoleCannotHoldExactlyStaysAnArgument) {
  EventTable table = single_event(kKernels, {"start", "end", "length", "device", "queue", "tid", "call"},
                                  {"10", "30", "21", "Agent 4", "1", "99", "seven"});
  EXPECT_EQ(track_at(table, 0).device, 4);
  EXPECT_EQ(argument_at(table, 0, "device"), "\"Agent 4\"");
  EXPECT_EQ(track_at(table, 0).stream, 1);
  EXPECT_EQ(argument_at(table, 0, "queue"), "1");
  EXPECT_EQ(argument_at(table, 0, "tid"), "99");  // the host's, of an event on the device
  EXPECT_EQ(table.correlation[0], kNoId);
  EXPECT_EQ(argument_at(table, 0, "call"), "\"seven\"");
  EXPECT_EQ(argument_at(table, 0, "length"), "21");  // not what end says
  EXPECT_EQ(argument_at(table, 0, "end"), "none");
}

TEST(TableRows, HostEventsLieOnThreads) {
  EventTable table = single_event({.columns = kColumns, .kind = EventKind::kHostCall},
                                  {"start", "end", "pid", "tid", "device"}, {"10", "30", "5", "6", "0"});
  EXPECT_EQ(table.strings[track_at(table, 0).process], "5");
  EXPECT_EQ(table.strings[track_at(table, 0).thread], "6");
  EXPECT_EQ(track_at(table, 0).device, kNoId);
  EXPECT_EQ(argument_at(table, 0, "device"), "0");
}

TEST(TableRows, ACopysDeviceIsItsSourceOrDestination) {
  const TableKind copies{.columns = kColumns, .kind = EventKind::kCopy, .from_source = is_to_host};
  EXPECT_EQ(
      track_at(single_event(copies, {"start", "end", "name", "from", "to"}, {"1", "2", "to host", "4", "0"}), 0).device,
      4);
  EXPECT_EQ(
      track_at(single_event(copies, {"start", "end", "name", "from", "to"}, {"1", "2", "other", "4", "0"}), 0).device,
      0);
  EXPECT_EQ(track_at(single_event(kKernels, {"start", "end", "device"}, {"1", "2", "NVIDIA H200 (3)"}), 0).device, 3);
  EXPECT_EQ(track_at(single_event(kKernels, {"start", "end", "device"}, {"1", "2", "GPU"}), 0).device, kNoId);
}

struct TimeCase {
  const char* start;
  const char* end;
  int64_t start_ns;
  int64_t duration_ns;
  EventShape shape;
  std::optional<Loss> loss;
};

TEST(TableRows, TimesAreExactOrALossSaysWhy) {
  const TimeCase cases[] = {
      {"13386742234691895", "13386742234691896", 13386742234691895, 1, EventShape::kSlice, {}},
      {"13386742234691895.0", "13386742234691896", 13386742234691895, 1, EventShape::kSlice, {}},  // beyond 2^53
      {"1.3386742234691895e+16", "13386742234691896", 13386742234691895, 1, EventShape::kSlice, {}},
      {"10.5", "12", 10, 2, EventShape::kSlice, Loss::kSubNanosecond},
      {"8.1097E+14", "8.1097E+14", 0, 0, EventShape::kUntimed, Loss::kNoTime},
      {"soon", "12", 0, 0, EventShape::kUntimed, Loss::kNoTime},
      {"", "12", 0, 0, EventShape::kUntimed, Loss::kNoTime},
      {"10", "", 0, 0, EventShape::kUntimed, Loss::kNoTime},
      {"10", "9", 10, 0, EventShape::kSlice, Loss::kNegativeDuration},
      {"10", "10", 10, 0, EventShape::kSlice, Loss::kZeroDuration},
      {"9223372036854775807", "12", 0, 0, EventShape::kUntimed, Loss::kTimeRange},
      {"10", "9223372036854775807", 0, 0, EventShape::kUntimed, Loss::kTimeRange},
  };
  for (const TimeCase& each : cases) {
    EventTable table = single_event(kKernels, {"start", "end"}, {each.start, each.end});
    EXPECT_EQ(table.start_ns[0], each.start_ns) << each.start;
    EXPECT_EQ(table.duration_ns[0], each.duration_ns) << each.start;
    EXPECT_EQ(table.shape[0], each.shape) << each.start;
    if (each.loss) {
      EXPECT_EQ(table.losses.count(*each.loss), 1) << each.start;
    } else {
      EXPECT_TRUE(table.losses.entries().empty()) << each.start;
    }
  }
  EventTable unread = single_event(kKernels, {"start", "end"}, {"8.1097E+14", "8.1097E+14"});
  EXPECT_EQ(argument_at(unread, 0, "start"), "810970000000000");
  EXPECT_EQ(argument_at(single_event(kKernels, {"start", "end"}, {"10", "9"}), 0, "end"), "9");
}

TEST(TableRows, UnitsAreExact) {
  TableKind kind = kKernels;
  kind.ns_per_unit = 1000;
  EXPECT_EQ(single_event(kind, {"start", "length"}, {"2211714296495.653", "0.001"}).start_ns[0], 2211714296495653);
  EXPECT_EQ(single_event(kind, {"start", "length"}, {"1", "0.001"}).duration_ns[0], 1);
  kind.ns_per_unit = 1'000'000'000;
  EXPECT_EQ(single_event(kind, {"start", "length"}, {"1754586056.25", "1"}).start_ns[0], 1754586056250000000);
}

TEST(TableRows, WithoutAColumnOfStartsItIsUntimedAndNoLoss) {
  EventTable table = single_event(kKernels, {"name", "length"}, {"k", "12"});
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(table.duration_ns[0], 12);
  EXPECT_EQ(argument_at(table, 0, "length"), "none");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(TableRows, ACounterLiesOnItsDevice) {
  EventTable table = single_event({.columns = kColumns, .shape = EventShape::kCounter, .name = "power"},
                                  {"start", "device", "W"}, {"5", "card1", "70.5"});
  EXPECT_EQ(table.shape[0], EventShape::kCounter);
  EXPECT_EQ(track_at(table, 0).device, 1);
  EXPECT_EQ(name_at(table, 0), "power");
  EXPECT_EQ(argument_at(table, 0, "W"), "70.5");
}

}  // namespace
}  // namespace aaco
