// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace aaco {

// How fast the device multiplies matrices of a precision, measured on random data: the
// fastest of several sizes.
struct ProductRoof {
  double flops_per_s = 0;
  int64_t size = 0;  // of the square matrices that it was found with
  std::string precision;
};

// How fast its memory is, out of caches.
struct MemoryRoof {
  double bytes_per_s = 0;
  std::string how;  // "a copy of arrays of 512 MB, out of caches"
};

}  // namespace aaco
