// SPDX-License-Identifier: MIT
#include "model/input_values.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "model/float16.h"

namespace aaco {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

PortInfo port(const std::string& name, ElementType type, std::vector<int64_t> dims,
              std::vector<std::string> dim_names = {}) {
  PortInfo made;
  made.name = name;
  made.type = type;
  made.dims = std::move(dims);
  made.dim_names = std::move(dim_names);
  made.dim_names.resize(made.dims.size());
  return made;
}

InputRequest seed(uint64_t value) {
  InputRequest request;
  request.seed = value;
  return request;
}

template <class T>
std::vector<T> values_of(const PortInfo& one, const InputRequest& request) {
  const auto made = make_inputs({one}, request);
  EXPECT_TRUE(made) << made.error().message;
  if (!made) {
    return {};
  }
  const std::vector<uint8_t>& data = made->tensors.at(0).data;
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

TEST(InputValues, SayHowTheyWereMade) {
  const auto made = make_inputs({port("x", ElementType::kFloat, {2}), port("n", ElementType::kInt64, {2}),
                                 port("words", ElementType::kString, {2})},
                                {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->notes[0].values, "bell-shaped, mean 0, deviation 1");
  EXPECT_EQ(made->notes[1].values, "uniform integers from 0 to 1");
  EXPECT_EQ(made->notes[1].dtype, "int64");
  EXPECT_THAT(made->tensors[2].strings, ElementsAre("s0", "s1"));
}

TEST(InputShapes, TakeTheBatchTheFlagOrTheRegistry) {
  const std::vector<PortInfo> ports{port("x", ElementType::kFloat, {-1, 3, -1, -1}, {"N", "", "H", "W"})};
  InputRequest request;
  request.batch = 4;
  request.dims["H"] = 5;
  request.shapes["x"] = {1, 3, 7, 9};
  const auto shapes = resolve_shapes(ports, request);
  ASSERT_TRUE(shapes) << shapes.error().message;
  EXPECT_THAT(shapes->at("x"), ElementsAre(4, 3, 5, 9));
}

// Of an odd count, so that elements smaller than a byte end within one.
TEST(InputValues, OfEveryTypeAreFiniteAndVaried) {
  for (int32_t number = 1; number <= static_cast<int32_t>(ElementType::kInt2); ++number) {
    const auto type = static_cast<ElementType>(number);
    InputRequest request;
    request.seed = 3;
    const auto made = make_inputs({port("x", type, {37})}, request);
    ASSERT_TRUE(made) << element_name(type) << ": " << made.error().message;
    const HostTensor& tensor = made->tensors[0];
    EXPECT_TRUE(all_finite(tensor)) << element_name(type);
    if (type == ElementType::kString || type == ElementType::kBool) {
      continue;
    }
    EXPECT_EQ(static_cast<int64_t>(tensor.data.size()), *storage_bytes(type, {37})) << element_name(type);
    EXPECT_GT(std::set<uint8_t>(tensor.data.begin(), tensor.data.end()).size(), 1U) << element_name(type);
  }
}

TEST(InputShapes, RefuseWhatIsNotKnown) {
  const std::vector<PortInfo> symbolic{port("x", ElementType::kFloat, {-1, -1}, {"N", "length"})};
  EXPECT_THAT(resolve_shapes(symbolic, {}).error().message, HasSubstr("dimension length has no value"));
  InputRequest other;
  other.dims["width"] = 2;
  EXPECT_THAT(resolve_shapes(symbolic, other).error().message, HasSubstr("--dim width"));
  InputRequest huge;
  huge.dims["length"] = int64_t{1} << 40;
  EXPECT_THAT(resolve_shapes(symbolic, huge).error().message, HasSubstr("more than 64 GiB"));
  InputRequest batch;
  batch.batch = 2;
  EXPECT_THAT(resolve_shapes({port("x", ElementType::kFloat, {1, 4})}, batch).error().message, HasSubstr("--batch 2"));
  InputRequest contradicting;
  contradicting.shapes["x"] = {1, 5};
  EXPECT_THAT(resolve_shapes({port("x", ElementType::kFloat, {1, 4})}, contradicting).error().message,
              HasSubstr("axis 1 is 4 in the model and 5 in the registry"));
  PortInfo sequence = port("x", ElementType::kFloat, {1});
  sequence.is_tensor = false;
  EXPECT_THAT(resolve_shapes({sequence}, {}).error().message, HasSubstr("is a sequence"));
  const PortInfo newer = port("x", static_cast<ElementType>(27), {4});
  ASSERT_FALSE(make_inputs({newer}, {}));
  EXPECT_THAT(resolve_shapes({newer}, {}).error().message, HasSubstr("element type 27"));
}

}  // namespace
}  // namespace aaco
