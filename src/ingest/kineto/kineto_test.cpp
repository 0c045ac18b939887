// SPDX-License-Identifier: MIT
#include "ingest/kineto/kineto.h"

#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {
namespace {

EventTable read(const std::string& events) {
  const std::string text = "{\"distributedInfo\": {\"rank\": 3}, \"traceEvents\": [" + events + "]}";
  const auto source = bytes_of(text);
  EventTable table;
  const auto done = read_kineto(*source, "t.json", 0, table);
  EXPECT_TRUE(done) << done.error().message;
  return table;
}

const std::string kKernel =
    R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 2, "tid": 7, "ts": 100.001, "dur": 2.5, "args": {
      "External id": 44, "device": 2, "stream": 7, "correlation": 9, "grid": [ 1, 2,
      3], "est. achieved occupancy %": 33.5}})";

TEST(Kineto, AKernelHasItsTimesIdsAndPlace) {
  const EventTable table = read(kKernel);
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 100'001);
  EXPECT_EQ(table.duration_ns[0], 2'500);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(table.strings[table.name[0]], "k");
  EXPECT_EQ(table.correlation[0], 9);
  EXPECT_EQ(table.external_id[0], 44);
  const Track& track = table.tracks[table.track[0]];
  EXPECT_EQ(track.device, 2);
  EXPECT_EQ(track.stream, 7);
  EXPECT_EQ(track.rank, 3);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Kineto, RanksThatAScriptMergedAreToldApartByTheirProcesses) {
  std::string events;
  for (const char* rank : {"TP00", "TP01"}) {
    events += fmt::format(
        R"({}{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": "[{}] 500", "tid": 500, "ts": 1,
        "dur": 3, "args": {{"correlation": 10}}}},
        {{"ph": "X", "cat": "kernel", "name": "gemm", "pid": "[{}] 0", "tid": 7, "ts": 9, "dur": 100,
        "args": {{"stream": 7, "correlation": 10}}}})",
        events.empty() ? "" : ",", rank, rank);
  }
  const EventTable table = read(events);
  ASSERT_EQ(table.size(), 4);
  const auto track = [&](size_t event) { return table.tracks[table.track[event]]; };
  EXPECT_EQ(track(0).rank, 0);
  EXPECT_EQ(track(1).rank, 0);
  EXPECT_EQ(track(2).rank, 1);
  EXPECT_EQ(track(3).rank, 1);
  EXPECT_EQ(track(3).device, 0);  // no argument says it: the number of its lane
}

TEST(Kineto, ArgumentsKeepTheirTypes) {
  EventTable table = read(kKernel);
  const auto find = [&](const char* key) { return table.arguments.find(0, table.strings.intern(key)); };
  EXPECT_EQ(find("device")->type, ArgumentType::kInteger);
  EXPECT_EQ(find("device")->bits, 2);
  EXPECT_EQ(find("grid")->type, ArgumentType::kJson);
  EXPECT_EQ(table.text_of(*find("grid")), "[1,2,3]");
  EXPECT_EQ(find("est. achieved occupancy %")->type, ArgumentType::kReal);
  EXPECT_EQ(std::bit_cast<double>(find("est. achieved occupancy %")->bits), 33.5);
  EXPECT_FALSE(find("not there"));
}

// However often: their names are looked up once, where the reader knows them.
TEST(Kineto, MembersWithoutAColumnAreArgumentsOfEveryEvent) {
  const std::string start =
      R"({"ph": "b", "cat": "x", "name": "n", "pid": 1, "tid": 1, "ts": 1, "id": "i", "bp": "e"})";
  EventTable table = read(start + "," + start + "," + start + "," + start);
  ASSERT_EQ(table.size(), 4);
  for (size_t event = 0; event < table.size(); ++event) {
    for (const auto& [key, text] : {std::pair("event.id", "i"), {"event.ph", "b"}, {"event.bp", "e"}}) {
      const auto argument = table.arguments.find(event, table.strings.intern(key));
      ASSERT_TRUE(argument) << key << " of event " << event;
      EXPECT_EQ(table.text_of(*argument), text);
    }
    EXPECT_EQ(table.arguments.end(event) - table.arguments.begin(event), 3U);
  }
}

