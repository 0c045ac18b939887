// SPDX-License-Identifier: MIT
// AACO_BLOCKS(threads, per_unit), between AACO_KERNEL and void: a block has at most so many threads, and a compute unit
// should have room for so many blocks; the compiler shares out registers by that.
//
// AACO_WITHIN(threads), in the same place, for AMD's compiler alone: without a bound it takes a block of 1024 for
// possible and spills what exceeds the registers that each thread of such a block could have. nvcc assumes no size.
//
// kMostSharedBytes: shared memory that a block can have on any device that this is compiled for; a kernel that takes
// more need not be compiled.
#pragma once

#include <cstddef>

#if defined(AACO_LOCKSTEP)
#define AACO_BLOCKS(threads, per_unit)
#define AACO_WITHIN(threads)
#elif defined(__HIP__)  // whose second bound counts waves of a quarter of a unit
#define AACO_BLOCKS(threads, per_unit) __launch_bounds__(threads)
#define AACO_WITHIN(threads) __launch_bounds__(threads)
#else
#define AACO_BLOCKS(threads, per_unit) __launch_bounds__(threads, per_unit)
#define AACO_WITHIN(threads)
#endif

namespace aaco::gpu {

#if defined(__HIP__) && !defined(AACO_LOCKSTEP)
inline constexpr size_t kMostSharedBytes = size_t{64} * 1024;
#else
inline constexpr size_t kMostSharedBytes = size_t{227} * 1024;
#endif

}  // namespace aaco::gpu
