// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprofv3_json.h"

#include <bit>
#include <gtest/gtest.h>
#include <string>

namespace aaco {
namespace {

Result<EventTable> read_text(const std::string& text, size_t window_bytes = size_t{1} << 20) {
  EXPECT_TRUE(is_rocprofv3_json(text));
  const auto source = bytes_of(text);
  EventTable table;
  const auto done = read_rocprofv3_json({"r.json", "r.json", *source}, table, window_bytes);
  return done ? Result<EventTable>(std::move(table)) : done.error();
}

EventTable read(const std::string& text) {
  auto table = read_text(text);
  EXPECT_TRUE(table) << table.error().message;
  return std::move(*table);
}

std::string file(const std::string& process) { return "{\"rocprofiler-sdk-tool\": [{" + process + "}]}"; }

const std::string kAgents =
    R"("metadata": {"pid": 908}, "agents": [{"id": {"handle": 37944}, "type": 1, "logical_node_id": 0},
       {"id": {"handle": 37946}, "type": 2, "logical_node_id": 4}])";
const std::string kSymbols =
    R"("kernel_symbols": [{"kernel_id": 8, "kernel_name": "_Z1kv.kd", "formatted_kernel_name": "k<1>"}])";
const std::string kDispatch =
    R"({"size": 184, "kind": 11, "operation": 2, "thread_id": 973, "correlation_id": {"internal": 101, "external": 0},
        "start_timestamp": 63860067921679, "end_timestamp": 63860067922319, "dispatch_info": {"size": 72,
        "agent_id": {"handle": 37946}, "queue_id": {"handle": 18}, "kernel_id": 8, "dispatch_id": 101,
        "grid_size": {"x": 256, "y": 1, "z": 1}}, "stream_id": {"handle": 5}})";

std::string dispatches(const std::string& records) {
  return "\"buffer_records\": {\"kernel_dispatch\": [" + records + "]}";
}

TEST(Rocprofv3Json, ADispatchHasItsTimesIdsPlaceAndName) {
  EventTable table = read(file(kAgents + "," + kSymbols + "," + dispatches(kDispatch)));
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 63'860'067'921'679);
  EXPECT_EQ(table.duration_ns[0], 640);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(table.strings[table.name[0]], "k<1>");
  EXPECT_EQ(table.strings[table.category[0]], "kernel_dispatch");
  EXPECT_EQ(table.correlation[0], 101);
  EXPECT_EQ(table.external_id[0], kNoId);
  const Track& track = table.tracks[table.track[0]];
  EXPECT_EQ(track.device, 4);
  EXPECT_EQ(track.stream, 5);
  EXPECT_EQ(table.strings[track.process], "908");
  const auto find = [&](const char* key) { return table.arguments.find(0, table.strings.intern(key)); };
  EXPECT_EQ(find("dispatch_info.grid_size.x")->bits, 256);
  EXPECT_EQ(find("dispatch_info.queue_id.handle")->bits, 18);
  EXPECT_EQ(find("thread_id")->bits, 973);
  ASSERT_EQ(table.metadata.size(), 3);  // and the two agents
  EXPECT_EQ(table.strings[table.metadata[2].key], "agent");
  EXPECT_EQ(table.strings[table.metadata[2].value], R"({"id":{"handle":37946},"type":2,"logical_node_id":4})");
  EXPECT_FALSE(find("correlation_id.external"));
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Rocprofv3Json, NamesMayFollowTheRecords) {
  EventTable table = read(file(kAgents + "," + dispatches(kDispatch) + "," + kSymbols));
  EXPECT_EQ(table.strings[table.name[0]], "k<1>");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Rocprofv3Json, ANameThatIsNotThereIsItsNumberAndALoss) {
  EventTable table = read(file(dispatches(kDispatch)));
  EXPECT_EQ(table.strings[table.name[0]], "kernel 8");
  EXPECT_EQ(table.losses.count(Loss::kUnknownName), 1);
  EXPECT_EQ(table.tracks[table.track[0]].device, 37946);
}