// Today's categories, and those of 2021.
TEST(Kineto, CategoriesBecomeKinds) {
  const std::map<std::string, EventKind> kinds{{"cpu_op", EventKind::kHostOp},
                                               {"Operator", EventKind::kHostOp},
                                               {"cuda_runtime", EventKind::kHostCall},
                                               {"hip_runtime", EventKind::kHostCall},
                                               {"Runtime", EventKind::kHostCall},
                                               {"xpu_driver", EventKind::kHostCall},
                                               {"xpu_runtime", EventKind::kHostCall},
                                               {"hpu_op", EventKind::kHostCall},
                                               {"glow_runtime", EventKind::kHostCall},
                                               {"mtia_runtime", EventKind::kHostCall},
                                               {"privateuse1_runtime", EventKind::kHostCall},
                                               {"privateuse1_driver", EventKind::kHostCall},
                                               {"mtia_ccp_events", EventKind::kKernel},
                                               {"collective_comm", EventKind::kKernel},
                                               {"xpu_sync", EventKind::kDeviceSync},
                                               {"xpu_scope_profiler", EventKind::kDeviceRange},
                                               {"external_correlation", EventKind::kOther},
                                               {"mtia_insight", EventKind::kOther},
                                               {"mtia_counters", EventKind::kOther},
                                               {"user_annotation", EventKind::kHostRange},
                                               {"python_function", EventKind::kHostRange},
                                               {"Kernel", EventKind::kKernel},
                                               {"gpu_memcpy", EventKind::kCopy},
                                               {"Memcpy", EventKind::kCopy},
                                               {"gpu_memset", EventKind::kSet},
                                               {"gpu_user_annotation", EventKind::kDeviceRange},
                                               {"cuda_sync", EventKind::kDeviceSync},
                                               {"Node", EventKind::kHostOp},
                                               {"Api", EventKind::kHostCall},
                                               {"Session", EventKind::kHostRange},
                                               {"host_call", EventKind::kHostCall},
                                               {"Trace", EventKind::kOther}};
  for (const auto& [category, kind] : kinds) {
    const EventTable table =
        read(R"({"ph":"X","cat":")" + category + R"(","name":"n","pid":1,"tid":"1","ts":1,"dur":1})");
    ASSERT_EQ(table.size(), 1);
    EXPECT_EQ(table.kind[0], kind) << category;
    EXPECT_EQ(table.strings[table.category[0]], category);
    EXPECT_EQ(table.losses.count(Loss::kUnknownCategory), 0);
  }
}

TEST(Kineto, FencesOfNodesAreNoOperators) {  // ONNX Runtime before 1.18
  const EventTable table = read(R"({"ph":"X","cat":"Node","name":"Conv_0_fence_before","pid":1,"tid":1,"ts":1,"dur":0},
              {"ph":"X","cat":"Node","name":"Conv_0_kernel_time","pid":1,"tid":1,"ts":1,"dur":5},
              {"ph":"X","cat":"Node","name":"Conv_0_fence_after","pid":1,"tid":1,"ts":6,"dur":0})");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.kind[0], EventKind::kHostRange);
  EXPECT_EQ(table.kind[1], EventKind::kHostOp);
  EXPECT_EQ(table.kind[2], EventKind::kHostRange);
}

