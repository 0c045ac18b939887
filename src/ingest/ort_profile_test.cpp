// SPDX-License-Identifier: MIT
#include "ingest/ort_profile.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "ingest/trace_format.h"

namespace aaco {
namespace {

// One node event as the runtime writes it.
std::string node(const std::string& name, const std::string& op, int ts, int dur, const std::string& dims = "2,4") {
  return R"({"cat" : "Node","pid" :1,"tid" :7,"dur" :)" + std::to_string(dur) + R"(,"ts" :)" + std::to_string(ts) +
         R"(,"ph" : "X","name" :")" + name + R"(_kernel_time","args" : {"input_type_shape" : [{"float":[)" + dims +
         R"(]},{"int64":[]}],"op_name" : ")" + op +
         R"(","provider" : "CPUExecutionProvider","output_type_shape" : [{"float":[)" + dims +
         R"(]}],"node_index" : "0"}})";
}

std::string run_end(int ts, int dur) {
  return R"({"cat" : "Session","pid" :1,"tid" :7,"dur" :)" + std::to_string(dur) + R"(,"ts" :)" + std::to_string(ts) +
         R"(,"ph" : "X","name" :"model_run","args" : {}})";
}

TEST(OrtProfile, IsKnownByItsFirstEvent) {
  EXPECT_TRUE(is_ort_profile("[\n" + run_end(9, 7) + ",\n"));
  EXPECT_FALSE(is_ort_profile("[" + node("a", "Abs", 10, 5) + "," + run_end(9, 7) + "]"));
  EXPECT_FALSE(is_ort_profile(R"({"traceEvents":[)" + run_end(9, 7) + "]}"));
  EXPECT_FALSE(is_ort_profile(R"([{"ph":"X","cat":"cpu_op","name":"sessions"}])"));
  EXPECT_FALSE(is_ort_profile(""));
}

TEST(OrtProfile, IsAFormatOfItsOwnAmongTheTraces) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path path = folder->path() / "p.json";
  std::ofstream(path) << "[\n" + run_end(9, 7) + ",\n" + node("a", "Abs", 10, 5) + "\n]\n";
  const auto trace = read_trace({&path, 1});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->files.at(0).format, "onnxruntime");
  EXPECT_EQ(trace->events.size(), 2);
}

TEST(OrtProfile, ReadsNodesRunByRun) {
  const std::string text = "[\n" + node("a", "Abs", 10, 5) + ",\n" + run_end(9, 7) + ",\n" + node("a", "Abs", 20, 4) +
                           ",\n" + run_end(19, 6) + "\n]\n";
  OrtProfileOptions options;
  options.process = 3;
  options.time_zero_ns = 1'000'000;
  const auto profile = parse_ort_profile(text, "p.json", options);
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 2);
  EXPECT_EQ(profile->runs, 2);
  EXPECT_EQ(profile->kernels[1].iter_idx, 1);
  EXPECT_EQ(profile->kernels[1].t_start_ns, 1'000'000 + 20'000);
  EXPECT_EQ(profile->kernels[1].dur_ns, 4'000);
  EXPECT_EQ(profile->kernels[0].node_name, "a");
  EXPECT_EQ(profile->kernels[0].kernel_name, "CPUExecutionProvider:Abs");
  EXPECT_EQ(profile->kernels[0].input_shapes, "[2,4];[]");
  EXPECT_EQ(profile->nodes.at("a").inputs[1].dtype, "int64");
  EXPECT_TRUE(profile->losses.empty());
  EXPECT_EQ(profile->events_lost, 0);
}

TEST(OrtProfile, LeavesWarmUpRunsOut) {
  const std::string text =
      "[" + node("a", "Abs", 10, 5) + "," + run_end(9, 7) + "," + node("a", "Abs", 20, 4) + "," + run_end(19, 6) + "]";
  OrtProfileOptions options;
  options.skip_runs = 1;
  const auto profile = parse_ort_profile(text, "p.json", options);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->kernels.size(), 1);
  EXPECT_EQ(profile->kernels[0].iter_idx, 1);
  EXPECT_EQ(profile->kernels[0].dur_ns, 4'000);
}

TEST(OrtProfile, ReducesControlFlowToItsOwnTime) {
  // Loop [10, 40) holds an If [12, 30) that holds Add [14, 20) and Mul [21, 29): own times 30 - 18 and 18 - 6 - 8.
  const std::string text = "[" + node("add", "Add", 14, 6) + "," + node("mul", "Mul", 21, 8) + "," +
                           node("if", "If", 12, 18) + "," + node("loop", "Loop", 10, 30) + "," + run_end(9, 40) + "]";
  const auto profile = parse_ort_profile(text, "p.json", {});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->kernels[2].dur_ns, 4'000);
  EXPECT_EQ(profile->kernels[3].dur_ns, 12'000);
}

// A loop that grows a tensor and one that changes its rank; the second run has other inputs.
TEST(OrtProfile, ShapesThatChangeWithinARunAreNotKnown) {
  const std::string text = "[" + node("grows", "Abs", 1, 1) + "," + node("grows", "Abs", 2, 1, "3,4") + "," +
                           node("rank", "Abs", 3, 1) + "," + node("rank", "Abs", 4, 1, "2") + "," +
                           node("steady", "Abs", 5, 1) + "," + run_end(0, 9) + "," + node("steady", "Abs", 10, 1, "9") +
                           "," + run_end(9, 9) + "]";
  const auto profile = parse_ort_profile(text, "p.json", {});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->nodes.at("grows").outputs[0].dims, (std::vector<int64_t>{-1, 4}));
  EXPECT_EQ(profile->nodes.at("grows").inputs[0].dtype, "float");
  EXPECT_TRUE(profile->nodes.at("rank").outputs.empty());
  EXPECT_EQ(profile->nodes.at("steady").outputs[0].dims, (std::vector<int64_t>{2, 4}));
}

TEST(OrtProfile, KeepsWhatIsWholeOfATruncatedFile) {
  const std::string whole = "[" + node("a", "Abs", 10, 5) + "," + run_end(9, 7) + "," + node("a", "Abs", 20, 4);
  const auto profile = parse_ort_profile(whole, "p.json", {});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->runs, 1);
  EXPECT_EQ(profile->kernels.size(), 1);
  EXPECT_EQ(profile->losses.size(), 2);
  EXPECT_EQ(profile->events_lost, 2);  // the event without its run's end, and what was cut off
}

TEST(OrtProfile, LeavesOutWhatEndsBeforeItBeginsOrIsTooFar) {
  const std::string far = R"({"cat":"Node","tid":7,"dur":1,"ts":9223372036854775807,"name":"far_kernel_time"})";
  const std::string text = "[" + node("whole", "Add", 1, 2) + "," + node("back", "Add", 10, -2) + "," +
                           node("early", "Add", -1, 3) + "," + far + "," + run_end(0, 40) + "]";
  const auto profile = parse_ort_profile(text, "p.json", {});
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 1U);
  EXPECT_EQ(profile->kernels[0].node_name, "whole");
  EXPECT_EQ(profile->events_lost, 3);
  ASSERT_EQ(profile->losses.size(), 1U);
  EXPECT_EQ(profile->losses[0], "3 node events at a time or of a duration that cannot be: left out");
}

TEST(OrtProfile, NeverCrashesOnTruncation) {
  const std::string text = "[" + node("a", "Abs", 10, 5) + "," + run_end(9, 7) + "]";
  for (size_t length = 0; length < text.size(); ++length) {
    const auto profile = parse_ort_profile(std::string_view(text).substr(0, length), "p.json", {});
    if (!profile) {
      EXPECT_EQ(profile.error().kind, ErrorKind::kUsage);
    }
  }
}

}  // namespace
}  // namespace aaco
