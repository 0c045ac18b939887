// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// FLOPs of matrix products alone, without what their epilogues add.
double products_of(const Program& program) {
  double flops = 0;
  for (const Command& command : program.commands()) {
    if (command.kind == CommandKind::kOp && command.op == OpId::kGemm) {
      const auto& args = *static_cast<const GemmArgs*>(command.to);
      flops += 2.0 * static_cast<double>(args.batch * args.m * args.n * args.k);
    }
  }
  return flops;
}

// 4 queries of 5 tokens, 16 features, 8 of an embedding, 20 documents, 4 found, 3 picked, 48 tokens, 2 layers.
double stages_before(int64_t queries) {
  const double embed = 2.0 * (5 * 16 + 16 * 16 + 16 * 8);
  const double rank = 4 * 2.0 * (2 * 16 * 16 + 16);
  return static_cast<double>(queries) * (embed + 2.0 * 8 * 20 + rank);
}
double token_through_layers() { return 2 * 2.0 * 12 * 16 * 16; }
double head() { return 2.0 * 16 * 48; }

TEST(RagPipelineTest, LanesGrowWithTheStreams) {
  struct Case {
    int32_t streams, copies;  // NOLINT(readability-isolate-declaration): a row of the table
  };
  for (const Case& each : {Case{1, 1}, Case{2, 1}, Case{3, 1}, Case{8, 1}, Case{33, 5}, Case{128, 16}}) {
    auto run = make_workload_run(workloads::rag_pipeline, each.streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), each.streams);
    EXPECT_EQ(run->instance->units, each.copies * 4);
    // A prompt of 8 tokens, 3 more generated ones that go through the layers; 4 pass the head.
    const double exact = each.copies * (stages_before(4) + 4 * ((8 + 3) * token_through_layers() + 4 * head()));
    EXPECT_EQ(products_of(run->instance->iteration), exact);
    expect_no_hazards(*run);
  }
}

TEST(RagPipelineTest, OnePassCanMakeAllLogits) {
  auto run = make_workload_run(workloads::rag_pipeline, 1, 1, 1, {{"generation_length", "1"}, {"logits", "all"}});
  ASSERT_TRUE(run) << run.error().message;
  const double exact = stages_before(4) + 4 * 8 * (token_through_layers() + head());
  EXPECT_EQ(products_of(run->instance->iteration), exact);
  run_and_check(*run, DispatchMode::kSingle, 2);
}

TEST(RagPipelineTest, AnswersTheSameHoweverItIsDispatched) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::rag_pipeline, streams);
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
    }
  }
}

std::vector<int32_t> tokens_of(const WorkloadRun& run) {
  for (const WorkloadOutput& output : run.instance->outputs) {
    if (output.name == "tokens of lane 0.0") {
      auto tokens = run.reader->integers(output.tensor);
      return tokens ? std::move(*tokens) : std::vector<int32_t>();
    }
  }
  return {};
}

// A longer answer begins as a shorter one does; every iteration answers anew, and alike.
TEST(RagPipelineTest, GeneratesTheLengthItIsGiven) {
  std::vector<int32_t> longest;
  for (const char* length : {"9", "4", "1"}) {
    auto run = make_workload_run(workloads::rag_pipeline, 4, 1, 1, {{"generation_length", length}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kThreads, longest.empty() ? 1 : 3);
    const std::vector<int32_t> tokens = tokens_of(*run);
    ASSERT_EQ(tokens.size(), static_cast<size_t>(4 * std::stoi(length)));
    longest = longest.empty() ? tokens : longest;
    EXPECT_TRUE(std::equal(tokens.begin(), tokens.end(), longest.begin()));
  }
}

TEST(RagPipelineTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::rag_pipeline, 5, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

TEST(RagPipelineTest, TheCheckSeesAWrongChoice) {
  for (const char* name : {"found of lane 0.0", "picked of lane 0.0", "tokens of lane 0.0"}) {
    auto run = make_workload_run(workloads::rag_pipeline, 4);
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 1);
    for (const WorkloadOutput& output : run->instance->outputs) {
      output.tensor.as<int32_t>()[1] += output.name == name ? 48 : 0;
    }
    EXPECT_FALSE(run->instance->checks.front()(*run->reader, 1)) << name;
  }
}

}  // namespace

}  // namespace aaco
