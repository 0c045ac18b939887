// SPDX-License-Identifier: MIT
// Every case of every operation that is our own kernel, in lockstep, against the CPU: waves of 32 lanes with threads in
// ascending order, of 64 in descending.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_skip.h"
#include "device/check/check_op.h"
#include "device/ops/op_work.h"
#include "lockstep_device.h"

namespace aaco {
namespace {

using gpu::lockstep::Order;

class Operations : public ::testing::TestWithParam<OpId> {};

#define AACO_OP(Name, text) OpId::k##Name,
constexpr OpId kOperations[] = {AACO_OPS(AACO_OP)};
#undef AACO_OP

INSTANTIATE_TEST_SUITE_P(Lockstep, Operations, ::testing::ValuesIn(kOperations),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

void check(OpId op, const char* library, Order order) {
  LockstepDevice device(library);
  device.set_order(order);
  uint64_t seed = 0;
  int cases = 0;
  for (const OpCase& op_case : all_op_cases()) {
    if (op_case.op != op) {
      continue;
    }
    SCOPED_TRACE(op_case.name + " on " + device.properties().id);
    const auto result = check_case(device, op_case, ++seed);
    ++cases;
    if (op == OpId::kGemm) {
      ASSERT_FALSE(result);
      ASSERT_THAT(result.error().message, ::testing::HasSubstr(kNotOurs));
      continue;
    }
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->passed()) << result->failure;
  }
  if (cases == 0) {
    AACO_SKIP(std::string(name_of(op)) + " has no cases");
  }
}

TEST_P(Operations, AgreeWithTheCpu) {
  check(GetParam(), LOCKSTEP_32, Order::kAscending);
  if (!IsSkipped()) {
    check(GetParam(), LOCKSTEP_64, Order::kDescending);
  }
}

}  // namespace
}  // namespace aaco
