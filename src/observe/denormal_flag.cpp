// SPDX-License-Identifier: MIT
#include "observe/denormal_flag.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace aaco {

#ifdef __SSE2__

namespace {
constexpr unsigned kDenormalOperand = 1U << 1;
}  // namespace

void clear_denormal_flag() { _mm_setcsr(_mm_getcsr() & ~kDenormalOperand); }

std::optional<bool> denormal_flag() { return (_mm_getcsr() & kDenormalOperand) != 0; }

#else

void clear_denormal_flag() {}

std::optional<bool> denormal_flag() { return std::nullopt; }

#endif

}  // namespace aaco
