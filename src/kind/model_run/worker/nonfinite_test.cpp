// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/nonfinite.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace aaco {
namespace {

HostTensor floats(const std::vector<float>& values) {
  HostTensor tensor;
  tensor.name = "t";
  tensor.type = ElementType::kFloat;
  tensor.dims = {static_cast<int64_t>(values.size())};
  tensor.data.resize(values.size() * sizeof(float));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

// x -> Log -> y, and z -> Abs -> w beside it.
ModelGraph graph() {
  ModelGraph made;
  GraphNodeRow log;
  log.inputs = R"(["x"])";
  log.outputs = R"(["y"])";
  GraphNodeRow abs;
  abs.inputs = R"(["z"])";
  abs.outputs = R"(["w"])";
  made.nodes = {log, abs};
  return made;
}

WorkerResult result() {
  WorkerResult inspected;
  inspected.inputs = {{"x", "float32", {4}, "bell-shaped, mean 0, deviation 1", "", ""},
                      {"z", "float32", {4}, "ones", "", ""}};
  inspected.nonfinite_outputs = {"y"};
  inspected.nonfinite_counts = {"2 of 4 elements are NaN, 0 infinite"};
  return inspected;
}

TEST(NonFinite, ElementsAreCounted) {
  EXPECT_EQ(count_nonfinite(floats({1, NAN, INFINITY, -INFINITY})), "1 of 4 elements are NaN, 2 infinite");
}

TEST(NonFinite, OutputAndTheMadeInputsBehindItAreNamed) {
  RunFacts facts;
  tell_nonfinite(result(), graph(), {}, facts);
  EXPECT_EQ(nonfinite_reason(facts),
            "output y (2 of 4 elements are NaN, 0 infinite) holds NaN or infinity; aaco made x (bell-shaped, mean 0, "
            "deviation 1): give your own with --input NAME=FILE");
}

TEST(NonFinite, AnInputThatCuresItIsTheOne) {
  WorkerResult inspected = result();
  inspected.suspects = {"x"};
  RunFacts facts;
  tell_nonfinite(inspected, graph(), {}, facts);
  EXPECT_EQ(
      facts.made_suspects,
      std::vector<std::string>{"x (bell-shaped, mean 0, deviation 1; of positive numbers the outputs are finite)"});
}

TEST(NonFinite, GivenInputsAreNoSuspects) {
  RunFacts facts;
  tell_nonfinite(result(), graph(), {{"x", "x.npy"}}, facts);
  EXPECT_EQ(nonfinite_reason(facts),
            "output y (2 of 4 elements are NaN, 0 infinite) holds NaN or infinity; its inputs are the given ones");
}

TEST(NonFinite, OtherValuesOfMasksAndFloats) {
  HostTensor mask = floats({});
  mask.type = ElementType::kBool;
  mask.dims = {2};
  mask.data = {1, 1};
  EXPECT_EQ(other_values(mask, {"m", "bool", {2}, "ones", ""}).data, (std::vector<uint8_t>{0, 0}));
  EXPECT_EQ(other_values(mask, {"m", "bool", {2}, "zeros", ""}).data, (std::vector<uint8_t>{1, 1}));
  const HostTensor positive = other_values(floats({-2, 0}), {"x", "float32", {2}, "bell-shaped", ""});
  EXPECT_GT(*element_as_double(positive, 0), 2);
  EXPECT_GT(*element_as_double(positive, 1), 0);
}

}  // namespace
}  // namespace aaco
