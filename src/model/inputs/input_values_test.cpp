// SPDX-License-Identifier: MIT
#include "model/inputs/input_values.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "model/float16.h"
#include "model/test_port.h"

namespace aaco {
namespace {

using test::port;
using testing::Each;
using testing::ElementsAre;

InputRequest seed(uint64_t value) {
  InputRequest request;
  request.seed = value;
  return request;
}

template <class T>
std::vector<T> values_of(const PortInfo& port, const InputRequest& request) {
  const auto inputs = make_inputs({port}, request);
  EXPECT_TRUE(inputs) << inputs.error().message;
  if (!inputs) {
    return {};
  }
  const std::vector<uint8_t>& data = inputs->tensors.at(0).data;
  std::vector<T> values(data.size() / sizeof(T));
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}

// The sums of the generator's definition less their mean, for seed 7 and stream "w", from a separate program; their
// standard deviation is sqrt((2^32 - 1) / 3).
TEST(InputValues, FloatsAreThoseOfTheGeneratorInEveryWidth) {
  const double sums[] = {-23209, 10952, -54671, 88254, -56767, -5461};
  const auto doubles = values_of<double>(port("w", ElementType::kDouble, {2, 3}), seed(7));
  const auto floats = values_of<float>(port("w", ElementType::kFloat, {6}), seed(7));
  const auto halves = values_of<uint16_t>(port("w", ElementType::kFloat16, {6}), seed(7));
  const auto brains = values_of<uint16_t>(port("w", ElementType::kBfloat16, {6}), seed(7));
  const auto complexes = values_of<float>(port("w", ElementType::kComplex64, {3}), seed(7));
  ASSERT_EQ(doubles.size(), 6U);
  for (size_t i = 0; i < doubles.size(); ++i) {
    EXPECT_NEAR(doubles[i], sums[i] / std::sqrt(4294967295.0 / 3), 5e-8);
    EXPECT_EQ(floats[i], static_cast<float>(doubles[i]));
    EXPECT_EQ(halves[i], float16_bits(floats[i]));
    // A bfloat16 is the upper half of a float: within half of its last place, 2^-9 relative.
    const uint32_t widened = uint32_t{brains[i]} << 16;
    float back = 0;
    std::memcpy(&back, &widened, sizeof back);
    EXPECT_NEAR(back, floats[i], std::abs(floats[i]) * 0x1p-8);
  }
  EXPECT_EQ(complexes, floats);
}

TEST(InputValues, DependOnSeedAndNameOnly) {
  const auto values = [](const char* name, uint64_t number) {
    return values_of<float>(port(name, ElementType::kFloat, {8}), seed(number));
  };
  EXPECT_EQ(values("x", 1), values("x", 1));
  EXPECT_NE(values("x", 1), values("x", 2));
  EXPECT_NE(values("x", 1), values("y", 1));
}

TEST(InputValues, FollowTheNameAndTypeOfTheInput) {
  EXPECT_THAT(values_of<int64_t>(port("attention_mask", ElementType::kInt64, {4}), {}), Each(1));
  EXPECT_THAT(values_of<float>(port("input_Mask", ElementType::kFloat, {4}), {}), Each(1.0F));
  EXPECT_THAT(values_of<uint8_t>(port("flag", ElementType::kBool, {3}), {}), Each(1));
  EXPECT_THAT(values_of<int32_t>(port("position_ids", ElementType::kInt32, {2, 3}), {}), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(values_of<int64_t>(port("segment", ElementType::kInt64, {64}), {}), testing::Contains(1));
  InputRequest table;
  table.index_limits["ids"] = 5;
  const auto indices = values_of<int64_t>(port("ids", ElementType::kInt64, {200}), table);
  EXPECT_THAT(indices, Each(testing::AllOf(testing::Ge(0), testing::Lt(5))));
  EXPECT_THAT(indices, testing::Contains(4));
  // Two 4-bit values a byte, the first in the low half: 0 | 1 << 4, 2 | 3 << 4, 4.
  EXPECT_THAT(values_of<uint8_t>(port("position", ElementType::kUint4, {5}), {}), ElementsAre(0x10, 0x32, 0x04));
}

// A request whose model uses `name` so.
InputRequest with_use(const std::string& name, const InputUse& use) {
  InputRequest request;
  request.uses_of = [name, use](const InputTypes&) { return InputUses{{name, use}}; };
  return request;
}

TEST(InputValues, OfAnIndexAreSpreadOverItsTable) {
  InputUse rows;
  rows.range = ValueRange{1, 1000};
  rows.range_why = "they index";
  const auto ids = values_of<int32_t>(port("ids", ElementType::kInt32, {4000}), with_use("ids", rows));
  EXPECT_THAT(ids, Each(testing::AllOf(testing::Ge(1), testing::Le(1000))));
  EXPECT_GT(std::set<int32_t>(ids.begin(), ids.end()).size(), 900U);  // 1000 (1 - 1/e^4) = 982 are to be expected
  // Positions count, within the table.
  InputUse places;
  places.range = ValueRange{0, 2};
  EXPECT_THAT(values_of<int64_t>(port("position_ids", ElementType::kInt64, {1, 5}), with_use("position_ids", places)),
              ElementsAre(0, 1, 2, 0, 1));
  InputUse columns;
  columns.range = ValueRange{0, 2};
  columns.columns = {{0, 99}, {0, 2}};
  const auto pairs = values_of<int64_t>(port("ids", ElementType::kInt64, {200, 2}), with_use("ids", columns));
  int64_t largest = 0;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    largest = std::max(largest, pairs[i]);
    EXPECT_LE(pairs[i + 1], 2);
  }
  EXPECT_GT(largest, 50);
}

TEST(InputValues, OfALengthAreAllThereIs) {
  InputUse steps;
  steps.length = 100;
  EXPECT_THAT(values_of<int64_t>(port("n", ElementType::kInt64, {2}), with_use("n", steps)), ElementsAre(100, 100));
  // Only the name says it: the input that is named alike has 80 channels and 50 frames.
  const auto inputs = make_inputs(
      {port("ids", ElementType::kInt64, {1, 7}), port("speech", ElementType::kFloat, {1, 80, -1}, {"", "", "frames"}),
       port("speech_lengths", ElementType::kInt32, {1})},
      [] {
        InputRequest request;
        request.dims["frames"] = 50;
        return request;
      }());
  ASSERT_TRUE(inputs) << inputs.error().message;
  int32_t value = 0;
  std::memcpy(&value, inputs->tensors[2].data.data(), sizeof value);
  EXPECT_EQ(value, 50);
  EXPECT_EQ(inputs->notes[2].why, "its name says length, and speech has 50 steps");
}

TEST(InputValues, ThatDecideASizeAreAskedFor) {
  InputUse decides;
  decides.decides = "the number of elements of TopK t";
  decides.example[0] = 10;
  InputRequest request = with_use("k", decides);
  request.command_line = {"aaco", "run", "m.onnx"};
  const std::vector<PortInfo> ports{port("x", ElementType::kFloat, {-1, 8}, {"nodes", ""}),
                                    port("k", ElementType::kInt64, {1})};
  const auto refused = make_inputs(ports, request);
  ASSERT_FALSE(refused);
  EXPECT_THAT(
      refused.error().message,
      testing::HasSubstr("x [nodes, 8]; only you know the values of an input: k is the number of elements of TopK t"));
  EXPECT_THAT(refused.error().hint,
              testing::HasSubstr("aaco run m.onnx --dim nodes=128 --input k=10 (sizes and values"));
  request.texts["k"] = "10";
  request.dims["nodes"] = 128;
  const auto inputs = make_inputs(ports, request);
  ASSERT_TRUE(inputs) << inputs.error().message;
  EXPECT_EQ(inputs->notes[1].values, "10");
  EXPECT_EQ(inputs->notes[1].why, kGivenInput);
  // The largest of indices is not asked for.
  decides.decides_reduced = true;
  decides.range = ValueRange{0, 4};
  EXPECT_TRUE(make_inputs({ports[1]}, with_use("k", decides)));
}

TEST(InputValues, AreTakenFromTheCommandLine) {
  InputRequest request;
  request.texts = {{"ids", "1,2,3"}, {"k", "-5"}, {"scale", "0.5"}, {"flag", "false"}};
  const auto inputs =
      make_inputs({port("ids", ElementType::kInt64, {-1, -1}, {"batch", "length"}),
                   port("mask", ElementType::kInt64, {-1, -1}, {"batch", "length"}), port("k", ElementType::kInt8, {2}),
                   port("scale", ElementType::kFloat, {}), port("flag", ElementType::kBool, {1})},
                  request);
  ASSERT_TRUE(inputs) << inputs.error().message;
  EXPECT_THAT(inputs->tensors[0].dims, ElementsAre(1, 3));
  EXPECT_THAT(inputs->tensors[1].dims, ElementsAre(1, 3));  // has the same length
  EXPECT_EQ(element_as_double(inputs->tensors[0], 2), 3);
  EXPECT_EQ(element_as_double(inputs->tensors[2], 1), -5);
  EXPECT_EQ(element_as_double(inputs->tensors[3], 0), 0.5);
  EXPECT_EQ(inputs->tensors[4].data[0], 0);
  const auto message = [](const PortInfo& port_info, const std::string& text) {
    InputRequest bad;
    bad.texts[port_info.name] = text;
    const auto result = make_inputs({port_info}, bad);
    return result ? "" : result.error().message;
  };
  EXPECT_THAT(message(port("a", ElementType::kInt64, {4}), "1,2,3"), testing::HasSubstr("3 values where [4] takes 4"));
  EXPECT_THAT(message(port("a", ElementType::kInt8, {1}), "128"), testing::HasSubstr("'128' is no int8"));
  EXPECT_THAT(message(port("a", ElementType::kUint8, {1}), "-1"), testing::HasSubstr("'-1' is no uint8"));
  EXPECT_THAT(message(port("a", ElementType::kInt64, {1}), "x.txt"), testing::HasSubstr("and no file .npy or .pb"));
}

TEST(InputValues, SayHowTheyWereMade) {
  const auto inputs = make_inputs({port("x", ElementType::kFloat, {2}), port("n", ElementType::kInt64, {2}),
                                   port("words", ElementType::kString, {2})},
                                  {});
  ASSERT_TRUE(inputs) << inputs.error().message;
  EXPECT_EQ(inputs->notes[0].values, "bell-shaped, mean 0, deviation 1");
  EXPECT_EQ(inputs->notes[1].values, "uniform integers from 0 to 1");
  EXPECT_EQ(inputs->notes[1].dtype, "int64");
  EXPECT_THAT(inputs->tensors[2].strings, ElementsAre("0", "1"));
}

// Of an odd count, so that elements smaller than a byte end within one.
TEST(InputValues, OfEveryTypeAreFiniteAndVaried) {
  for (int32_t number = 1; number <= static_cast<int32_t>(ElementType::kInt2); ++number) {
    const auto type = static_cast<ElementType>(number);
    InputRequest request;
    request.seed = 3;
    const auto inputs = make_inputs({port("x", type, {37})}, request);
    ASSERT_TRUE(inputs) << element_name(type) << ": " << inputs.error().message;
    const HostTensor& tensor = inputs->tensors[0];
    EXPECT_TRUE(all_finite(tensor)) << element_name(type);
    if (type == ElementType::kString || type == ElementType::kBool) {
      continue;
    }
    EXPECT_EQ(static_cast<int64_t>(tensor.data.size()), *storage_bytes(type, {37})) << element_name(type);
    EXPECT_GT(std::set<uint8_t>(tensor.data.begin(), tensor.data.end()).size(), 1U) << element_name(type);
  }
}

}  // namespace
}  // namespace aaco
