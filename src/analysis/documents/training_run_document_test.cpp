// SPDX-License-Identifier: MIT
#include "analysis/documents/training_run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

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
  run.notes = {"a note"};
  run.processes.resize(1);
  run.processes[0].steps = 10;
  run.processes[0].wall_ns = 1000;
  run.processes[0].p50_ns = 90;
  run.processes[0].reserved_bytes = 7;
  run.processes[0].losses = {2, 1};
  run.processes[0].parts = {{"forward", "products", 40}, {"forward", "", 60}};
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
                                                                  {"roof/flops_per_s", "the roof of products"}}) {
    Json negative = written;
    negative[Json::json_pointer("/" + std::string(path))] = -1;
    const auto read = read_training_run(negative, "x.json");
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(read.error().message, std::string("x.json: ") + what + " has a negative figure");
    Json mistyped = written;
    mistyped[Json::json_pointer("/" + std::string(path))] = "many";
    EXPECT_FALSE(read_training_run(mistyped, "x.json")) << path;
  }
}

}  // namespace
}  // namespace aaco
