// SPDX-License-Identifier: MIT
#include "model/tensor.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace aaco {
namespace {

HostTensor of_bytes(ElementType type, std::vector<int64_t> dims, std::vector<uint8_t> data) {
  return {"x", type, std::move(dims), std::move(data), {}};
}

template <class T>
HostTensor of_values(ElementType type, const std::vector<T>& values) {
  HostTensor tensor{"x", type, {static_cast<int64_t>(values.size())}, {}, {}};
  tensor.data.resize(values.size() * sizeof(T));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

double value_of(ElementType type, uint8_t code) { return *element_as_double(of_bytes(type, {1}, {code}), 0); }

TEST(Tensor, NamesGoBothWays) {
  for (int32_t number = 1; number <= static_cast<int32_t>(ElementType::kInt2); ++number) {
    const auto type = static_cast<ElementType>(number);
    EXPECT_EQ(element_of_name(element_name(type)), type);
  }
  EXPECT_EQ(element_name(ElementType::kUndefined), "undefined");
  EXPECT_FALSE(element_of_name("float33"));
}

TEST(Tensor, StorageIsPacked) {
  EXPECT_EQ(storage_bytes(ElementType::kFloat, {2, 3}), 24);
  EXPECT_EQ(storage_bytes(ElementType::kInt4, {3}), 2);
  EXPECT_EQ(storage_bytes(ElementType::kUint2, {5}), 2);
  EXPECT_EQ(storage_bytes(ElementType::kFloat, {}), 4);
  EXPECT_EQ(storage_bytes(ElementType::kFloat, {0, 7}), 0);
  EXPECT_FALSE(storage_bytes(ElementType::kFloat, {-1}));
  EXPECT_FALSE(storage_bytes(ElementType::kDouble, {INT64_MAX, 2}));
  EXPECT_FALSE(storage_bytes(ElementType::kDouble, {INT64_MAX / 8}));
}

// Largest numbers, smallest subnormals and one, from the definition of each format.
TEST(Tensor, SmallFloatsByTheirDefinition) {
  EXPECT_EQ(value_of(ElementType::kFloat8e4m3fn, 0x7E), 448);
  EXPECT_EQ(value_of(ElementType::kFloat8e4m3fn, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(value_of(ElementType::kFloat8e4m3fn, 0x38), 1);
  EXPECT_TRUE(std::isnan(value_of(ElementType::kFloat8e4m3fn, 0xFF)));
  EXPECT_EQ(value_of(ElementType::kFloat8e4m3fnuz, 0x7F), 240);
  EXPECT_EQ(value_of(ElementType::kFloat8e4m3fnuz, 0x40), 1);
  EXPECT_TRUE(std::isnan(value_of(ElementType::kFloat8e4m3fnuz, 0x80)));
  EXPECT_EQ(value_of(ElementType::kFloat8e5m2, 0x7B), 57344);
  EXPECT_EQ(value_of(ElementType::kFloat8e5m2, 0xFC), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value_of(ElementType::kFloat8e5m2fnuz, 0x7F), 57344);
  EXPECT_EQ(value_of(ElementType::kFloat8e5m2fnuz, 0x01), std::ldexp(1, -17));
  EXPECT_EQ(value_of(ElementType::kFloat8e8m0, 127), 1);
  EXPECT_EQ(value_of(ElementType::kFloat8e8m0, 0), std::ldexp(1, -127));
  EXPECT_TRUE(std::isnan(value_of(ElementType::kFloat8e8m0, 255)));
  EXPECT_EQ(element_as_double(of_values<uint16_t>(ElementType::kFloat16, {0xFBFF}), 0), -65504);
  EXPECT_EQ(element_as_double(of_values<uint16_t>(ElementType::kBfloat16, {0x3F80}), 0), 1);
}

TEST(Tensor, ElementsSmallerThanAByteStartAtItsLowEnd) {
  const std::vector<double> float4 = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint8_t code = 0; code < 8; ++code) {
    const HostTensor pair = of_bytes(ElementType::kFloat4e2m1, {2}, {static_cast<uint8_t>((code | 8) << 4 | code)});
    EXPECT_EQ(element_as_double(pair, 0), float4[code]);
    EXPECT_EQ(element_as_double(pair, 1), -float4[code]);
  }
  const HostTensor int4 = of_bytes(ElementType::kInt4, {2}, {0x8F});
  EXPECT_EQ(element_as_double(int4, 0), -1);
  EXPECT_EQ(element_as_double(int4, 1), -8);
  const HostTensor int2 = of_bytes(ElementType::kInt2, {4}, {0b11'10'01'00});
  const HostTensor uint2 = of_bytes(ElementType::kUint2, {4}, {0b11'10'01'00});
  const std::vector<double> as_signed = {0, 1, -2, -1};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(element_as_double(int2, i), as_signed[static_cast<size_t>(i)]);
    EXPECT_EQ(element_as_double(uint2, i), static_cast<double>(i));
  }
}

TEST(Tensor, FiniteByTheFormatsOwnCodes) {
  EXPECT_TRUE(all_finite(of_values<float>(ElementType::kFloat, {1, -3e38F})));
  EXPECT_FALSE(all_finite(of_values<float>(ElementType::kFloat, {1, INFINITY})));
  EXPECT_FALSE(all_finite(of_values<double>(ElementType::kDouble, {NAN})));
  EXPECT_FALSE(all_finite(of_values<uint16_t>(ElementType::kBfloat16, {0, 0x7F80})));
  EXPECT_TRUE(all_finite(of_bytes(ElementType::kFloat8e4m3fn, {2}, {0x7E, 0x80})));
  EXPECT_FALSE(all_finite(of_bytes(ElementType::kFloat8e4m3fn, {2}, {0, 0x7F})));
  EXPECT_FALSE(all_finite(of_bytes(ElementType::kFloat8e4m3fnuz, {1}, {0x80})));
  EXPECT_TRUE(all_finite(of_bytes(ElementType::kFloat4e2m1, {2}, {0xFF})));
  EXPECT_FALSE(all_finite(of_values<float>(ElementType::kComplex64, {1, NAN})));
  EXPECT_TRUE(all_finite(of_values<int64_t>(ElementType::kInt64, {-1})));
}

TEST(Tensor, DifferencesAreCountedForEveryType) {
  const auto floats = [](const std::vector<float>& values) { return of_values(ElementType::kFloat, values); };
  EXPECT_EQ(count_differences(floats({1, NAN, INFINITY}), floats({1, NAN, INFINITY}), 0), 0);
  EXPECT_EQ(count_differences(floats({1, NAN, INFINITY}), floats({1, 0, -INFINITY}), 0.1), 2);
  EXPECT_EQ(count_differences(floats({100.5F, 102}), floats({100, 100}), 0.01), 1);
  for (int32_t number = 1; number <= static_cast<int32_t>(ElementType::kInt2); ++number) {
    const auto type = static_cast<ElementType>(number);
    if (type == ElementType::kString) {
      continue;
    }
    const auto bytes = static_cast<size_t>(*storage_bytes(type, {2}));
    const HostTensor tensor = of_bytes(type, {2}, std::vector<uint8_t>(bytes, 0));
    HostTensor other = tensor;
    other.data[0] = 0x01;  // of a wide float a subnormal: only a tolerance of none sees it
    EXPECT_EQ(count_differences(tensor, tensor, 0), 0) << element_name(type);
    EXPECT_EQ(count_differences(other, tensor, 0), 1) << element_name(type);
  }
  HostTensor strings{"x", ElementType::kString, {2}, {}, {"a", std::string("b\0c", 3)}};
  HostTensor others = strings;
  EXPECT_EQ(count_differences(strings, others, 0), 0);
  others.strings[1] = "b";
  EXPECT_EQ(count_differences(strings, others, 0), 1);
}

}  // namespace
}  // namespace aaco
