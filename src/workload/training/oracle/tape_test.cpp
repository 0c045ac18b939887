// SPDX-License-Identifier: MIT
// Every primitive's vector-Jacobian product against central differences.
#include "workload/training/oracle/tape.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "workload/training/oracle/test_oracle_data.h"

namespace aaco {
namespace {

using Operation = std::function<TapeTensor(Tape&, const std::vector<TapeTensor>&)>;
using Values = std::vector<std::vector<double>>;

// An operation on operands, and one number made of every element of what it gives, each with a weight of its own.
struct Trial {
  std::vector<TapeShape> shapes;
  Operation operation;

  Result<std::vector<std::vector<double>>> run(const Values& operands, double& number) const {
    Tape tape;
    std::vector<TapeTensor> leaves;
    for (size_t i = 0; i < shapes.size(); ++i) {
      leaves.push_back(tape.leaf(shapes[i], operands[i]));
    }
    TapeTensor out = operation(tape, leaves);
    std::vector<double> weights;
    for (size_t i = 0; i < tape_elements(tape.shape(out)); ++i) {
      weights.push_back(std::cos(1.3 * static_cast<double>(i)) + 0.1);
    }
    out = tape.multiply(out, tape.leaf(tape.shape(out), weights));
    for (size_t axis = 0; axis < tape.shape(out).size(); ++axis) {
      out = tape.sum(out, axis);
    }
    number = tape.values(out).front();
    return tape.gradients(out, leaves);
  }
};

void expect_central_differences(const Trial& trial) {
  std::mt19937_64 engine(5);
  Values operands;
  for (const TapeShape& shape : trial.shapes) {
    operands.emplace_back(tape_elements(shape));
    for (double& value : operands.back()) {
      value = 1 + 0.6 * test::unit_value(engine);  // positive: logarithms and powers too
    }
  }
  double number = 0;
  const auto gradients = trial.run(operands, number);
  ASSERT_TRUE(gradients.has_value()) << gradients.error().message;
  const double step = 1e-5;
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t j = 0; j < operands[i].size(); ++j) {
      double above = 0;
      double below = 0;
      Values moved = operands;
      moved[i][j] = operands[i][j] + step;
      ASSERT_TRUE(trial.run(moved, above).has_value());
      moved[i][j] = operands[i][j] - step;
      ASSERT_TRUE(trial.run(moved, below).has_value());
      EXPECT_NEAR(gradients.value()[i][j], (above - below) / (2 * step), 2e-8) << "operand " << i << " element " << j;
    }
  }
}

TEST(Tape, ElementsAreAddedAndMultiplied) {
  expect_central_differences({{{2, 3}, {2, 3}}, [](Tape& tape, const auto& x) { return tape.add(x[0], x[1]); }});
  expect_central_differences({{{2, 3}, {2, 3}}, [](Tape& tape, const auto& x) { return tape.multiply(x[0], x[1]); }});
  expect_central_differences({{{4}}, [](Tape& tape, const auto& x) { return tape.multiply(x[0], x[0]); }});
}

TEST(Tape, FunctionsOfElements) {
  expect_central_differences({{{5}}, [](Tape& tape, const auto& x) { return tape.scale(x[0], -2.5); }});
  expect_central_differences({{{5}}, [](Tape& tape, const auto& x) { return tape.shift(x[0], 3); }});
  expect_central_differences({{{5}}, [](Tape& tape, const auto& x) { return tape.power(x[0], -0.5); }});
  expect_central_differences({{{5}}, [](Tape& tape, const auto& x) { return tape.power(x[0], -1); }});
  expect_central_differences({{{5}}, [](Tape& tape, const auto& x) { return tape.exponential(x[0]); }});
  expect_central_differences({{{5}}, [](Tape& tape, const auto& x) { return tape.logarithm(x[0]); }});
  expect_central_differences(
      {{{4}}, [](Tape& tape, const auto& x) { return tape.fill(x[0], {false, true, false, true}, 7); }});
}

TEST(Tape, Products) {
  expect_central_differences({{{2, 3}, {3, 4}}, [](Tape& tape, const auto& x) { return tape.product(x[0], x[1]); }});
  expect_central_differences(
      {{{2, 3, 2, 3}, {2, 3, 3, 4}}, [](Tape& tape, const auto& x) { return tape.product(x[0], x[1]); }});
}

TEST(Tape, SumsAndRepeats) {
  for (const size_t axis : {0, 1, 2}) {
    expect_central_differences({{{2, 3, 4}}, [=](Tape& tape, const auto& x) { return tape.sum(x[0], axis); }});
  }
  expect_central_differences({{{1, 3}}, [](Tape& tape, const auto& x) { return tape.repeat(x[0], 0, 4); }});
  expect_central_differences({{{2, 1, 3}}, [](Tape& tape, const auto& x) { return tape.repeat(x[0], 1, 4); }});
}