TEST(Rocprofv3Json, CallsMarkersAndCopiesAreNamedByTheirOperations) {
  const EventTable table = read(file(kAgents + R"(, "strings": {"buffer_records": [{"kind": "NONE", "operations": []},
      {"kind": "HIP", "operations": ["hipInit", "hipMalloc"]}, {"kind": "MEMORY_COPY", "operations": ["NONE", "D2H"]}],
      "marker_api": [{"key": 7, "value": "my range"}]}, "buffer_records": {
      "hip_api": [{"kind": 1, "operation": 1, "thread_id": 5, "correlation_id": {"internal": 3, "external": 9},
                   "start_timestamp": 10, "end_timestamp": 14}],
      "marker_api": [{"kind": 1, "operation": 0, "thread_id": 5, "correlation_id": {"internal": 7, "external": 0},
                      "start_timestamp": 10, "end_timestamp": 14}],
      "memory_copy": [{"kind": 2, "operation": 1, "thread_id": 5, "dst_agent_id": {"handle": 37944},
                       "src_agent_id": {"handle": 37946}, "bytes": 512, "start_timestamp": 20, "end_timestamp": 21}]})"));
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.strings[table.name[0]], "hipMalloc");
  EXPECT_EQ(table.kind[0], EventKind::kHostCall);
  EXPECT_EQ(table.external_id[0], 9);
  EXPECT_EQ(table.strings[table.tracks[table.track[0]].thread], "5");
  EXPECT_EQ(table.strings[table.name[1]], "my range");
  EXPECT_EQ(table.kind[1], EventKind::kHostRange);
  EXPECT_EQ(table.strings[table.name[2]], "D2H");
  EXPECT_EQ(table.kind[2], EventKind::kCopy);
  EXPECT_EQ(table.tracks[table.track[2]].device, 4);
}

TEST(Rocprofv3Json, CountersAreSummedOverTheirInstances) {
  EventTable table = read(file(kAgents + "," + kSymbols + R"(, "counters": [{"id": {"handle": 70}, "name": "SQ_WAVES"}],
      "callback_records": {"counter_collection": [{"dispatch_data": {"correlation_id": {"internal": 1, "external": 0},
        "start_timestamp": 3, "end_timestamp": 5,
        "dispatch_info": {"agent_id": {"handle": 37946}, "queue_id": {"handle": 2}, "kernel_id": 8}},
       "records": [{"counter_id": {"handle": 70}, "value": 2}, {"counter_id": {"handle": 70}, "value": 1.5},
                   {"counter_id": {"handle": 71}, "value": 4}], "thread_id": 6}]})"));
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(table.strings[table.name[0]], "k<1>");
  EXPECT_EQ(table.tracks[table.track[0]].device, 4);
  const auto real = [&](const char* key) {
    return std::bit_cast<double>(table.arguments.find(0, table.strings.intern(key))->bits);
  };
  EXPECT_EQ(real("SQ_WAVES"), 3.5);
  EXPECT_EQ(real("counter 71"), 4);
  EXPECT_FALSE(table.arguments.find(0, table.strings.intern("records")));
}

TEST(Rocprofv3Json, ASampleHasItsInstructionAndItsLine) {
  const EventTable table =
      read(file(kAgents + R"(, "strings": {"pc_sample_instructions": ["s_endpgm", "v_mov_b32 \"x\""],
      "pc_sample_comments": ["", "a.cpp:4"]}, "buffer_records": {"pc_sample_stochastic": [
      {"record": {"timestamp": 12, "dispatch_id": 3, "corr_id": {"internal": 9, "external": 0}, "wave_issued": 0,
                  "exec_mask": 18446744073709551615, "pc": {"code_object_id": 2, "code_object_offset": 8040},
                  "snapshot": {"stall_reason": "WAITCNT"}}, "inst_index": 1},
      {"record": {"timestamp": 13}, "inst_index": 0}, {"record": {"timestamp": 14}, "inst_index": -1},
      {"record": {"timestamp": 15}, "inst_index": 2}]})"));
  ASSERT_EQ(table.size(), 4);
  const auto text = [&](size_t event, const char* key) {
    for (size_t i = table.arguments.begin(event); i < table.arguments.end(event); ++i) {
      if (table.strings[table.arguments[i].key] == key && table.arguments[i].type == ArgumentType::kText) {
        return std::string(table.text_of(table.arguments[i]));
      }
    }
    return std::string("none");
  };
  EXPECT_EQ(table.strings[table.name[0]], "v_mov_b32 \"x\"");
  EXPECT_EQ(text(0, "Instruction_Comment"), "a.cpp:4");
  EXPECT_EQ(text(0, "record.snapshot.stall_reason"), "WAITCNT");
  EXPECT_EQ(text(0, "record.exec_mask"), "18446744073709551615");
  EXPECT_EQ(table.correlation[0], 9);
  EXPECT_EQ(table.external_id[0], kNoId);
  EXPECT_EQ(table.strings[table.category[0]], "pc_sample_stochastic");
  EXPECT_EQ(table.strings[table.name[1]], "s_endpgm");
  EXPECT_EQ(text(1, "Instruction_Comment"), "none");
  EXPECT_EQ(table.strings[table.name[2]], "");  // which the profiler could not decode
  EXPECT_EQ(table.strings[table.name[3]], "instruction 2");
  EXPECT_EQ(table.losses.count(Loss::kUnknownName), 1);
}

