// SPDX-License-Identifier: MIT
// The check against devices that are right, and wrong in one way each.
#include "device/check/check_op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "device/cpu/cpu_device.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kCount = 100;

CaseResult check_with(void (*run)(OpId op, const void* args), const OpCase& op_case) {
  CpuShared shared{OpFunctions{size_of_args, name_of, run, "none"}};
  CpuDevice device{shared, 0};
  auto result = check_case(device, op_case, 1);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *result : CaseResult{};
}

OpCase sum_case(double relative) {
  return make_case<BinaryArgs>("sum", relative, "", [](CaseMemory& memory, BinaryArgs& args) {
    args.a = memory.random(Dtype::kF32, kCount, 1, 2);
    args.b = memory.random(Dtype::kF32, kCount, 1, 2);
    args.out = memory.output(Dtype::kF32, kCount, 0);
    args.n = kCount;
    args.b_period = kCount;
  });
}

float* out_of(const void* args) { return static_cast<float*>(static_cast<const BinaryArgs*>(args)->out); }

// What the CPU writes, and that it does so twice alike. Its values are the reference: formula_ops_test.cpp has others.
TEST(CheckCase, TheCpuWritesWhatWorkOfSaysAndNothingElse) {
  CpuShared shared{OpFunctions{size_of_args, name_of, run_on_cpu, "none"}};
  CpuDevice device{shared, 0};
  std::set<std::string> names;
  for (const OpCase& op_case : all_op_cases()) {
    const std::string name = std::string(name_of(op_case.op)) + ": " + op_case.name;
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    auto result = check_case(device, op_case, 7);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_THAT(result->failure, IsEmpty()) << name;
  }
}

TEST(CheckCase, ComparesEveryElement) {
  const CaseResult result = check_with(run_on_cpu, sum_case(0));
  EXPECT_TRUE(result.passed()) << result.failure;
  EXPECT_EQ(result.compared, kCount);
}

TEST(CheckCase, FindsAWrongValue) {
  const auto wrong = [](OpId op, const void* args) {
    run_on_cpu(op, args);
    out_of(args)[37] *= 1.001F;
  };
  EXPECT_THAT(check_with(wrong, sum_case(0)).failure, HasSubstr("array 2, element 37 of 100"));
  EXPECT_THAT(check_with(wrong, sum_case(1e-4)).failure, HasSubstr("array 2, element 37 of 100"));
  const CaseResult within = check_with(wrong, sum_case(2e-3));
  EXPECT_TRUE(within.passed()) << within.failure;
  EXPECT_NEAR(within.worst_share, 0.5, 0.01);  // 1e-3 of 2e-3
}

TEST(CheckCase, FindsNanAndInfinity) {
  EXPECT_THAT(check_with(
                  [](OpId op, const void* args) {
                    run_on_cpu(op, args);
                    out_of(args)[99] = __builtin_nanf("");
                  },
                  sum_case(1))
                  .failure,
              HasSubstr("element 99"));
  EXPECT_THAT(check_with(
                  [](OpId op, const void* args) {
                    run_on_cpu(op, args);
                    out_of(args)[0] = __builtin_huge_valf();
                  },
                  sum_case(1))
                  .failure,
              HasSubstr("element 0"));
}

TEST(CheckCase, FindsAnElementThatIsNotWritten) {
  const auto one_less = [](OpId op, const void* args) {
    BinaryArgs less = *static_cast<const BinaryArgs*>(args);
    --less.n;
    run_on_cpu(op, &less);
  };
  EXPECT_THAT(check_with(one_less, sum_case(1)).failure, HasSubstr("element 99 of 100: not written by the device"));
}

