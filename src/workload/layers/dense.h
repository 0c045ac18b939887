// SPDX-License-Identifier: MIT
// A dense layer that only runs forward: out = in * weight + bias, then perhaps a ReLU or GELU, one kernel.
#pragma once

#include <cmath>

#include "workload/builder.h"
#include "workload/layers/matmul.h"

namespace aaco {

struct Dense {
  Tensor weight;  // [in, out]
  Tensor bias;    // [out]
};

// Values uniform in +-1/sqrt(in).
inline Dense make_dense(WorkloadBuilder& builder, Precision precision, int64_t in, int64_t out) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  return {builder.random(precision.dtype, {in, out}, -bound, bound),
          builder.random(precision.dtype, {out}, -bound, bound)};
}

inline GemmArgs forward(const Dense& layer, const Tensor& in, const Tensor& out, Precision precision,
                        Epilogue epilogue = Epilogue::kBias) {
  GemmArgs args = matmul(in, layer.weight, out, precision);
  args.bias = layer.bias.data;
  args.epilogue = epilogue;
  return args;
}

// out += in * weight + bias.
inline GemmArgs forward_added(const Dense& layer, const Tensor& in, const Tensor& out, Precision precision) {
  GemmArgs args = forward(layer, in, out, precision);
  args.beta = 1;
  return args;
}

// Mean 0 and variance 1 along each row, without weights.
inline NormArgs normalised(const Tensor& in, const Tensor& out) {
  NormArgs args;
  args.in = in.data;
  args.out = out.data;
  args.rows = in.rows();
  args.cols = in.cols();
  args.dtype = in.dtype;
  return args;
}

}  // namespace aaco
