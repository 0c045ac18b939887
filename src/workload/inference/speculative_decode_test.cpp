// SPDX-License-Identifier: MIT
#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// Products alone.
double products_of(const Program& program) {
  double flops = 0;
  for (const Command& command : program.commands()) {
    flops += command.kind == CommandKind::kOp && command.op == OpId::kGemm ? work_of(command.op, command.to).flops : 0;
  }
  return flops;
}

std::vector<int32_t> counts(const WorkloadRun& run, const std::string& name) {
  for (const WorkloadOutput& output : run.instance->outputs) {
    if (output.name == name) {
      auto values = run.reader->integers(output.tensor);
      return values ? std::move(*values) : std::vector<int32_t>();
    }
  }
  ADD_FAILURE() << "no output is named " << name;
  return {};
}

TEST(SpeculativeDecodeTest, SequencesGrowWithTheStreams) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    auto single = make_workload_run(workloads::speculative_decode, streams, 1, 1, {{"scale", "fixed"}});
    ASSERT_TRUE(single) << single.error().message;
    EXPECT_EQ(single->instance->iteration.used_streams(), std::min(2, streams));
    expect_no_hazards(*single);
    auto many = make_workload_run(workloads::speculative_decode, streams);
    ASSERT_TRUE(many) << many.error().message;
    EXPECT_EQ(many->instance->iteration.used_streams(), streams);
    EXPECT_EQ(many->instance->checks.size(), (streams + 1) / 2);
    EXPECT_EQ(many->instance->unit_counter->elements(), (streams + 1) / 2);
    expect_no_hazards(*many);
  }
}

// A token through a layer of h features with inner 4 h: 2 (4 h^2 + 8 h^2); the head 2 h V. The draft model (h 16, 1
// layer) makes 4 tokens, and goes over a fifth without its head; the main one (h 32, 2 layers) goes over 5.
TEST(SpeculativeDecodeTest, CountsBothModelsWork) {
  auto run = make_workload_run(workloads::speculative_decode, 2);
  ASSERT_TRUE(run) << run.error().message;
  const double exact = 5.0 * 2 * 12 * 16 * 16 + 4.0 * 2 * 16 * 64 + 5.0 * 2 * (2 * 12 * 32 * 32 + 32 * 64);
  EXPECT_GE(products_of(run->instance->iteration), exact);
  EXPECT_LT(products_of(run->instance->iteration), exact * 1.08);  // biases, residuals
  // Without caches: the draft model over 12, 13, 14, 15 tokens, the main one over 16.
  auto anew = make_workload_run(workloads::speculative_decode, 2, 1, 1, {{"cache", "off"}});
  ASSERT_TRUE(anew) << anew.error().message;
  const double whole = (12.0 + 13 + 14 + 15) * 2 * (12 * 16 * 16 + 16 * 64) + 16.0 * 2 * (2 * 12 * 32 * 32 + 32 * 64);
  EXPECT_GE(products_of(anew->instance->iteration), whole);
  EXPECT_LT(products_of(anew->instance->iteration), whole * 1.08);
}

// 4 rounds until a sequence starts over: 3 iterations before, 4 at, 9 well behind it.
TEST(SpeculativeDecodeTest, AcceptsWhatBothSayHoweverItIsDispatched) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::speculative_decode, streams, 1, 1, {{"scale", "streams"}});
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
      run_and_check(*run, mode, streams < 8 ? 9 : 4);
    }
  }
}

// 20 rounds of 4 drafted tokens: with nothing shared the models never agree but by chance (1 in 64), with almost
// everything shared nearly always, and in between in between.
TEST(SpeculativeDecodeTest, AgreementDecidesWhatIsAccepted) {
  std::map<std::string, int32_t> gained;
  for (const char* agreement : {"0", "3", "1000"}) {
    auto run =
        make_workload_run(workloads::speculative_decode, 8, 1, 1, {{"agreement", agreement}, {"scale", "streams"}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 20);
    for (const int32_t tokens : counts(*run, "gained")) {
      gained[agreement] += tokens;
    }
  }
  const int32_t rounds = 4 * 20;
  EXPECT_LT(gained["0"], rounds * 1.5);
  EXPECT_GT(gained["3"], gained["0"]);
  EXPECT_LT(gained["3"], gained["1000"]);
  EXPECT_GT(gained["1000"], rounds * 4.5);
}

TEST(SpeculativeDecodeTest, WithoutCachesItChecksToo) {
  for (const int32_t streams : {1, 2}) {
    auto run = make_workload_run(workloads::speculative_decode, streams, 1, 1, {{"cache", "off"}, {"batch_size", "2"}});
    ASSERT_TRUE(run) << run.error().message;
    expect_no_hazards(*run);
    run_and_check(*run, DispatchMode::kThreads, 3);
  }
}

TEST(SpeculativeDecodeTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::speculative_decode, 2, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 6);
  }
}

TEST(SpeculativeDecodeTest, TheCheckSeesWrongCounts) {
  for (const char* name : {"accepted of sequence 0", "cached of sequence 0", "gained"}) {
    auto run = make_workload_run(workloads::speculative_decode, 2);
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
    for (const WorkloadOutput& output : run->instance->outputs) {
      output.tensor.as<int32_t>()[0] += output.name == name ? 1 : 0;
    }
    EXPECT_FALSE(run->instance->checks.front()(*run->reader, 2)) << name;
  }
}

TEST(SpeculativeDecodeTest, RefusesADraftLargerThanItsModel) {
  const auto run = make_workload_run(workloads::speculative_decode, 2, 1, 1, {{"draft_hidden_size", "64"}});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kUsage);
}

}  // namespace

}  // namespace aaco
