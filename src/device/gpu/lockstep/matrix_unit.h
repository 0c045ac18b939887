// SPDX-License-Identifier: MIT
// matrix_unit.h on the host: the lanes lay their elements of both factors out as whole tiles, and each computes its
// elements of the product. Sums in fp32, in order of the index.
#pragma once

#include <array>
#include <bit>

namespace aaco::gpu {

namespace lockstep {

struct Factors {  // of one wave
  float left[kMatrixSide][kMatrixSide];
  float right[kMatrixSide][kMatrixSide];
};

template <class T>
float element(uint32_t word, int c) {
  return load(std::bit_cast<std::array<T, 2>>(word).data(), c % 2);
}

template <class T>
uint32_t elements(const T& low, const T& high) {
  return low.bits | static_cast<uint32_t>(high.bits) << 16;
}

}  // namespace lockstep

template <class T>
LeftFragment<T> load_left(const T* tile, int stride) {
  LeftFragment<T> left;
  for (int r = 0; r < kRowsOfLane; ++r) {
    for (int c = 0; c < kColumnsOfLane; c += 2) {
      const T* row = tile + row_of_lane(r) * stride;
      left.words[c / 2 * kRowsOfLane + r] = lockstep::elements(row[column_of_lane(c)], row[column_of_lane(c + 1)]);
    }
  }
  return left;
}

template <class T>
RightFragment<T> load_right_transposed(const T* tile, int stride) {
  RightFragment<T> right;
  for (int r = 0; r < kRowsOfLane; ++r) {
    for (int c = 0; c < kColumnsOfLane; c += 2) {
      const T* row = tile + row_of_lane(r) * stride;
      right.words[r * 2 + c / 2] = lockstep::elements(row[column_of_lane(c)], row[column_of_lane(c + 1)]);
    }
  }
  return right;
}

template <class T>
RightFragment<T> load_right(const T* tile, int stride) {
  RightFragment<T> right;
  for (int r = 0; r < kRowsOfLane; ++r) {
    for (int c = 0; c < kColumnsOfLane; c += 2) {
      const T* column = tile + row_of_lane(r);
      right.words[r * 2 + c / 2] = lockstep::elements(column[int64_t{column_of_lane(c)} * stride],
                                                      column[int64_t{column_of_lane(c + 1)} * stride]);
    }
  }
  return right;
}

template <class T>
void multiply_add(MatrixProduct& to, const LeftFragment<T>& left, const RightFragment<T>& right,
                  Site site = Site::current()) {
  constexpr int kMostWaves = 1024 / kWaveLanes;
  AACO_SHARED lockstep::Factors of_waves[kMostWaves];
  lockstep::Factors& factors = of_waves[wave()];
  for (int r = 0; r < kRowsOfLane; ++r) {
    for (int c = 0; c < kColumnsOfLane; ++c) {
      factors.left[row_of_lane(r)][column_of_lane(c)] = lockstep::element<T>(left.words[c / 2 * kRowsOfLane + r], c);
      factors.right[column_of_lane(c)][row_of_lane(r)] = lockstep::element<T>(right.words[r * 2 + c / 2], c);
    }
  }
  sync_wave(site);
  for (int r = 0; r < kRowsOfLane; ++r) {
    for (int c = 0; c < kColumnsOfLane; ++c) {
      for (int k = 0; k < kMatrixSide; ++k) {
        to.values[r][c] += factors.left[row_of_lane(r)][k] * factors.right[k][column_of_lane(c)];
      }
    }
  }
  sync_wave(site);
}

template <class T>
uint32_t pair_of(float low, float high) {
  T pair[2];
  store(pair, 0, low);
  store(pair, 1, high);
  return lockstep::elements(pair[0], pair[1]);
}

}  // namespace aaco::gpu
