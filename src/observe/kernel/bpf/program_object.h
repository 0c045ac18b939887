// SPDX-License-Identifier: MIT
// The compiled programs (kernel_plane.bpf.c), as an ELF object; the build makes the file that defines it.
#pragma once

#include <cstddef>

namespace aaco {

extern const unsigned char kKernelPrograms[];
extern const size_t kKernelProgramsBytes;

}  // namespace aaco
