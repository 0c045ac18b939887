// SPDX-License-Identifier: MIT
// AACO_BLOCKS(threads, per_unit), between AACO_KERNEL and void: a block has at most so many threads, and a compute unit
// should have room for so many blocks; the compiler shares out registers by that.
#pragma once

#if defined(AACO_LOCKSTEP)
#define AACO_BLOCKS(threads, per_unit)
#elif defined(__HIP__)  // whose second bound counts waves of a quarter of a unit
#define AACO_BLOCKS(threads, per_unit) __launch_bounds__(threads)
#else
#define AACO_BLOCKS(threads, per_unit) __launch_bounds__(threads, per_unit)
#endif
