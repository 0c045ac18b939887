// SPDX-License-Identifier: MIT
// Which of the multiply-add instructions this processor has and the kernel lets us use.
#pragma once

namespace aaco {

struct CpuFeatures {
  bool fma = false;  // AVX2 and FMA3
  bool avx_vnni = false;
  bool avx512f = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool avx512_vnni = false;
  bool amx_bf16 = false;
  bool amx_int8 = false;
};

// Asks the kernel for the AMX tile registers, which a process gets on request only.
CpuFeatures cpu_features();

}  // namespace aaco
