// SPDX-License-Identifier: MIT
// How work_of lists the arrays of an operation.
#pragma once

#include "device/op_work.h"

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

}  // namespace aaco
