// SPDX-License-Identifier: MIT
// Waiting without sleep, for a few microseconds at most: waking a thread costs more than that. Short enough that many
// waiting threads on few processors do not keep the working ones from theirs.
#pragma once

namespace aaco {

inline constexpr int kBriefSpins = 64;

// Whether `ready` came true meanwhile.
template <class Ready>
bool brief_spin(Ready&& ready) {
  for (int i = 0; i < kBriefSpins; ++i) {
    if (ready()) {
      return true;
    }
    __builtin_ia32_pause();  // as _mm_pause() of <immintrin.h>, which takes half a second to compile
  }
  return false;
}

}  // namespace aaco
