// SPDX-License-Identifier: MIT
// A tile of op(b) is copied together once and serves all rows of a while it is in the cache.
#include <algorithm>
#include <vector>

#include "device/cpu/blas.h"

namespace aaco::cpu {

namespace {

constexpr int64_t kTileK = 128;
constexpr int64_t kTileN = 256;

void scale_result(const MatrixProduct& p) {
  for (int64_t i = 0; i < p.m; ++i) {
    float* row = p.c + i * p.ldc;
    if (p.beta == 0) {
      std::fill(row, row + p.n, 0.0F);
    } else {
      std::transform(row, row + p.n, row, [&](float value) { return p.beta * value; });
    }
  }
}

// Adds alpha * op(a)[:, k0, k0 + depth) * tile to columns [n0, n0 + width) of c.
void add_tile(const MatrixProduct& p, const std::vector<float>& tile, int64_t k0, int64_t depth, int64_t n0,
              int64_t width) {
  for (int64_t i = 0; i < p.m; ++i) {
    float* row = p.c + i * p.ldc + n0;
    for (int64_t kk = 0; kk < depth; ++kk) {
      const float a = p.transpose_a ? p.a[(k0 + kk) * p.lda + i] : p.a[i * p.lda + k0 + kk];
      const float factor = p.alpha * a;
      const float* from = tile.data() + kk * kTileN;
      for (int64_t j = 0; j < width; ++j) {
        row[j] += factor * from[j];
      }
    }
  }
}

}  // namespace

void multiply_by_reference(const MatrixProduct& p) {
  scale_result(p);
  std::vector<float> tile(kTileK * kTileN);
  for (int64_t n0 = 0; n0 < p.n; n0 += kTileN) {
    const int64_t width = std::min(kTileN, p.n - n0);
    for (int64_t k0 = 0; k0 < p.k; k0 += kTileK) {
      const int64_t depth = std::min(kTileK, p.k - k0);
      for (int64_t kk = 0; kk < depth; ++kk) {
        for (int64_t j = 0; j < width; ++j) {
          tile[kk * kTileN + j] = p.transpose_b ? p.b[(n0 + j) * p.ldb + k0 + kk] : p.b[(k0 + kk) * p.ldb + n0 + j];
        }
      }
      add_tile(p, tile, k0, depth, n0, width);
    }
  }
}

}  // namespace aaco::cpu
