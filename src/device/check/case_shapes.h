// SPDX-License-Identifier: MIT
// Sizes and types that the cases of several families go through.
#pragma once

#include <array>
#include <string>

#include "device/ops/dtype.h"

namespace aaco {

inline constexpr std::array kFloatTypes{Dtype::kF32, Dtype::kF16, Dtype::kBf16};

// Of arrays: nothing, one, part of a pack, whole packs, packs and a rest, more than one round of a grid's block.
inline constexpr std::array<int64_t, 6> kLengths{0, 1, 7, 1024, 2051, 100003};

// Of matrices: empty, single, rows below, at and above what the kernels hold in 32 lanes (1024) and in a block (8192),
// with and without whole packs, up to 128k and a bit.
struct MatrixShape {
  int64_t rows;
  int64_t cols;
};
inline constexpr std::array kMatrices{
    MatrixShape{0, 8},    MatrixShape{1, 1},     MatrixShape{5, 3},     MatrixShape{2050, 8}, MatrixShape{33, 100},
    MatrixShape{3, 1024}, MatrixShape{3, 1025},  MatrixShape{2, 2048},  MatrixShape{5, 4104}, MatrixShape{2, 8192},
    MatrixShape{2, 8200}, MatrixShape{2, 32000}, MatrixShape{1, 131075}};

inline std::string text_of(const MatrixShape& shape, Dtype dtype) {
  return "[" + std::to_string(shape.rows) + ", " + std::to_string(shape.cols) + "] " + name_of(dtype);
}

}  // namespace aaco
