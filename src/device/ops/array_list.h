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

// Says that the array added last, unless it was null, consists of rows of `row` elements, `pitch` from one to the next.
inline void set_last_rows(OpWork& work, const void* pointer, int64_t pitch, int64_t row) {
  if (pointer != nullptr && row < pitch) {
    OpArray& array = work.arrays.back();
    array.pitch_bytes = pitch * size_of(array.dtype);
    array.row_bytes = row * size_of(array.dtype);
  }
}

}  // namespace aaco
