// SPDX-License-Identifier: MIT
#include "model/registry.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

constexpr const char* kModels = R"(models:
  resnet50:
    path: "models/resnet50.onnx"
    input_shapes:
      input: [1, 3, 224, 224]
    dtype: float16
    warmup: 10
    iterations: 100

  bert-base:
    path: "models/bert-base.onnx"
    input_shapes:
      input_ids: [1, 128]
      attention_mask: [1, 128]
    dtype: int64
    warmup: 5
    iterations: auto
)";

TEST(Registry, ReadsTheExampleOfTheDescription) {
  const auto models = parse_models(kModels, "models.yaml");
  ASSERT_TRUE(models) << models.error().message;
  EXPECT_EQ(models->at("resnet50").input_shapes.at("input"), (std::vector<int64_t>{1, 3, 224, 224}));
  EXPECT_EQ(models->at("resnet50").dtype, "float16");
  EXPECT_EQ(models->at("resnet50").warmup, 10);
  EXPECT_EQ(models->at("resnet50").iterations, "100");
  EXPECT_EQ(models->at("bert-base").iterations, "auto");
}

TEST(Registry, ReadsSizesOfDimensions) {
  const auto models = parse_models("models:\n  a:\n    dims: {sequence: 128, past_sequence: 0}\n", "models.yaml");
  ASSERT_TRUE(models) << models.error().message;
  EXPECT_EQ(models->at("a").dims, (std::map<std::string, int64_t>{{"past_sequence", 0}, {"sequence", 128}}));
  EXPECT_FALSE(parse_models("models:\n  a:\n    dims: [128]\n", "models.yaml"));
  EXPECT_FALSE(parse_models("models:\n  a:\n    dims: {sequence: -1}\n", "models.yaml"));
}

TEST(Registry, KeepsBackendOptionsAsWritten) {
  const auto backends = parse_backends(
      "backends:\n  migraphx:\n    provider: \"MIGraphXExecutionProvider\"\n    device_id: 0\n    fp16_enable: true\n",
      "b.yaml");
  ASSERT_TRUE(backends) << backends.error().message;
  EXPECT_EQ(backends->at("migraphx").provider, "MIGraphXExecutionProvider");
  EXPECT_EQ(backends->at("migraphx").options.at("fp16_enable"), "true");
}

struct BadModel {
  const char* text;
  const char* message;
};

class RegistryRefuses : public testing::TestWithParam<BadModel> {};

TEST_P(RegistryRefuses, WithLineAndColumn) {
  const auto models = parse_models(GetParam().text, "m.yaml");
  ASSERT_FALSE(models);
  EXPECT_EQ(models.error().kind, ErrorKind::kUsage);
  EXPECT_NE(models.error().message.find(GetParam().message), std::string::npos) << models.error().message;
  EXPECT_FALSE(models.error().hint.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, RegistryRefuses,
    testing::Values(BadModel{"models:\n  a:\n    pth: x\n", "m.yaml:3:5: unknown key 'pth'"},
                    BadModel{"modls:\n", "m.yaml:1:1: unknown key 'modls'"},
                    BadModel{"models:\n  a:\n    warmup: -1\n", "m.yaml:3:13: warmup must be"},
                    BadModel{"models:\n  a:\n    warmup: 99999999999999999999\n", "m.yaml:3:13: warmup must be"},
                    BadModel{"models:\n  a:\n    iterations: many\n", "m.yaml:3:17: iterations must be"},
                    BadModel{"models:\n  a:\n    input_shapes: 5\n", "m.yaml:3:19: input_shapes must"},
                    BadModel{"models:\n  a:\n    input_shapes: {x: [1, -2]}\n", "m.yaml:3:27: a dimension must"},
                    BadModel{"models:\n  a:\n    dtype: flot16\n", "m.yaml:3:12: unknown dtype"},
                    BadModel{"models:\n  a: 5\n", "m.yaml:2:6: the entry a must be a map"},
                    BadModel{"models: [1\n", "m.yaml:"}, BadModel{"- 1\n", "m.yaml:1:1"}));

}  // namespace
}  // namespace aaco
