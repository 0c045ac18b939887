// SPDX-License-Identifier: MIT
// What one call of an operator computes and moves, as its framework's profiler tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/text/enum_words.h"

namespace aaco {

// A product of matrices A [m, k] and B [k, n], `batch` times.
struct MatrixProduct {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  // Whether it lies in memory column by column. None where strides are not recorded or say neither.
  std::optional<bool> transposed_a;
  std::optional<bool> transposed_b;
};

enum class OpFamily : uint8_t {
  kUnknown,
  kProduct,
  kConvolution,
  kAttention,
  kNormalization,
  kReduction,
  kElementwise,
  kMovement
};
template <>
inline constexpr EnumWords<OpFamily, 8> kWordsOf<OpFamily>{
    {"unknown", "product", "convolution", "attention", "normalization", "reduction", "elementwise", "movement"}};

struct CallWork {
  OpFamily family = OpFamily::kUnknown;
  bool backward = false;  // by its name; a product does not say
  std::optional<double> flops;
  std::optional<double> bytes;
  std::string dtype;    // of the arithmetic, as onnx_cost.h names it
  bool matrix = false;  // runs on matrix units where the device has them
  std::optional<MatrixProduct> product;
  std::string missing;  // why flops or bytes are not known; "" where both are
};

// Work without figures, for the reason.
CallWork unknown_work(OpFamily family, std::string missing);

// Figures that are not finite are none, and where one is missing the reason is given.
CallWork checked(CallWork work);

}  // namespace aaco
