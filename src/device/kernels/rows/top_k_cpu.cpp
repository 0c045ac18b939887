// SPDX-License-Identifier: MIT
// The reference. NaN counts as larger than any number; the places beyond the row's length get -infinity and index -1.
#include <algorithm>
#include <limits>
#include <numeric>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

bool ranks_before(const std::vector<float>& row, int32_t a, int32_t b) {
  const bool a_is_nan = row[a] != row[a];
  const bool b_is_nan = row[b] != row[b];
  if (a_is_nan != b_is_nan) {
    return a_is_nan;
  }
  if (a_is_nan || row[a] == row[b]) {
    return a < b;
  }
  return row[a] > row[b];
}

}  // namespace

void run_on_cpu(const TopKArgs& args) {
  const int64_t count = std::min(args.k, args.cols);
  std::vector<float> row(static_cast<size_t>(args.cols));
  std::vector<int32_t> order(static_cast<size_t>(args.cols));
  std::vector<float> values(static_cast<size_t>(args.k));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.in, args.dtype, r * args.cols, args.cols, row.data());
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [&](int32_t a, int32_t b) { return ranks_before(row, a, b); });
    for (int64_t j = 0; j < args.k; ++j) {
      const bool exists = j < count;
      args.indices[r * args.k + j] = exists ? order[j] : -1;
      values[j] = exists ? row[order[j]] : -std::numeric_limits<float>::infinity();
    }
    if (args.values != nullptr) {
      write_floats(args.values, args.dtype, r * args.k, args.k, values.data());
    }
  }
}

}  // namespace aaco