TEST(Kineto, TracksAreTheFilesThreadsAndStreams) {
  const EventTable table = read(
      R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"python"}},
         {"ph":"M","name":"thread_name","pid":5,"tid":"8","args":{"name":"main"}},
         {"ph":"X","cat":"cpu_op","name":"a","pid":5,"tid":8,"ts":1,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"a","pid":5,"tid":"8","ts":2,"dur":1},
         {"ph":"X","cat":"Kernel","name":"b","pid":0,"tid":"stream 7","ts":2,"dur":1,"args":{"device":0,"stream":7}},
         {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":2,"dur":1},
         {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":2,"dur":1,"args":{"rank":1}})");
  ASSERT_EQ(table.size(), 7);
  EXPECT_EQ(table.track[2], table.track[3]);  // the same thread, as a number and as a text
  const Track& thread = table.tracks[table.track[2]];
  EXPECT_EQ(table.strings[thread.process_name], "python");
  EXPECT_EQ(table.strings[thread.thread_name], "main");
  EXPECT_EQ(thread.device, kNoId);
  EXPECT_EQ(table.tracks[table.track[4]].stream, 7);
  EXPECT_EQ(table.tracks[table.track[5]].device, 0);  // by process and thread, where no argument says it
  EXPECT_EQ(table.tracks[table.track[5]].stream, 7);
  EXPECT_EQ(table.tracks[table.track[6]].rank, 1);
  EXPECT_NE(table.track[5], table.track[6]);
}

// A number is the text that it is written as: 7 and "7" are one thread, 0 and -0 are two, and so are 1.0 and 1.
TEST(Kineto, ThreadsWhoseNumbersAreWrittenOtherwise) {
  std::string events;
  for (const char* thread : {"7", R"("7")", "7", "0", "-0", "0", "-0", "1", "1.0", "1"}) {
    events += events.empty() ? "" : ",";
    events +=
        fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "n", "pid": 1, "tid": {}, "ts": 1, "dur": 1}})", thread);
  }
  const EventTable table = read(events);
  std::vector<std::string_view> threads;
  for (const uint32_t track : table.track.view()) {
    threads.push_back(table.strings[table.tracks[track].thread]);
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(threads, " ")), "7 7 7 0 -0 0 -0 1 1.0 1");
  EXPECT_EQ(table.tracks.size(), 5);
}

TEST(Kineto, TracksThatDifferInOneThingOnly) {
  const auto kernel = [](const std::string& arguments, int thread) {
    return fmt::format(
        R"({{"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": {}, "ts": 1, "dur": 1, "args": {{{}}}}})",
        thread, arguments);
  };
  std::string events;
  for (int again = 0; again < 2; ++again) {
    for (const char* arguments :
         {R"("device": 0)", R"("device": 1)", R"("device": 1, "rank": 5)", R"("stream": 999)"}) {
      for (int thread = 0; thread < 130; ++thread) {  // more than have a place
        events += (events.empty() ? "" : ",") + kernel(arguments, thread);
      }
    }
  }
  const EventTable table = read(events);
  ASSERT_EQ(table.tracks.size(), 4 * 130);
  for (size_t i = 0; i < table.size(); ++i) {
    const Track& track = table.tracks[table.track[i]];
    const size_t kind = i / 130 % 4;
    EXPECT_EQ(table.track[i], i % (4 * 130));
    EXPECT_EQ(table.strings[track.thread], std::to_string(i % 130));
    EXPECT_EQ(track.device, kind == 1 || kind == 2 || kind == 3 ? 1 : 0);
    EXPECT_EQ(track.rank, kind == 2 ? 5 : 3);
    EXPECT_EQ(track.stream, kind == 3 ? 999 : static_cast<int64_t>(i % 130));
  }
}

