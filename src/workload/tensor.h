// SPDX-License-Identifier: MIT
// An array in a device's memory that a workload works on: contiguous, row-major. A view; the builder owns the memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "device/ops/dtype.h"

namespace aaco {

struct Tensor {
  void* data = nullptr;
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> dims;

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t dim : dims) {
      product *= dim;
    }
    return product;
  }
  int64_t bytes() const { return elements() * size_of(dtype); }
  int64_t cols() const { return dims.empty() ? 1 : dims.back(); }
  int64_t rows() const { return elements() / cols(); }

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  // From element `offset` on, as another shape of the same type; where there is no data, none.
  Tensor view(int64_t offset, std::initializer_list<int64_t> shape) const {
    return {data == nullptr ? nullptr : static_cast<char*>(data) + offset * size_of(dtype), dtype, shape};
  }
  Tensor reshaped(std::initializer_list<int64_t> shape) const { return view(0, shape); }
};

}  // namespace aaco
