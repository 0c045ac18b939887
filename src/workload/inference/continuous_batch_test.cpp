// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// Two families of 4 slots, prompts of 6 tokens, 16 features, 2 layers.
TEST(ContinuousBatchTest, SlotsAreSharedOutToTheStreams) {
  struct Case {
    int32_t streams, copies, used;  // NOLINT(readability-isolate-declaration): a row of the table
  };
  for (const Case& each :
       {Case{1, 1, 1}, Case{2, 1, 2}, Case{3, 1, 3}, Case{8, 1, 8}, Case{33, 5, 33}, Case{128, 16, 128}}) {
    auto run = make_workload_run(workloads::continuous_batch, each.streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), each.used) << each.streams;
    EXPECT_EQ(run->instance->units, each.copies * (2 * 6 + 8));
    // 2 (3 h^2 + h^2) a token and layer.
    double products = 0;
    for (const Command& command : run->instance->iteration.commands()) {
      products +=
          command.kind == CommandKind::kOp && command.op == OpId::kGemm ? work_of(command.op, command.to).flops : 0;
    }
    const double exact = each.copies * (2 * 6 + 8) * 2.0 * 2 * 4 * 16 * 16;
    EXPECT_GE(products, exact);
    EXPECT_LT(products, exact * 1.08);  // biases, residuals
    expect_no_hazards(*run);
  }
}

TEST(ContinuousBatchTest, OneCopyHasAStreamForEachPromptAndSlot) {
  auto run = make_workload_run(workloads::continuous_batch, 128, 1, 1, {{"scale", "fixed"}});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->instance->iteration.used_streams(), 2 + 8);
}

// 4 iterations replace every slot, 7 some of them again.
TEST(ContinuousBatchTest, SlotsTurnOverHoweverItIsDispatched) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::continuous_batch, streams);
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
      run_and_check(*run, mode, 7);
    }
  }
}

// The states do not depend on how slots are shared out.
TEST(ContinuousBatchTest, StatesAreTheSameOnAnyStreams) {
  std::vector<float> first;
  for (const int32_t streams : {1, 3, 8}) {
    auto run = make_workload_run(workloads::continuous_batch, streams);
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 6);
    const std::vector<float> states = run->output("states of family 0.1");
    first = first.empty() ? states : first;
    ASSERT_EQ(states.size(), first.size());
    for (size_t i = 0; i < states.size(); ++i) {
      ASSERT_NEAR(states[i], first[i], 1e-4) << streams << " streams, element " << i;
    }
  }
}

TEST(ContinuousBatchTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::continuous_batch, 5, 1, 1, {{"dtype", dtype}, {"cache_dtype", "fp16"}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 5);
  }
}

TEST(ContinuousBatchTest, TheCheckSeesAWrongLength) {
  auto run = make_workload_run(workloads::continuous_batch, 2);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 2);
  for (const WorkloadOutput& output : run->instance->outputs) {
    output.tensor.as<int32_t>()[3] += output.name == "lengths of family 0.0" ? 1 : 0;
  }
  EXPECT_FALSE(run->instance->checks.front()(*run->reader, 2));
}

TEST(ContinuousBatchTest, RefusesWhatHasNoRoom) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"max_seq_length", "9"}, {"decode_batch_size", "7"}, {"num_heads", "3"}}) {
    const auto run = make_workload_run(workloads::continuous_batch, 2, 1, 1, {{name, value}});
    ASSERT_FALSE(run) << name;
    EXPECT_EQ(run.error().kind, ErrorKind::kUsage);
  }
}

}  // namespace

}  // namespace aaco