TEST(Kineto, OtherMarks) {
  EventTable table = read(
      R"({"ph":"s","id":44,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":1},
         {"ph":"f","id":"44","bp":"e","cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":2},
         {"ph":"f","id":"0x1f","cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":2},
         {"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":3,"args":{"Bytes":512}},
         {"ph":"C","name":"count","pid":1,"ts":4,"args":{"v":1}},
         {"ph":"b","id":5,"name":"request","pid":1,"ts":4})");
  const auto text_of = [&](size_t event, const char* key) {
    const auto argument = table.arguments.find(event, table.strings.intern(key));
    return argument ? std::string(table.text_of(*argument)) : "none";
  };
  ASSERT_EQ(table.size(), 6);
  EXPECT_EQ(table.shape[0], EventShape::kFlowStart);
  EXPECT_EQ(table.shape[1], EventShape::kFlowEnd);
  EXPECT_EQ(table.correlation[1], 44);
  EXPECT_EQ(text_of(1, "event.bp"), "e");
  EXPECT_EQ(table.correlation[2], kNoId);
  EXPECT_EQ(text_of(2, "event.id"), "0x1f");
  EXPECT_EQ(table.shape[3], EventShape::kInstant);
  EXPECT_EQ(text_of(3, "event.s"), "t");
  EXPECT_EQ(table.shape[4], EventShape::kCounter);
  EXPECT_EQ(table.shape[5], EventShape::kAsync);
  EXPECT_EQ(text_of(5, "event.ph"), "b");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Kineto, SlicesWrittenAsTwoMarks) {
  EventTable table = read(
      R"({"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":5},
         {"ph":"B","cat":"kernel","name":"inner","pid":1,"tid":1,"ts":6,"args":{"device":0,"stream":7}},
         {"ph":"E","pid":1,"tid":1,"ts":8,"args":{"result":3}},
         {"ph":"E","pid":1,"tid":1,"ts":9},
         {"ph":"B","cat":"cpu_op","name":"left open","pid":1,"tid":2,"ts":7})");
  ASSERT_EQ(table.size(), 5);
  EXPECT_EQ(table.duration_ns[0], 4'000);
  EXPECT_EQ(table.duration_ns[1], 2'000);
  EXPECT_EQ(table.shape[2], EventShape::kSliceEnd);
  EXPECT_EQ(table.arguments.find(2, table.strings.intern("result"))->bits, 3);
  EXPECT_EQ(table.shape[4], EventShape::kInstant);
  ASSERT_EQ(table.losses.entries().size(), 1);
  EXPECT_NE(table.losses.entries()[0].example.find("left open"), std::string::npos);
}

TEST(Kineto, NumbersThatNoColumnHoldsStayAsTheyAre) {
  const std::string digits(400, '7');
  EventTable table = read(
      R"({"ph":"X","cat":"kernel","name":null,"pid":true,"tid":7,"ts":1,"dur":1,"args":{"big":18446744073709551616,"long":)" +
      digits + R"(,"real":-1.25e2}})");
  ASSERT_EQ(table.size(), 1);
  const auto find = [&](const char* key) { return *table.arguments.find(0, table.strings.intern(key)); };
  EXPECT_EQ(table.text_of(find("big")), "18446744073709551616");
  EXPECT_EQ(table.text_of(find("long")), digits);
  EXPECT_EQ(std::bit_cast<double>(find("real").bits), -125.0);
  EXPECT_EQ(table.name[0], kEmptyString);
}

TEST(Kineto, TimesInQuotationMarks) {
  const EventTable table =
      read(R"({"ph":"X","cat":"cpu_op","name":"n","pid":1,"tid":1,"ts":"1742490378358140.950","dur":"28.19"})");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 1'742'490'378'358'140'950);
  EXPECT_EQ(table.duration_ns[0], 28'190);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Kineto, AnObjectThatSaysNothingIsNoLoss) {
  const EventTable table = read(kKernel + ",{}");
  EXPECT_EQ(table.size(), 1);
  EXPECT_TRUE(table.losses.entries().empty());
  EXPECT_EQ(read(kKernel + R"(,{"pid":1})").losses.count(Loss::kNoTime), 1);
}

TEST(Kineto, EachLossIsCounted) {
  const std::map<std::string, Loss> losses{
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"dur":1})", Loss::kNoTime},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":"now","dur":1})", Loss::kNoTime},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1e20,"dur":1})", Loss::kTimeRange},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":2.3e15,"dur":2.3e15})", Loss::kTimeRange},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":-9e15,"dur":1})", Loss::kTimeRange},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":{"device":0,"device":3}})",
       Loss::kDuplicateKey},
      {"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"caf\xE9\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}", Loss::kNotUtf8},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":-1})", Loss::kNegativeDuration},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":0})", Loss::kZeroDuration},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1.0005,"dur":1})", Loss::kSubNanosecond},
      {R"({"ph":"X","cat":"martian","name":"n","pid":1,"tid":1,"ts":1,"dur":1})", Loss::kUnknownCategory},
      {R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":1,"dur":1})", Loss::kUnknownCategory},
      {R"({"ph":"X","cat":"","name":"n","pid":1,"tid":1,"ts":1,"dur":1})", Loss::kUnknownCategory},
      {R"({"ph":"B","name":"n","pid":1,"tid":1,"ts":1},{"ph":"E","pid":1,"tid":1,"ts":5})", Loss::kUnknownCategory},
      {R"({"ph":"Q","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1})", Loss::kUnknownPhase},
      {R"({"ph":"B","cat":"cpu_op","name":"n","pid":1,"tid":1,"ts":1})", Loss::kUnmatchedBegin},
      {R"({"ph":"E","name":"n","pid":1,"tid":1,"ts":1})", Loss::kUnmatchedBegin},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"ts":2})", Loss::kDuplicateKey},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":{"grid":[1 2]}})",
       Loss::kBadArgument},
  };
  for (const auto& [event, loss] : losses) {
    const EventTable table = read(kKernel + "," + event);
    ASSERT_EQ(table.losses.entries().size(), 1) << event;
    EXPECT_EQ(table.losses.count(loss), 1) << event;
  }
}

