// SPDX-License-Identifier: MIT
// How work_of lists the arrays of an operation.
#pragma once

#include "device/ops/op_work.h"

namespace aaco {

// Appends an array unless its pointer is null. `extent`: elements from its first to the end of its last; `used`: how
// many of these are touched.
inline void add_array(OpWork& work, size_t pointer_offset, const void* pointer, int64_t extent, int64_t used,
                      Access access, Dtype dtype) {
  if (pointer != nullptr) {
    work.arrays.push_back(
        {pointer_offset, pointer, extent * size_of(dtype), used * size_of(dtype), 0, 0, access, dtype});
  }
}

inline void add_array(OpWork& work, size_t pointer_offset, const void* pointer, int64_t elements, Access access,
                      Dtype dtype) {
  add_array(work, pointer_offset, pointer, elements, elements, access, dtype);
}

// The clock as words, which must be equal to the bit: clock_at (kernels/training/training_clock.h) gives the same ones
// everywhere.
inline void add_clock(OpWork& work, size_t pointer_offset, const TrainingClock* clock, Access access) {
  add_array(work, pointer_offset, clock, sizeof(TrainingClock) / sizeof(int32_t), access, Dtype::kI32);
}

// Says that the array added last, unless it was null, consists of rows of `row` elements, `pitch` from one to the next.
inline void set_last_rows(OpWork& work, const void* pointer, int64_t pitch, int64_t row) {
  if (pointer != nullptr && row < pitch) {
    OpArray& array = work.arrays.back();
    array.pitch_bytes = pitch * size_of(array.dtype);
    array.row_bytes = row * size_of(array.dtype);
  }
}

// A tensor of a layout; its rows are known as such where heads lie side by side, and batches behind each other.
struct LayoutTensor {
  AttentionLayout layout;
  int64_t batch;
  int64_t rows;
  int64_t heads;
  int64_t head_dim;
};

inline void add_laid_out(OpWork& work, size_t offset, const void* pointer, const LayoutTensor& tensor, Access access,
                         Dtype dtype) {
  const int64_t used = tensor.batch * tensor.rows * tensor.heads * tensor.head_dim;
  const int64_t extent = used == 0 ? 0
                                   : (tensor.batch - 1) * tensor.layout.batch + (tensor.rows - 1) * tensor.layout.row +
                                         (tensor.heads - 1) * tensor.layout.head + tensor.head_dim;
  add_array(work, offset, pointer, extent, used, access, dtype);
  if ((tensor.heads == 1 || tensor.layout.head == tensor.head_dim) &&
      (tensor.batch == 1 || tensor.layout.batch == tensor.rows * tensor.layout.row)) {
    set_last_rows(work, pointer, tensor.layout.row, tensor.heads * tensor.head_dim);
  }
}

}  // namespace aaco