TEST(CheckCase, FindsAWriteBeyondAnArray) {
  const auto behind = [](OpId op, const void* args) {
    run_on_cpu(op, args);
    out_of(args)[kCount] = 0;
  };
  EXPECT_THAT(check_with(behind, sum_case(1)).failure, HasSubstr("the device changed the guard after the last array"));
  const auto before = [](OpId op, const void* args) {
    run_on_cpu(op, args);
    out_of(args)[-1] = 0;
  };
  EXPECT_THAT(check_with(before, sum_case(1)).failure, HasSubstr("the device changed the guard before array 2"));
}

TEST(CheckCase, FindsAChangedInput) {
  const auto changes = [](OpId op, const void* args) {
    run_on_cpu(op, args);
    const auto* b = static_cast<const float*>(static_cast<const BinaryArgs*>(args)->b);
    const_cast<float*>(b)[3] = 0;
  };
  EXPECT_THAT(check_with(changes, sum_case(1)).failure, HasSubstr("the device changed input array 1, byte 12"));
}

TEST(CheckCase, HoldsWorkOfToWhatTheCpuWrites) {
  // Array 2 is asked for, yet no argument points to it.
  const OpCase unnamed = make_case<SgdArgs>("unnamed", 0, "", [](CaseMemory& memory, SgdArgs& args) {
    args.param = static_cast<float*>(memory.in_out(Dtype::kF32, 10, -1, 1, 0));
    args.grad = memory.floats(10, -1, 1);
    memory.floats(10, -1, 1);
    args.n = 10;
  });
  EXPECT_THAT(check_with(run_on_cpu, unnamed).failure, HasSubstr("work_of does not name array 2"));
  const OpCase short_array = make_case<FillArgs>("short", 0, "", [](CaseMemory& memory, FillArgs& args) {
    args.out = memory.output(Dtype::kF32, 10, 0);
    args.n = 9;
  });
  EXPECT_TRUE(check_with(run_on_cpu, short_array).passed());  // the tenth is written by neither
  const OpCase long_fill = make_case<FillArgs>("long", 0, "", [](CaseMemory& memory, FillArgs& args) {
    args.out = memory.output(Dtype::kF32, 10, 0);
    args.n = 11;
  });
  EXPECT_THAT(check_with(run_on_cpu, long_fill).failure, HasSubstr("the CPU changed the guard"));
  const OpCase not_output = make_case<FillArgs>("input", 0, "", [](CaseMemory& memory, FillArgs& args) {
    args.out = memory.random(Dtype::kF32, 10, 0, 1);
    args.n = 10;
  });
  EXPECT_THAT(check_with(run_on_cpu, not_output).failure, HasSubstr("changed input array 0"));
}

TEST(CheckCase, AllowsHalvesOneUnitInTheLastPlaceOnlyWithATolerance) {
  const auto case_of = [](double relative) {
    return make_case<FillArgs>("half", relative, "", [](CaseMemory& memory, FillArgs& args) {
      args = {memory.output(Dtype::kF16, 5, 0), 5, 1.5, Dtype::kF16};
    });
  };
  const auto next = [](OpId op, const void* args) {
    run_on_cpu(op, args);
    static_cast<Half*>(static_cast<const FillArgs*>(args)->out)[2].bits += 1;
  };
  EXPECT_FALSE(check_with(next, case_of(0)).passed());
  EXPECT_TRUE(check_with(next, case_of(1e-9)).passed());
  const auto after_next = [](OpId op, const void* args) {
    run_on_cpu(op, args);
    static_cast<Half*>(static_cast<const FillArgs*>(args)->out)[2].bits += 2;
  };
  EXPECT_FALSE(check_with(after_next, case_of(1e-9)).passed());
}

TEST(CheckCase, GivesUnalignedArraysWhereAsked) {
  OpCase op_case = sum_case(0);
  op_case.unaligned = true;
  const auto result = check_with(
      [](OpId op, const void* args) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(out_of(args)) % 16, 4U);
        run_on_cpu(op, args);
      },
      op_case);
  EXPECT_TRUE(result.passed()) << result.failure;
}

}  // namespace
}  // namespace aaco
