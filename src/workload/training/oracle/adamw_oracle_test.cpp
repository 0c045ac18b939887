// SPDX-License-Identifier: MIT
#include "workload/training/oracle/adamw_oracle.h"

#include <cmath>
#include <gtest/gtest.h>

#include "workload/training/oracle/test_oracle_data.h"

namespace aaco {
namespace {

std::vector<OracleTensor> one_number(double value) { return {{"x", {1}, {value}}}; }

// With gradients of 1 and then -2, betas of 0.9 and 0.999: the moments are 0.1 and 0.001, then -0.11 and 0.004999;
// corrected 1 and 1, then -0.11 / 0.19 and 0.004999 / 0.001999.
TEST(AdamWOracle, MomentsAreCorrected) {
  std::vector<OracleTensor> parameters = one_number(3);
  OracleMoments moments;
  const OracleAdamW settings{.rate = 0.5, .epsilon = 0};
  ASSERT_TRUE(oracle_adamw_step(settings, {{1}}, parameters, moments).has_value());
  EXPECT_NEAR(parameters[0].values[0], 2.5, 1e-14);
  ASSERT_TRUE(oracle_adamw_step(settings, {{-2}}, parameters, moments).has_value());
  EXPECT_NEAR(parameters[0].values[0], 2.5 + 0.5 * (0.11 / 0.19) / std::sqrt(0.004999 / 0.001999), 1e-12);
  EXPECT_EQ(moments.step, 2);
}

// Decay is of the parameter, not of the gradient; epsilon is added to the root.
TEST(AdamWOracle, DecayIsDecoupled) {
  std::vector<OracleTensor> parameters = one_number(3);
  OracleMoments moments;
  ASSERT_TRUE(
      oracle_adamw_step({.rate = 0.5, .epsilon = 4, .weight_decay = 0.2}, {{4}}, parameters, moments).has_value());
  EXPECT_NEAR(parameters[0].values[0], 3 * 0.9 - 0.5 * 4 / (4 + 4), 1e-14);
}

TEST(AdamWOracle, SizesMustFit) {
  std::vector<OracleTensor> parameters = one_number(3);
  OracleMoments moments;
  EXPECT_EQ(oracle_adamw_step({}, {{1, 2}}, parameters, moments).error().kind, ErrorKind::kBug);
  EXPECT_EQ(oracle_adamw_step({}, {}, parameters, moments).error().kind, ErrorKind::kBug);
  EXPECT_EQ(moments.step, 0);
  EXPECT_EQ(parameters[0].values[0], 3);
}

}  // namespace
}  // namespace aaco