TEST(Tape, ElementsInAnotherOrder) {
  expect_central_differences({{{3, 2}}, [](Tape& tape, const auto& x) { return tape.gather(x[0], {2, 0, 2, 2}); }});
  expect_central_differences({{{3, 4}}, [](Tape& tape, const auto& x) { return tape.reshape(x[0], {2, 6}); }});
  expect_central_differences({{{2, 3, 4}}, [](Tape& tape, const auto& x) { return tape.permute(x[0], {2, 0, 1}); }});
}

TEST(Tape, ValuesAreThoseWorkedOutByHand) {
  Tape tape;
  const TapeTensor a = tape.leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  const TapeTensor column = tape.leaf({2, 1}, {1, -1});
  using List = std::vector<double>;
  EXPECT_EQ(tape.values(tape.permute(a, {1, 0})), (List{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(tape.values(tape.product(a, tape.permute(a, {1, 0}))), (List{14, 32, 32, 77}));
  EXPECT_EQ(tape.values(tape.sum(a, 0)), (List{5, 7, 9}));
  EXPECT_EQ(tape.values(tape.sum(a, 1)), (List{6, 15}));
  EXPECT_EQ(tape.values(tape.repeat(column, 1, 2)), (List{1, 1, -1, -1}));
  EXPECT_EQ(tape.values(tape.gather(a, {1, 1, 0})), (List{4, 5, 6, 4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(tape.values(tape.power(a, -1)).back(), 1.0 / 6);
  EXPECT_EQ(tape.values(tape.fill(column, {false, true}, 9)), (List{1, 9}));
  const TapeTensor pages = tape.permute(tape.reshape(a, {1, 2, 3}), {2, 0, 1});
  EXPECT_EQ(tape.shape(pages), (TapeShape{3, 1, 2}));
  EXPECT_EQ(tape.values(pages), (List{1, 4, 2, 5, 3, 6}));
}

// What is filled in with minus infinity, as attention does, has a gradient of zero and leaves the others theirs.
TEST(Tape, InfinityIsMaskedWithoutNan) {
  Tape tape;
  const TapeTensor a = tape.leaf({2}, {1, 2});
  const TapeTensor masked = tape.fill(a, {false, true}, -std::numeric_limits<double>::infinity());
  const auto gradients = tape.gradients(tape.sum(tape.exponential(masked), 0), {a});
  EXPECT_EQ(gradients.value()[0], (std::vector<double>{std::exp(1.0), 0}));
}

TEST(Tape, TheFirstMisfitIsKept) {
  const std::vector<std::pair<std::string, Operation>> misfits = {
      {"add", [](Tape& tape, const auto& x) { return tape.add(x[0], x[1]); }},
      {"multiply", [](Tape& tape, const auto& x) { return tape.multiply(x[0], x[1]); }},
      {"fill", [](Tape& tape, const auto& x) { return tape.fill(x[0], {true}, 0); }},
      {"product", [](Tape& tape, const auto& x) { return tape.product(x[0], x[1]); }},
      {"sum", [](Tape& tape, const auto& x) { return tape.sum(x[0], 2); }},
      {"repeat", [](Tape& tape, const auto& x) { return tape.repeat(x[0], 0, 2); }},
      {"gather", [](Tape& tape, const auto& x) { return tape.gather(x[0], {2}); }},
      {"reshape", [](Tape& tape, const auto& x) { return tape.reshape(x[0], {-2, -3}); }},
      {"permute", [](Tape& tape, const auto& x) { return tape.permute(x[0], {0, 0}); }},
      {"1 values for a leaf", [](Tape& tape, const auto&) { return tape.leaf({2}, {1}); }},
  };
  for (const auto& [name, operation] : misfits) {
    const Trial trial{{{2, 3}, {2, 4}}, [&](Tape& tape, const auto& x) { return tape.scale(operation(tape, x), 2); }};
    double number = 0;
    const auto gradients = trial.run({std::vector<double>(6, 1), std::vector<double>(8, 1)}, number);
    ASSERT_FALSE(gradients.has_value()) << name;
    EXPECT_TRUE(gradients.error().message.starts_with("tape: " + name)) << gradients.error().message;
    EXPECT_TRUE(std::isnan(number)) << name;
  }
}

TEST(Tape, GradientsAreOfOneNumber) {
  Tape tape;
  const TapeTensor a = tape.leaf({2}, {1, 2});
  EXPECT_EQ(tape.gradients(a, {a}).error().kind, ErrorKind::kBug);
}

}  // namespace
}  // namespace aaco
