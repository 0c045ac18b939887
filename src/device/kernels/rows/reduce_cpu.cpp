// SPDX-License-Identifier: MIT
// The reference: sums in fp64. Sums of nothing are 0, means of nothing NaN, maxima of nothing -infinity; a maximum is
// NaN where any of its elements is.
#include <limits>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

double start_of(ReduceOp op) { return op == ReduceOp::kMax ? -std::numeric_limits<double>::infinity() : 0; }

double joined(ReduceOp op, double total, double value) {
  if (op == ReduceOp::kMax) {
    return total > value || total != total ? total : value;
  }
  return total + value;
}

void reduce_rows(const ReduceArgs& args, std::vector<double>& totals) {
  std::vector<float> row(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.in, args.in_dtype, r * args.cols, args.cols, row.data());
    double total = start_of(args.op);
    for (const float value : row) {
      total = joined(args.op, total, value);
    }
    totals[r] = total;
  }
}

void reduce_columns(const ReduceArgs& args, std::vector<double>& totals) {
  std::vector<float> row(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.in, args.in_dtype, r * args.cols, args.cols, row.data());
    for (int64_t c = 0; c < args.cols; ++c) {
      totals[c] = joined(args.op, totals[c], row[c]);
    }
  }
}

}  // namespace

void run_on_cpu(const ReduceArgs& args) {
  const bool along_row = args.axis == ReduceAxis::kAlongRow;
  const int64_t results = along_row ? args.rows : args.cols;
  const int64_t terms = along_row ? args.cols : args.rows;
  std::vector<double> totals(static_cast<size_t>(results), start_of(args.op));
  if (along_row) {
    reduce_rows(args, totals);
  } else {
    reduce_columns(args, totals);
  }
  std::vector<float> out(static_cast<size_t>(results), 0.0F);
  if (args.accumulate != 0 && args.op == ReduceOp::kSum) {
    read_floats(args.out, args.out_dtype, 0, results, out.data());
  }
  for (int64_t i = 0; i < results; ++i) {
    const double total = args.op == ReduceOp::kMean ? totals[i] / static_cast<double>(terms) : totals[i];
    out[i] = static_cast<float>(args.op == ReduceOp::kMax ? total : out[i] + total);
  }
  write_floats(args.out, args.out_dtype, 0, results, out.data());
}

}  // namespace aaco
