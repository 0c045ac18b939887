// SPDX-License-Identifier: MIT
#include "kind/training/document/training_run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "base/json/json.h"

namespace aaco {
namespace {

using testing::HasSubstr;

TrainingRunDocument whole_run() {
  TrainingRunDocument run;
  run.version = "1";
  run.created_utc = "2026-01-01T00:00:00Z";
  run.bundle = "s/d/run";
  run.request.version = 4;
  run.request.preset = "nano";
  run.request.rate = 1e-3;
  run.work.parameters = 1000;
  run.work.parts = {{"forward", "products", 3, 8e6, 2e6}};
  run.device = DeviceFacts();
  run.device->name = "a processor";
  run.types = {{"residual", "bf16"}};
  run.gates = {{"gradients", false, "largest error 0.1", "at most 1e-04"}};
  run.roof = ProductRoof{1e12, 2048, "bf16"};
  run.memory_roof = MemoryRoof{1e11, "a triad"};
  run.work.modules = {{"forward", "mlp", 3, 8e6, 2e6}};
  run.work.memory = {{"weights", 4000}, {"all", 4000}};
  run.activity = TrainingActivity{5, 50, 5, 0, 0, 0.5, {}};
  run.notes = {"a note"};
  run.processes.resize(1);
  run.processes[0].steps = 10;
  run.processes[0].wall_ns = 1000;
  run.processes[0].p50_ns = 90;
  run.processes[0].reserved_bytes = 7;
  run.processes[0].losses = {2, 1};
  run.processes[0].parts = {{"forward", "products", 40}, {"forward", "", 60}};
  run.processes[0].modules = {{"forward", "mlp", 50}};
  run.figures = training_figures(run.work, run.processes, run.roof);
  return run;
}

// What is read is what was written: every member, those of the optional parts too.
TEST(TrainingRunDocument, ReadsWhatItWrites) {
  const Json written = Json(whole_run());
  const auto read = read_training_run(written, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(*read).dump(), written.dump());
  EXPECT_EQ(read->request.version, 4);
  EXPECT_EQ(read->types.at("residual"), "bf16");
  EXPECT_EQ(read->processes[0].parts[1].ns, 60);
  EXPECT_DOUBLE_EQ(*read->figures.parts[0].flops_per_s, 8e6 / 40e-9);
  const Json bare = Json(TrainingRunDocument());
  EXPECT_EQ(Json(*read_training_run(bare, "x.json")).dump(), bare.dump());
}

TEST(TrainingRunDocument, RefusesAnotherKind) {
  for (const Json& json : {Json::array(), Json(), Json("training_run"), Json(QueueRunDocument())}) {
    const auto read = read_training_run(json, "x.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr("x.json: not what aaco llama run wrote"));
  }
}

TEST(TrainingRunDocument, RefusesWhatLacksAMember) {
  const Json written = Json(whole_run());
  for (const auto& [name, value] : written.items()) {
    Json without = written;
    without.erase(name);
    if (name == "clocks" || name == "tools") {  // which earlier versions did not write
      EXPECT_TRUE(read_training_run(without, "x.json")) << name;
      continue;
    }
    const auto read = read_training_run(without, "x.json");
    if (name == "roofline" ||
        name.starts_with("memory_roof")) {  // what follows from the rest; what the first runs had not
      EXPECT_TRUE(read) << name;
      continue;
    }
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr(name == "kind" ? "not what" : name));
  }
  Json without = written;
  without["processes"][0].erase("losses");
  EXPECT_THAT(read_training_run(without, "x.json").error().message, HasSubstr("losses"));
}

TEST(TrainingRunDocument, RefusesFiguresThatNoRunGives) {
  const Json written = Json(whole_run());
  for (const auto& [path, what] :
       std::initializer_list<std::pair<const char*, const char*>>{{"processes/0/steps", "process 0"},
                                                                  {"processes/0/wall_ns", "process 0"},
                                                                  {"processes/0/p50_ns", "process 0"},
                                                                  {"processes/0/peak_bytes", "process 0"},
                                                                  {"processes/0/reserved_bytes", "process 0"},
                                                                  {"processes/0/parts/0/ns", "process 0"},
                                                                  {"work/tokens", "the work of a step"},
                                                                  {"work/model_flops", "the work of a step"},
                                                                  {"work/parts/0/ideal_bytes", "the work of a step"},
                                                                  {"roof/flops_per_s", "the roof of products"},
                                                                  {"memory_roof/bytes_per_s", "the roof of memory"},
                                                                  {"work/modules/0/flops", "the work of a step"},
                                                                  {"work/memory/all", "the work of a step"},
                                                                  {"processes/0/modules/0/ns", "process 0"},
                                                                  {"activity/kernels", "what the device recorded"}}) {
    Json negative = written;
    negative[Json::json_pointer("/" + std::string(path))] = -1;
    const auto read = read_training_run(negative, "x.json");
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(read.error().message, std::string("x.json: ") + what + " has a figure that no run can give");
    Json mistyped = written;
    mistyped[Json::json_pointer("/" + std::string(path))] = "many";
    EXPECT_FALSE(read_training_run(mistyped, "x.json")) << path;
    Json huge = written;
    huge[Json::json_pointer("/" + std::string(path))] = std::numeric_limits<int64_t>::max();
    const bool is_count = written[Json::json_pointer("/" + std::string(path))].is_number_integer();
    EXPECT_EQ(read_training_run(huge, "x.json").has_value(), !is_count) << path << ": sums of such would overflow";
  }
}

// JSON has one kind of number; a conversion to a whole one is undefined where it is too large.
TEST(TrainingRunDocument, RefusesNumbersThatItsTypesCannotHold) {
  TrainingRunDocument run = whole_run();
  run.request.rate = 1e30;  // whoever wants to see a training diverge
  const Json written = Json(run);
  EXPECT_TRUE(read_training_run(written, "x.json"));
  for (const auto& [path, value] : {std::pair{"/processes/0/steps", 2.5e86}, std::pair{"/request/version", 1.5},
                                    std::pair{"/device/compute_units", 1e10}, std::pair{"/request/seed", -1.5},
                                    std::pair{"/activity/kernels", -1e19}}) {
    Json changed = written;
    changed[Json::json_pointer(path)] = value;
    const auto read = read_training_run(changed, "x.json");
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr("which no run can give")) << path;
  }
}

}  // namespace
}  // namespace aaco
