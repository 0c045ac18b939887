// SPDX-License-Identifier: MIT
// The CPU's operations, which every device is held against, against their formulas: a device that computes these in
// fp64 is checked as a GPU would be, within the bounds of the cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "device/check/case_arena.h"
#include "device/check/check_op.h"
#include "device/check/test_formula_ops.h"
#include "device/cpu/cpu_device.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMostBytes = 1 << 18;  // a larger case has the formula of a smaller one, and takes seconds here

void run_formula(OpId op, const void* args) { formula::run(op, args); }

TEST(CpuOperations, GiveWhatTheirFormulasGiveInFp64) {
  CpuShared shared{OpFunctions{size_of_args, name_of, run_formula, "none"}};
  CpuDevice device{shared, 0};
  std::map<std::string, int64_t> compared;
  std::set<std::string> without;
  for (const OpCase& op_case : all_op_cases()) {
    const std::string op = name_of(op_case.op);
    if (!formula::run(op_case.op, nullptr)) {
      without.insert(op);
      continue;
    }
    if (lay_out(op_case, 11).initial.bytes() > kMostBytes) {
      continue;
    }
    const auto result = check_case(device, op_case, 11);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->failure, "") << op << ": " << op_case.name;
    compared[op] += result->compared;
  }
  for (const auto& [op, elements] : compared) {
    EXPECT_GT(elements, 0) << op;
  }
  EXPECT_EQ(compared.size(), 17U);
  // Held by the values that kernels/*/*_test.cpp have worked out by hand alone.
  EXPECT_THAT(without,
              ElementsAre("accept", "adam", "append_cache", "attention", "attention_grad", "binary_cross_entropy",
                          "combine", "decode_attention", "dropout", "dropout_grad", "gather_grad", "gather_mean", "glu",
                          "glu_grad", "image", "merge_heads", "norm_grad", "random", "rotary", "route", "scatter_add",
                          "split_heads", "tick", "token_batch", "top_k"));
}

}  // namespace
}  // namespace aaco