TEST(Kineto, NothingOfATraceIsNoTrace) {
  const std::string text = R"([{"kind":"replay"},{"kind":"other"}])";
  const auto source = bytes_of(text);
  EventTable table;
  const auto done = read_kineto(*source, "t.json", 0, table);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kUsage);
}

TEST(Kineto, IdsInQuotationMarksAreNumbers) {
  const EventTable table = read(
      R"({"ph":"X","cat":"kernel","name":"n","pid":"GPU 0","tid":"stream 7","ts":1,"dur":1,"args":{"correlation":"10",
         "device":"0","stream":7.0,"External id":"44"}})");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.correlation[0], 10);
  EXPECT_EQ(table.external_id[0], 44);
  EXPECT_EQ(table.tracks[table.track[0]].device, 0);
  EXPECT_EQ(table.tracks[table.track[0]].stream, 7);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Kineto, TheRankInQuotationMarksIsANumber) {
  const std::string text =
      "{\"distributedInfo\":{\"rank\":\"5\",\"world_size\":\"8\"},\"traceEvents\":[" + kKernel + "]}";
  const auto source = bytes_of(text);
  EventTable table;
  ASSERT_TRUE(read_kineto(*source, "t.json", 0, table));
  EXPECT_EQ(table.tracks[0].rank, 5);
}

// Also where an escape or a bad list sends one of them to the full parser.
TEST(Kineto, NamesThatDifferInBytesStayApart) {
  const auto kernel = [](const std::string& name, const std::string& arguments = "") {
    return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":1,"tid":1,"ts":1,"dur":1,"args":{)" + arguments +
           "}}";
  };
  const EventTable table = read(kernel("k\xFF") + "," + kernel("k\xFE") + "," + kernel("k\xFF", R"("a":"\n")") + "," +
                                kernel("k\xFE", R"("a":nan)") + "," + kernel("k", "\"a\":[\"\xFF\"]"));
  ASSERT_EQ(table.size(), 5);
  EXPECT_EQ(table.strings[table.name[0]], "k\uFFFDff");
  EXPECT_EQ(table.strings[table.name[1]], "k\uFFFDfe");
  EXPECT_EQ(table.name[2], table.name[0]);
  EXPECT_EQ(table.name[3], table.name[1]);
  EXPECT_EQ(table.losses.count(Loss::kTooLong), 0);
  EXPECT_GE(table.losses.count(Loss::kNotUtf8), 2);
}

