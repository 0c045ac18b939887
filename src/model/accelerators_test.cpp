// SPDX-License-Identifier: MIT
#include "model/accelerators.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "base/files/file.h"

namespace aaco {
namespace {

TEST(AcceleratorsFile, UnitsBecomeFlopsAndBytes) {
  const auto all = parse_accelerators(
      "accelerators:\n  X1:\n    names: [X1, X-1]\n    matrix: {bf16: 1.5}\n    vector: {fp32: 0.5}\n"
      "    achievable: {bf16: 1}\n    memory: 2\n    cache: 4\n    source: sheet\n    achievable_source: test\n",
      "a.yaml");
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1);
  const Accelerator& accelerator = all->front();
  EXPECT_EQ(accelerator.name, "X1");
  EXPECT_EQ(accelerator.patterns.size(), 2);
  EXPECT_EQ(accelerator.matrix.at("bf16"), 1.5e12);
  EXPECT_EQ(accelerator.vector.at("fp32"), 0.5e12);
  EXPECT_EQ(accelerator.achievable.at("bf16"), 1e12);
  EXPECT_EQ(accelerator.bytes_per_s, 2e9);
  EXPECT_EQ(accelerator.cache_bytes, 4.0 * 1024 * 1024);
}

TEST(AcceleratorsFile, MistakesNameTheirPlace) {
  const auto message = [](const std::string& fields) {
    const auto all = parse_accelerators("accelerators:\n  X:\n    " + fields + "\n", "a.yaml");
    return all ? std::string("none") : all.error().message;
  };
  EXPECT_EQ(message("colour: red"), "a.yaml:3:5: unknown key 'colour'");
  EXPECT_EQ(message("memory: -1"), "a.yaml:3:13: memory must be a positive number, not '-1'");
  EXPECT_EQ(message("memory: nan"), "a.yaml:3:13: memory must be a positive number, not 'nan'");
  EXPECT_EQ(message("matrix: {fp9: 1}"), "a.yaml:3:14: unknown precision 'fp9'");
  EXPECT_EQ(message("memory: 1"), "a.yaml:2:3: the figures of X have no source");
}

TEST(AcceleratorsFile, OursIsWholeAndFindsNamesAsTracesCarryThem) {
  const std::string path = std::string(AACO_SOURCE_DIR) + "/configs/accelerators.yaml";
  const auto text = read_file(path, 1 << 20);
  ASSERT_TRUE(text);
  const auto all = parse_accelerators(*text, path);
  ASSERT_TRUE(all) << all.error().message;
  const auto name = [&](const char* device) {
    const Accelerator* accelerator = find_accelerator(*all, device);
    return accelerator == nullptr ? std::string() : accelerator->name;
  };
  EXPECT_EQ(name("AMD Instinct MI300X VF"), "MI300X");
  EXPECT_EQ(name("AMD Instinct MI250X"), "MI250X");
  EXPECT_EQ(name("NVIDIA A100-SXM4-80GB"), "A100-80GB");
  EXPECT_EQ(name("NVIDIA A100 80GB PCIe"), "A100-80GB-PCIe");
  EXPECT_EQ(name("NVIDIA A100-PG509-200"), "A100-40GB");
  EXPECT_EQ(name("NVIDIA H100 80GB HBM3"), "H100");
  EXPECT_EQ(name("NVIDIA H100 PCIe"), "H100-PCIe");
  EXPECT_EQ(name("NVIDIA H200"), "H200");
  EXPECT_EQ(name("NVIDIA GH200 480GB"), "GH200");
  EXPECT_EQ(name("NVIDIA B200"), "B200");
  EXPECT_EQ(name("NVIDIA GB200"), "GB200");
  EXPECT_EQ(name("Tesla V100-SXM2-32GB"), "V100");
  EXPECT_EQ(name("AMD Radeon Graphics"), "");
  for (const Accelerator& accelerator : *all) {
    EXPECT_TRUE(accelerator.bytes_per_s || accelerator.name == "GH200") << accelerator.name;
    for (const auto& [precision, reached] : accelerator.achievable) {
      EXPECT_LT(reached, accelerator.matrix.at(precision)) << accelerator.name;
    }
  }
}

// Operations a cycle of a compute unit: white papers of CDNA to CDNA 4 and ROCm's documentation of their architectures.
TEST(AcceleratorsFile, PeaksOfAmdAreUnitsTimesOperationsTimesClock) {
  using Rates = std::map<std::string, double>;
  const Rates cdna1_vector = {{"fp64", 64}, {"fp32", 128}};
  const Rates cdna1_matrix = {{"fp32", 256}, {"fp16", 1024}, {"bf16", 512}, {"int8", 1024}};
  const Rates vector = {{"fp64", 128}, {"fp32", 256}};  // FP32 packed
  const Rates cdna2_matrix = {{"fp64", 256}, {"fp32", 256}, {"fp16", 1024}, {"bf16", 1024}, {"int8", 1024}};
  const Rates cdna3_matrix = {{"fp64", 256},  {"fp32", 256}, {"tf32", 1024}, {"fp16", 2048},
                              {"bf16", 2048}, {"fp8", 4096}, {"int8", 4096}};
  const Rates cdna4_matrix = {{"fp64", 128},  {"fp32", 256}, {"fp16", 4096},
                              {"bf16", 4096}, {"fp8", 8192}, {"int8", 8192}};
  struct Model {
    std::string name;
    double units;
    double hz;
    Rates vector;
    Rates matrix;
  };
  const std::string path = std::string(AACO_SOURCE_DIR) + "/configs/accelerators.yaml";
  const auto text = read_file(path, 1 << 20);
  ASSERT_TRUE(text);
  const auto all = parse_accelerators(*text, path);
  ASSERT_TRUE(all);
  for (const Model& model : {Model{"MI100", 120, 1.502e9, cdna1_vector, cdna1_matrix},
                             {"MI210", 104, 1.7e9, vector, cdna2_matrix},
                             {"MI250", 104, 1.7e9, vector, cdna2_matrix},
                             {"MI250X", 110, 1.7e9, vector, cdna2_matrix},
                             {"MI300A", 228, 2.1e9, vector, cdna3_matrix},
                             {"MI300X", 304, 2.1e9, vector, cdna3_matrix},
                             {"MI325X", 304, 2.1e9, vector, cdna3_matrix},
                             {"MI350X", 256, 2.2e9, vector, cdna4_matrix},
                             {"MI355X", 256, 2.4e9, vector, cdna4_matrix}}) {
    const auto position =
        std::find_if(all->begin(), all->end(), [&](const auto& each) { return each.name == model.name; });
    ASSERT_NE(position, all->end()) << model.name;
    const auto compare = [&](const Rates& rates, const Rates& peaks) {
      EXPECT_EQ(rates.size(), peaks.size()) << model.name;
      for (const auto& [precision, rate] : rates) {
        const double peak = model.units * model.hz * rate;
        EXPECT_NEAR(peaks.at(precision), peak, 0.004 * peak) << model.name << " " << precision;  // as they are rounded
      }
    };
    compare(model.vector, position->vector);
    compare(model.matrix, position->matrix);
  }
}

}  // namespace
}  // namespace aaco
