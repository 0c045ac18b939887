// SPDX-License-Identifier: MIT
// The bytes that a kernel finds at its argument pointer: those of the call, and the hidden ones that the runtime adds
// ("Hidden kernel arguments" of the AMDGPU backend's guide: .value_kind of code object version 5).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "amd_isa/machine.h"
#include "base/result.h"
#include "kernel_metadata.h"

namespace aaco::amd {

// The explicit arguments of a kernel in one piece, at their offsets, copied from where the host's array of pointers
// says.
std::vector<std::byte> copy_explicit(const KernelMetadata& kernel, const void* const* arguments);

// All of the kernarg segment. `explicit_bytes` as copy_explicit gives them. Every block is whole. Errors: a hidden
// argument that is not known here (a printf buffer, a heap, ...), or of another size than the guide says; a block that
// is larger than the kernel allows.
Result<std::vector<std::byte>> kernarg_of(const KernelMetadata& kernel, const Geometry& geometry,
                                          std::span<const std::byte> explicit_bytes);

}  // namespace aaco::amd