TEST(Kineto, NestingTooDeeplyIsSaidAsSuch) {
  const EventTable table = read(R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":{"a":)" +
                                std::string(2000, '[') + std::string(2000, ']') + "}}");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.losses.count(Loss::kTooDeep), 1);
  EXPECT_EQ(table.losses.entries().size(), 1);
}

// All that a table holds, as text.
std::string contents_of(const EventTable& table) {
  std::string text;
  for (size_t i = 0; i < table.size(); ++i) {
    text += std::to_string(table.start_ns[i]) + "+" + std::to_string(table.duration_ns[i]) + " " +
            std::to_string(table.correlation[i]) + " " + std::string(table.strings[table.name[i]]) + " " +
            std::to_string(table.track[i]);
    for (size_t a = table.arguments.begin(i); a < table.arguments.end(i); ++a) {
      const Argument argument = table.arguments[a];
      text += " " + std::string(table.strings[argument.key]) + "=" + std::to_string(static_cast<int>(argument.type)) +
              ":" +
              (argument.type == ArgumentType::kText || argument.type == ArgumentType::kJson
                   ? std::string(table.text_of(argument))
                   : std::to_string(argument.bits));
    }
    text += '\n';
  }
  for (const LossTable::Entry& entry : table.losses.entries()) {
    text += std::string(loss_info(entry.loss).name) + " " + std::to_string(entry.count) + " " + entry.example + "\n";
  }
  return text;
}

// The ids of a second file that looks alike are another recording's.
TEST(Kineto, TwoFilesInOneTable) {
  EventTable table;
  for (uint32_t recording = 0; recording < 2; ++recording) {
    const std::string text = "{\"traceEvents\": [" + kKernel + "]}";
    const auto source = bytes_of(text);
    ASSERT_TRUE(read_kineto(*source, "t.json", recording, table));
  }
  ASSERT_EQ(table.size(), 2);
  ASSERT_EQ(table.tracks.size(), 2);
  EXPECT_EQ(table.tracks[table.track[0]].recording, 0);
  EXPECT_EQ(table.tracks[table.track[1]].recording, 1);
  EXPECT_EQ(table.correlation[1], 9);
  EXPECT_EQ(table.external_id[1], 44);
  EXPECT_EQ(table.tracks[1].stream, 7);
}

// A window may end anywhere within an event: regular ones, ones for the full parser, and ones that are none.
TEST(Kineto, WhereTheWindowEndsChangesNothing) {
  std::string events = kKernel;
  for (int i = 0; i < 40; ++i) {
    events += ",\n" + kKernel +
              R"(,{"ph":"X","cat":"kernel","name":"a\"b\u00e9","pid":0,"tid":7,"ts":1e3,"dur":2,"args":{"grid":[)" +
              std::to_string(i) + R"(, "]"], "e": 1.5E1}}, null, {"ph": }, {"ph":"X","cat":"kernel","name":"caf)" +
              "\xE9" + R"(","pid":0,"tid":7,"ts":3,"dur":1})";
  }
  const std::string text = "{\"a\": {\"b\": [1, 2, 3]}, \"traceEvents\": [" + events + "], \"z\": \"end\"}";
  const auto contents = [&](size_t window_bytes) {
    const auto source = bytes_of(text);
    EventTable table;
    const auto done = read_kineto(*source, "t.json", 0, table, {.window_bytes = window_bytes});
    return done ? contents_of(table) : done.error().message;
  };
  const std::string whole = contents(size_t{1} << 20);
  EXPECT_NE(whole.find("malformed event 80"), std::string::npos) << whole;
  for (size_t window_bytes = 1; window_bytes < 1200; ++window_bytes) {
    ASSERT_EQ(contents(window_bytes), whole) << window_bytes;
  }
}

}  // namespace
}  // namespace aaco
