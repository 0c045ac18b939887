// SPDX-License-Identifier: MIT
#include <bit>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <span>
#include <string>

#include "analysis/timeline/lookup/event_arguments.h"
#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"
#include "base/json/json.h"
#include "export/layout.h"
#include "export/test_export.h"

namespace aaco {
namespace {

Json json_of(const TestExport& file) {
  auto parsed = parse_json(file.text(), "exported");
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? *parsed : Json();
}

// Of phase `phase`, in the order of the file.
std::vector<Json> events_of(const Json& file, const std::string& phase) {
  std::vector<Json> events;
  for (const Json& event : file["traceEvents"]) {
    if (event["ph"] == phase) {
      events.push_back(event);
    }
  }
  return events;
}

void add(TestTrace& trace, EventShape shape, uint32_t track, std::string_view name, int64_t start_ns,
         int64_t correlation, const std::vector<Argument>& arguments = {}) {
  trace.table.add({start_ns, 0, correlation, kNoId, trace.table.strings.intern(name), kEmptyString, track,
                   EventKind::kOther, shape},
                  arguments);
}

// Nanoseconds stand behind the point, every one of them, whatever a double holds.
TEST(Chrome, TimesAreExact) {
  TestTrace trace;
  trace.add(trace.thread(), EventKind::kHostOp, "op", 1'758'926'581'123'456'789, 1'000'000'001);
  const std::string text = export_to("chrome", trace.table).text();
  EXPECT_NE(text.find(R"("ts":1758926581123456.789,"dur":1000000.001)"), std::string::npos) << text;
}

TEST(Chrome, ValuesKeepTheirTypes) {
  TestTrace trace;
  const Argument nothing{trace.table.strings.intern("n"), ArgumentType::kNull, 0};
  const Argument real{trace.table.strings.intern("r"), ArgumentType::kReal, std::bit_cast<uint64_t>(2.0)};
  const Argument infinite{trace.table.strings.intern("f"), ArgumentType::kReal,
                          std::bit_cast<uint64_t>(-std::numeric_limits<double>::infinity())};
  const Argument list{trace.table.strings.intern("j"), ArgumentType::kJson, trace.table.strings.intern("[1,{}]")};
  const Argument broken{trace.table.strings.intern("b"), ArgumentType::kJson, trace.table.strings.intern("[1,")};
  trace.add(trace.thread(), EventKind::kHostOp, "op", 0, 1, kNoId,
            {trace.integer("i", 9'007'199'254'740'993), real, trace.text("t", "a\"\\\x01\xFFz"), list, broken, nothing,
             infinite});
  const TestExport file = export_to("chrome", trace.table);
  EXPECT_NE(file.text().find("\"args\":{\"i\":9007199254740993,\"r\":2.0,\"t\":\"a\\\"\\\\\\u0001\uFFFD"
                             "ffz\",\"j\":[1,{}],"
                             "\"b\":\"[1,\",\"n\":null,\"f\":\"-Infinity\"}"),
            std::string::npos)
      << file.text();
  EXPECT_EQ(file.remark("texts that are no UTF-8"), 1);
  EXPECT_EQ(file.remark("numbers that are none"), 1);
}

// Overlapping kernels of a stream are told apart; a range around them is on a row of its own.
TEST(Chrome, EveryRowCanBeShown) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 2, 7);
  trace.add(stream, EventKind::kDeviceRange, "step", 0, 100);
  trace.add(stream, EventKind::kKernel, "a", 10, 20);
  trace.add(stream, EventKind::kKernel, "b", 20, 20);
  trace.add(stream, EventKind::kKernel, "within b", 30, 5);
  trace.add(stream, EventKind::kDeviceSync, "wait", 12, 50);
  const Json file = json_of(export_to("chrome", trace.table));
  std::set<std::string> names;
  for (const Json& event : events_of(file, "M")) {
    if (event["name"] == "thread_name") {
      names.insert(event["args"]["name"]);
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"stream 7", "stream 7 (lane 2)", "stream 7 (ranges)", "stream 7 (waits)"}));
  std::set<Json> rows;
  for (const Json& event : events_of(file, "X")) {
    EXPECT_EQ(event["pid"], 2);
    EXPECT_EQ(event["args"]["device"], 2);
    EXPECT_EQ(event["args"]["stream"], 7);
    rows.insert(event["tid"]);
  }
  EXPECT_EQ(rows.size(), 4);
}

// Readers join calls and kernels by these; what the file says under such a name and means something else keeps its
// value.
TEST(Chrome, ArgumentsThatReadersJoinBy) {
  TestTrace trace;
  trace.add(trace.thread(), EventKind::kHostCall, "hipLaunchKernel", 0, 5, 9, {trace.text("correlation", "of a test")},
            44);
  trace.add(trace.stream(kNoId, 0, 7), EventKind::kKernel, "k", 10, 5, 9, {trace.integer("stream", 3)});
  const auto slices = events_of(json_of(export_to("chrome", trace.table)), "X");
  ASSERT_EQ(slices.size(), 2);
  EXPECT_EQ(slices[0]["cat"], "hip_runtime");
  EXPECT_EQ(slices[0]["args"],
            Json::parse(R"({"source correlation": "of a test", "correlation": 9, "External id": 44})"));
  EXPECT_EQ(slices[1]["cat"], "kernel");
  EXPECT_EQ(slices[1]["args"], Json::parse(R"({"source stream": 3, "correlation": 9, "device": 0, "stream": 7})"));
}

TEST(Chrome, CallsAreOfTheRuntimeThatTheirNamesBeginWith) {
  const std::vector<std::pair<const char*, const char*>> calls = {{"cudaLaunchKernel_v7000", "cuda_runtime"},
                                                                  {"cuLaunchKernelEx", "cuda_driver"},
                                                                  {"__hipRegisterFunction", "hip_runtime"},
                                                                  {"hsa_signal_wait_relaxed", "hip_runtime"},
                                                                  {"pthread_cond_wait", "host_call"},
                                                                  {"cublasSgemm", "host_call"},
                                                                  {"__", "host_call"},
                                                                  {"", "host_call"}};
  TestTrace trace;
  for (const auto& [name, category] : calls) {
    trace.add(trace.thread(), EventKind::kHostCall, name, 10 * static_cast<int64_t>(trace.table.size()), 5);
  }
  const auto slices = events_of(json_of(export_to("chrome", trace.table)), "X");
  ASSERT_EQ(slices.size(), calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(slices[i]["cat"], calls[i].second) << calls[i].first;
  }
}

// As PyTorch draws them, where the trace has only correlation ids.
TEST(Chrome, ArrowsFromCallsToWhatTheyStarted) {
  TestTrace trace;
  const uint32_t stream = trace.stream(kNoId, 0, 7);
  trace.add(trace.thread(), EventKind::kHostCall, "hipGraphLaunch", 0, 5, 9);
  trace.add(stream, EventKind::kKernel, "k", 10, 5, 9);
  trace.add(stream, EventKind::kKernel, "k", 20, 5, 9);
  const TestExport file = export_to("chrome", trace.table);
  const auto ends = events_of(json_of(file), "f");
  ASSERT_EQ(ends.size(), 2);
  EXPECT_EQ(ends[1]["id"], 9);
  EXPECT_EQ(ends[1]["bp"], "e");
  EXPECT_EQ(ends[1]["tid"], 7);
  EXPECT_EQ(events_of(json_of(file), "s").size(), 2);
  EXPECT_EQ(file.remark("arrows from calls to what they started"), 2);
  const EventTable again = export_to("perfetto", trace.table).read();
  EXPECT_EQ(summarise_trace(again).losses.count(Loss::kUnmatchedFlow), 0);
}

// A device that nobody knows is not made one by the number of a process.
TEST(Chrome, AnUnknownDeviceStaysUnknown) {
  TestTrace trace;
  trace.table.tracks.push_back({trace.table.strings.intern("1234"), trace.table.strings.intern("5"), kEmptyString,
                                kEmptyString, kNoId, kNoId, kNoId, 0});
  trace.add(0, EventKind::kKernel, "k", 10, 5);
  for (const char* format : {"chrome", "perfetto"}) {
    const EventTable again = export_to(format, trace.table).read();
    const Track& track = again.tracks[again.track[again.size() - 1]];
    EXPECT_EQ(track.device, kNoId) << format;
    EXPECT_EQ(track.stream, kNoId) << format;
  }
}

TEST(Chrome, TwoRecordingsShareNoProcessAndNoArrow) {
  TestTrace trace;
  trace.table.recordings = {{"a", "kineto"}, {"b", "kineto"}};
  const StringId process = trace.table.strings.intern("77");
  for (uint32_t i = 0; i < 2; ++i) {
    trace.table.tracks.push_back({process, process, kEmptyString, kEmptyString, i, kNoId, kNoId, i});
    trace.add(i, EventKind::kHostOp, "op", 0, 10);
    add(trace, EventShape::kFlowStart, i, "arrow", 1, 5);
    add(trace, EventShape::kFlowEnd, i, "arrow", 2, 5);
  }
  const Json file = json_of(export_to("chrome", trace.table));
  std::set<Json> processes;
  for (const Json& event : events_of(file, "X")) {
    processes.insert(event["pid"]);
  }
  EXPECT_EQ(processes.size(), 2);
  EXPECT_TRUE(processes.contains(77));
  const auto ends = events_of(file, "f");
  ASSERT_EQ(ends.size(), 2);
  EXPECT_NE(ends[0]["id"], ends[1]["id"]);
  EXPECT_EQ(file["recordings"][1]["name"], "b");
}

// Its second mark says something, too.
TEST(Chrome, ASliceOfTwoMarks) {
  TestTrace trace;
  const uint32_t thread = trace.thread();
  trace.add(thread, EventKind::kHostRange, "outer", 0, 10, kNoId, {trace.integer("a", 1)});
  trace.add(thread, EventKind::kHostRange, "inner", 5, 5);
  add(trace, EventShape::kSliceEnd, thread, "", 10, kNoId, {trace.integer("of", 2)});
  add(trace, EventShape::kSliceEnd, thread, "", 10, kNoId, {trace.integer("a", 3)});
  add(trace, EventShape::kSliceEnd, thread, "late", 11, kNoId);
  const TestExport file = export_to("chrome", trace.table);
  const auto slices = events_of(json_of(file), "X");
  ASSERT_EQ(slices.size(), 2);
  EXPECT_EQ(slices[0]["args"], Json::parse("{\"a\": 1, \"a (end)\": 3}"));
  EXPECT_EQ(slices[1]["args"], Json::parse(R"({"of": 2})"));
  EXPECT_EQ(file.remark("ends without a begin"), 1);
  EXPECT_EQ(export_to("perfetto", trace.table).remark("ends without a begin"), 1);
}

TEST(Chrome, CountersAsynchronousOperationsAndMetadata) {
  TestTrace trace;
  const uint32_t thread = trace.thread();
  add(trace, EventShape::kCounter, thread, "power", 5, kNoId, {trace.integer("value", 300), trace.text("unit", "W")});
  add(trace, EventShape::kCounter, thread, "state", 5, kNoId, {trace.text("value", "throttled")});
  add(trace, EventShape::kAsync, thread, "request", 6, kNoId,
      {trace.integer("event.id", 1), trace.text("event.ph", "b")});
  add(trace, EventShape::kAsync, thread, "request", 9, kNoId,
      {trace.integer("event.id", 1), trace.text("event.ph", "e")});
  add(trace, EventShape::kMetadata, thread, "process_labels", 0, kNoId, {trace.text("labels", "GPU 0")});
  add(trace, EventShape::kUntimed, thread, "a kernel", 0, kNoId);
  trace.table.recordings.push_back({"a", "kineto"});
  trace.table.metadata.push_back({0, trace.table.strings.intern("traceExporter"), trace.table.strings.intern("\"b\"")});
  trace.table.metadata.push_back({0, trace.table.strings.intern("device"), trace.table.strings.intern("{\"id\": 1}")});
  trace.table.metadata.push_back({0, trace.table.strings.intern("device"), trace.table.strings.intern("no json")});
  const TestExport file = export_to("chrome", trace.table);
  const Json json = json_of(file);
  EXPECT_EQ(events_of(json, "C")[0]["args"], Json::parse(R"({"value": 300, "unit": "W"})"));
  EXPECT_EQ(events_of(json, "i")[0]["args"]["value"], "throttled");
  EXPECT_EQ(events_of(json, "b")[0]["id"], 1);
  EXPECT_EQ(events_of(json, "e")[0]["ts"], 0.009);
  EXPECT_EQ(json["source traceExporter"], "b");
  EXPECT_EQ(json["device"], Json::parse(R"([{"id": 1}, "no json"])"));
  EXPECT_EQ(file.remark("untimed events"), 1);

  const EventTable again = export_to("perfetto", trace.table).read();
  std::multiset<std::string> names;
  for (size_t i = 0; i < again.size(); ++i) {
    names.emplace(again.strings[again.name[i]]);
    if (again.strings[again.name[i]] == "power") {
      EXPECT_EQ(again.shape[i], EventShape::kCounter);
      EXPECT_EQ(integer_argument(again, i, "value"), 300);
      EXPECT_EQ(again.strings[*text_argument(again, i, "unit")], "W");
    } else if (again.strings[again.name[i]] == "request") {
      EXPECT_EQ(again.duration_ns[i], 3);
    }
  }
  EXPECT_EQ(names, (std::multiset<std::string>{"", "metadata", "power", "process_labels", "request", "state"}));
}

// Kernels of replays on streams 11 to 13 that ran nothing else, beside stream 7; two of them at once.
TEST(Export, ReplaysOfOurOwnRecordingsArePacked) {
  for (const bool is_ours : {true, false}) {
    EventTable table;
    table.recordings.push_back({"1 python3", is_ours ? "aaco" : "kineto"});
    const StringId device = table.strings.intern("device 0");
    const StringId key = table.strings.intern("graph node id");
    const auto add_kernel = [&](int64_t stream, int64_t start_ns, bool is_replay) {
      Track track;
      track.process = track.process_name = device;
      track.thread = track.thread_name = table.strings.intern("stream " + std::to_string(stream));
      track.device = 0;
      track.stream = stream;
      table.tracks.push_back(track);
      const Argument node{key, ArgumentType::kInteger, 99};
      table.add({start_ns, 10, 1, kNoId, table.strings.intern("gemm"), kEmptyString,
                 static_cast<uint32_t>(table.tracks.size() - 1), EventKind::kKernel, EventShape::kSlice},
                std::span(&node, is_replay ? 1 : 0));
    };
    add_kernel(7, 0, false);
    add_kernel(11, 100, true);
    add_kernel(12, 105, true);
    add_kernel(13, 110, true);
    const Layout layout = lay_out(table);
    std::vector<std::string> names;
    for (const ShownRow& row : layout.rows) {
      names.push_back(name_of_row(table, layout, row));
    }
    if (is_ours) {
      EXPECT_EQ(names, (std::vector<std::string>{"stream 7", "replays of graphs", "replays of graphs (lane 2)"}));
      EXPECT_EQ(layout.row_of_event[1], layout.row_of_event[3]);
      EXPECT_NE(layout.rows[1].tid, layout.rows[2].tid);
      const EventTable read = export_to("chrome", table).read();
      std::set<int64_t> streams;
      for (size_t i = 0; i < read.size(); ++i) {
        streams.insert(read.tracks[read.track[i]].stream);
      }
      EXPECT_TRUE(streams.contains(12) && streams.contains(13));  // nothing is lost by it
    } else {
      EXPECT_EQ(names, (std::vector<std::string>{"stream 7", "stream 11", "stream 12", "stream 13"}));
    }
  }
}

TEST(Export, TimesBeforeZeroAreMovedAndThatIsSaid) {
  TestTrace trace;
  trace.add(trace.thread(), EventKind::kHostOp, "op", -500, 100);
  trace.add(trace.thread(), EventKind::kHostOp, "op", 700, 100);
  for (const char* format : {"chrome", "perfetto"}) {
    const TestExport file = export_to(format, trace.table);
    EXPECT_EQ(file.remark("nanoseconds added to all times"), 500);
    const EventTable again = file.read();
    std::multiset<int64_t> starts;
    for (size_t i = 0; i < again.size(); ++i) {
      if (again.shape[i] == EventShape::kSlice) {
        starts.insert(again.start_ns[i]);
      }
    }
    EXPECT_EQ(starts, (std::multiset<int64_t>{0, 1200})) << format;
  }
}

TEST(Export, GzipIsReadAsWell) {
  TestTrace trace;
  trace.add(trace.thread(), EventKind::kHostOp, "op", 5, 100);
  for (const char* format : {"chrome", "perfetto"}) {
    const TestExport file = export_to(format, trace.table, "trace.gz");
    EXPECT_TRUE(file.text().starts_with("\x1F\x8B"));
    EXPECT_GE(file.read().size(), 1) << format;
  }
}

TEST(Export, AnEmptyTraceIsAFile) {
  EXPECT_EQ(json_of(export_to("chrome", EventTable()))["traceEvents"], Json::array());
  EXPECT_TRUE(export_to("perfetto", EventTable()).counts);
}

// No part of a file is left where it could not be written.
TEST(Export, AFullDiskAndAFolderThatIsNotThere) {
  TestTrace trace;
  trace.add(trace.thread(), EventKind::kHostOp, "op", 5, 100);
  for (const char* format : {"chrome", "perfetto"}) {
    const auto full = export_format(format).write(trace.table, "/dev/full");
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().kind, ErrorKind::kResource);
    EXPECT_NE(full.error().message.find("/dev/full"), std::string::npos);
  }
  for (const ExportFormat& format : all_export_formats()) {
    const auto nowhere = format.write(trace.table, "/proc/none/trace");
    ASSERT_FALSE(nowhere) << format.id;
    EXPECT_FALSE(nowhere.error().hint.empty());
  }
}

}  // namespace
}  // namespace aaco