TEST(Rocprofv3Json, WhatIsNotKnownIsKeptAndCounted) {
  const EventTable table =
      read(file(R"("buffer_records": {"new_api": [{"start_timestamp": 1, "end_timestamp": 2}, 7, {"a": }],
                   "hip_api": 3, "pc_sample_host_trap": [{"record": {"timestamp": 12}}]})"));
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.kind[0], EventKind::kOther);
  EXPECT_EQ(table.shape[1], EventShape::kInstant);
  EXPECT_EQ(table.start_ns[1], 12);
  EXPECT_EQ(table.losses.count(Loss::kUnknownCategory), 1);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 3);
}

// Cut anywhere, and read in windows of any size: what is whole is loaded.
TEST(Rocprofv3Json, ATruncatedFileLoadsWhatIsWhole) {
  const std::string text = file(kAgents + "," + kSymbols + "," + dispatches(kDispatch + "," + kDispatch));
  const size_t records = text.find("\"buffer_records\": {") + 19;
  const size_t first = text.find("}},", text.find("\"stream_id\"")) + 2;
  for (size_t size = 0; size < text.size(); size += 3) {
    const std::string cut_text = text.substr(0, size);
    const auto source = bytes_of(cut_text);
    EventTable table;
    const auto done = read_rocprofv3_json({"r.json", "r.json", *source}, table, 1 + size % 300);
    ASSERT_EQ(bool(done), size >= records) << size;
    if (done) {
      EXPECT_EQ(table.losses.count(Loss::kTruncated), 1) << size;
      EXPECT_EQ(table.size() >= 1, size >= first) << size;
    } else {
      EXPECT_NE(done.error().message.find("byte"), std::string::npos);
    }
  }
  const auto whole = read_text(text + "x", 100);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->losses.count(Loss::kTrailingData), 1);
}

TEST(Rocprofv3Json, IsKnownByItsRoot) {
  EXPECT_TRUE(is_rocprofv3_json("\xEF\xBB\xBF { \"rocprofiler-sdk-tool\": ["));
  EXPECT_FALSE(is_rocprofv3_json("{\"traceEvents\": [], \"rocprofiler-sdk-tool\": []"));
  EXPECT_FALSE(is_rocprofv3_json("[\"rocprofiler-sdk-tool\"]"));
}

}  // namespace
}  // namespace aaco
