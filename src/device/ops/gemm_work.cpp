// SPDX-License-Identifier: MIT
// Matrix product: 2 m n k. Convolution the same with the filter as k. What is asked for besides is counted as the
// element-wise operation that it is.
#include <algorithm>
#include <cstddef>

#include "device/ops/array_list.h"
#include "device/ops/conv_shape.h"

namespace aaco {

namespace {

struct StridedMatrices {
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t row_length = 0;
  int64_t stride = 0;
};

void add_matrices(OpWork& work, size_t offset, const void* pointer, const StridedMatrices& strided_matrices,
                  int64_t batch, Access access, Dtype dtype) {
  const int64_t elements = strided_matrices.rows * strided_matrices.cols;
  const bool none = elements == 0 || batch == 0;
  const int64_t extent = (batch - 1) * strided_matrices.stride +
                         (strided_matrices.rows - 1) * strided_matrices.row_length + strided_matrices.cols;
  add_array(work, offset, pointer, none ? 0 : extent,
            none                           ? 0
            : strided_matrices.stride == 0 ? elements
                                           : batch * elements,
            access, dtype);
  if (batch == 1 || strided_matrices.stride == 0 ||
      strided_matrices.stride == strided_matrices.rows * strided_matrices.row_length) {
    set_last_rows(work, pointer, strided_matrices.row_length, strided_matrices.cols);
  }
}

double epilogue_flops(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kNone:
      return 0;
    case Epilogue::kBias:
      return 1;
    case Epilogue::kBiasRelu:
      return 2;
    case Epilogue::kBiasGelu:  // the bias; a scaling, erf, an addition and two products
      return 6;
  }
  return 0;
}

}  // namespace

OpWork work_of(const GemmArgs& args) {
  OpWork work;
  const double results = static_cast<double>(args.batch) * static_cast<double>(args.m) * static_cast<double>(args.n);
  const double scaling = (args.alpha != 1 ? 1 : 0) + (args.beta == 0 ? 0 : 2);
  work.flops = results * (2 * static_cast<double>(args.k) + scaling + epilogue_flops(args.epilogue));
  const bool ta = args.transpose_a != 0;
  const bool tb = args.transpose_b != 0;
  add_matrices(work, offsetof(GemmArgs, a), args.a,
               {ta ? args.k : args.m, ta ? args.m : args.k, args.lda, args.stride_a}, args.batch, Access::kRead,
               args.in_dtype);
  add_matrices(work, offsetof(GemmArgs, b), args.b,
               {tb ? args.n : args.k, tb ? args.k : args.n, args.ldb, args.stride_b}, args.batch, Access::kRead,
               args.in_dtype);
  add_matrices(work, offsetof(GemmArgs, c), args.c, {args.m, args.n, args.ldc, args.stride_c}, args.batch,
               args.beta == 0 ? Access::kWrite : Access::kReadWrite, args.out_dtype);
  if (args.epilogue != Epilogue::kNone) {
    add_array(work, offsetof(GemmArgs, bias), args.bias, args.n, Access::kRead, args.out_dtype);
  }
  return work;
}

OpWork work_of(const ConvArgs& args) {
  OpWork work;
  const ConvShape shape = shape_of(args);
  const double results = static_cast<double>(args.n) * args.o * static_cast<double>(shape.out_pixels());
  work.flops = results * (2 * static_cast<double>(shape.filter_size()) + (args.bias != nullptr ? 1 : 0) +
                          (args.relu != 0 ? 1 : 0));
  add_array(work, offsetof(ConvArgs, in), args.in, int64_t{args.n} * args.c * args.h * args.w, Access::kRead,
            args.dtype);
  add_array(work, offsetof(ConvArgs, weight), args.weight, args.o * shape.filter_size(), Access::kRead, args.dtype);
  add_array(work, offsetof(ConvArgs, bias), args.bias, args.o, Access::kRead, args.dtype);
  add_array(work, offsetof(ConvArgs, out), args.out, int64_t{args.n} * args.o * shape.out_pixels(), Access::kWrite,
            args.dtype);
  return work;
}

// One operation per element that a window covers.
OpWork work_of(const PoolArgs& args) {
  OpWork work;
  const int64_t results = args.planes * (args.h / args.window) * (args.w / args.window);
  const int64_t covered = results * args.window * args.window;
  work.flops = static_cast<double>(covered);
  add_array(work, offsetof(PoolArgs, in), args.in, args.planes * args.h * args.w, covered, Access::kRead, args.dtype);
  add_array(work, offsetof(PoolArgs, out), args.out, results, Access::kWrite, args.dtype);
  return work;
}

// Two divisions and a difference per element.
OpWork work_of(const ImageArgs& args) {
  OpWork work;
  const int64_t elements = int64_t{args.n} * args.c * args.h * args.w;
  work.flops = 3 * static_cast<double>(elements);
  add_array(work, offsetof(ImageArgs, in), args.in, elements, Access::kRead, Dtype::kU8);
  add_array(work, offsetof(ImageArgs, flip), args.flip, args.n, Access::kRead, Dtype::kU8);
  add_array(work, offsetof(ImageArgs, out), args.out, elements, Access::kWrite, args.dtype);
  return work;
}

}  // namespace aaco
