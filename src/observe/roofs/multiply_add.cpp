// SPDX-License-Identifier: MIT
#include "observe/roofs/multiply_add.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/clock.h"

namespace aaco {

namespace {

// Twelve accumulators hide the latency of the longest of these instructions (10 cycles for two vpdpbusd) and leave four
// of the sixteen registers that AVX2 has.
constexpr int64_t kAccumulators = 12;

struct alignas(64) Line {
  std::array<unsigned char, 64> bytes{};
};

template <class T>
constexpr Line line_of(T value) {
  Line line;
  for (size_t i = 0; i < sizeof line.bytes; ++i) {
    line.bytes[i] = static_cast<unsigned char>(value >> (8 * (i % sizeof(T))));
  }
  return line;
}

constexpr Line kOnesFp64 = line_of(uint64_t{0x3FF0000000000000});
constexpr Line kOnesFp32 = line_of(uint32_t{0x3F800000});
constexpr Line kOnesFp16 = line_of(uint16_t{0x3C00});
constexpr Line kOnesBf16 = line_of(uint16_t{0x3F80});
constexpr Line kOnesInt8 = line_of(uint8_t{1});

#define AACO_FOR_TWELVE(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11)
#define AACO_ZERO(i) "vpxor %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n"
#define AACO_STORE_YMM(i) "vmovups %%ymm" #i ", 32*" #i "(%[out])\n"
#define AACO_STORE_ZMM(i) "vmovups %%zmm" #i ", 64*" #i "(%[out])\n"

// Writing an xmm register with a vector-extended instruction clears the rest of it, so that AACO_ZERO zeroes all
// widths. The compiler uses none but the sixteen xmm registers in baseline code: their names as clobbers are enough.
#define AACO_LOOP(name, wide, step, store)                                                                               \
  void name(uint64_t steps, const void* ones, void* out) {                                                               \
    asm volatile(AACO_FOR_TWELVE(AACO_ZERO) "vmovups (%[ones]), %%" wide "12\n"                                        \
                 "vmovaps %%" wide "12, %%" wide "13\n"                                                                \
                 ".balign 64\n"                                                                                        \
                 "1:\n" AACO_FOR_TWELVE(step) "dec %[steps]\n"                                                         \
                 "jnz 1b\n" AACO_FOR_TWELVE(store) "vzeroupper\n"                                                      \
                 : [steps] "+r"(steps)                                                                                 \
                 : [ones] "r"(ones), [out] "r"(out)                                                                    \
                 : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",     \
                   "xmm10", "xmm11", "xmm12", "xmm13"); \
  }

#define AACO_FMA64_YMM(i) "vfmadd231pd %%ymm12, %%ymm13, %%ymm" #i "\n"
#define AACO_FMA64_ZMM(i) "vfmadd231pd %%zmm12, %%zmm13, %%zmm" #i "\n"
#define AACO_FMA32_YMM(i) "vfmadd231ps %%ymm12, %%ymm13, %%ymm" #i "\n"
#define AACO_FMA32_ZMM(i) "vfmadd231ps %%zmm12, %%zmm13, %%zmm" #i "\n"
#define AACO_FMA16_ZMM(i) "vfmadd231ph %%zmm12, %%zmm13, %%zmm" #i "\n"
#define AACO_DOT_BF16_ZMM(i) "vdpbf16ps %%zmm12, %%zmm13, %%zmm" #i "\n"
#define AACO_DOT_INT8_YMM(i) "%{vex%} vpdpbusd %%ymm12, %%ymm13, %%ymm" #i "\n"
#define AACO_DOT_INT8_ZMM(i) "vpdpbusd %%zmm12, %%zmm13, %%zmm" #i "\n"

AACO_LOOP(fp64_avx2, "ymm", AACO_FMA64_YMM, AACO_STORE_YMM)
AACO_LOOP(fp64_avx512, "zmm", AACO_FMA64_ZMM, AACO_STORE_ZMM)
AACO_LOOP(fp32_avx2, "ymm", AACO_FMA32_YMM, AACO_STORE_YMM)
AACO_LOOP(fp32_avx512, "zmm", AACO_FMA32_ZMM, AACO_STORE_ZMM)
AACO_LOOP(fp16_avx512, "zmm", AACO_FMA16_ZMM, AACO_STORE_ZMM)
AACO_LOOP(bf16_avx512, "zmm", AACO_DOT_BF16_ZMM, AACO_STORE_ZMM)
AACO_LOOP(int8_avx, "ymm", AACO_DOT_INT8_YMM, AACO_STORE_YMM)
AACO_LOOP(int8_avx512, "zmm", AACO_DOT_INT8_ZMM, AACO_STORE_ZMM)

// Palette 1: eight tiles of 16 rows of 64 bytes (Intel SDM vol. 1, 18.3).
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  std::array<uint8_t, 14> reserved{};
  std::array<uint16_t, 16> bytes_per_row{64, 64, 64, 64, 64, 64, 64, 64};
  std::array<uint8_t, 16> rows{16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);
constexpr TileConfig kTiles;

constexpr int64_t kTileAccumulators = 6;

// Six tiles accumulate (a product takes 16 cycles and is ready after 52), two hold ones: a row stride of 0 loads the
// same line 16 times.
#define AACO_FOR_SIX(M) M(0) M(1) M(2) M(3) M(4) M(5)
#define AACO_TILE_ZERO(i) "tilezero %%tmm" #i "\n"
#define AACO_TILE_STORE(i) "tilestored %%tmm" #i ", 1024*" #i "(%[out],%[row],1)\n"
#define AACO_TILE_LOOP(name, step)                                                                                 \
  void name(uint64_t steps, const void* ones, void* out) {                                                         \
    asm volatile("ldtilecfg (%[tiles])\n" AACO_FOR_SIX(AACO_TILE_ZERO) "tileloadd (%[ones],%[same],1), %%tmm6\n" \
                 "tileloadd (%[ones],%[same],1), %%tmm7\n"                                                      \
                 ".balign 64\n"                                                                                 \
                 "1:\n" AACO_FOR_SIX(step) "dec %[steps]\n"                                                     \
                 "jnz 1b\n" AACO_FOR_SIX(AACO_TILE_STORE) "tilerelease\n"                                       \
                 : [steps] "+r"(steps)                                                                          \
                 : [ones] "r"(ones), [out] "r"(out), [tiles] "r"(&kTiles), [same] "r"(uint64_t{0}),             \
                   [row] "r"(uint64_t{64})                                                                      \
                 : "memory", "cc"); \
  }

#define AACO_TILE_BF16(i) "tdpbf16ps %%tmm7, %%tmm6, %%tmm" #i "\n"
#define AACO_TILE_INT8(i) "tdpbssd %%tmm7, %%tmm6, %%tmm" #i "\n"

AACO_TILE_LOOP(bf16_amx, AACO_TILE_BF16)
AACO_TILE_LOOP(int8_amx, AACO_TILE_INT8)

constexpr int64_t kLastInteger64 = int64_t{1} << 53;
constexpr int64_t kLastInteger32 = int64_t{1} << 24;
constexpr int64_t kLastInteger16 = int64_t{1} << 11;
constexpr int64_t kLargestInt32 = (int64_t{1} << 31) - 1;
constexpr int64_t kTileLanes = kTileAccumulators * 16 * 16;

// A dot product adds two (bf16) or four (int8) products to a lane, a tile's 32 or 64.
constexpr std::array kKernels{
    MultiplyAddKernel{"fp64", "avx512f vfmadd231pd", &CpuFeatures::avx512f, Lane::kFloat64, kAccumulators * 8, 1,
                      kLastInteger64, fp64_avx512, &kOnesFp64},
    MultiplyAddKernel{"fp64", "fma vfmadd231pd", &CpuFeatures::fma, Lane::kFloat64, kAccumulators * 4, 1,
                      kLastInteger64, fp64_avx2, &kOnesFp64},
    MultiplyAddKernel{"fp32", "avx512f vfmadd231ps", &CpuFeatures::avx512f, Lane::kFloat32, kAccumulators * 16, 1,
                      kLastInteger32, fp32_avx512, &kOnesFp32},
    MultiplyAddKernel{"fp32", "fma vfmadd231ps", &CpuFeatures::fma, Lane::kFloat32, kAccumulators * 8, 1,
                      kLastInteger32, fp32_avx2, &kOnesFp32},
    MultiplyAddKernel{"fp16", "avx512_fp16 vfmadd231ph", &CpuFeatures::avx512_fp16, Lane::kFloat16, kAccumulators * 32,
                      1, kLastInteger16, fp16_avx512, &kOnesFp16},
    MultiplyAddKernel{"bf16", "amx_bf16 tdpbf16ps", &CpuFeatures::amx_bf16, Lane::kFloat32, kTileLanes, 32,
                      kLastInteger32, bf16_amx, &kOnesBf16},
    MultiplyAddKernel{"bf16", "avx512_bf16 vdpbf16ps", &CpuFeatures::avx512_bf16, Lane::kFloat32, kAccumulators * 16, 2,
                      kLastInteger32, bf16_avx512, &kOnesBf16},
    MultiplyAddKernel{"int8", "amx_int8 tdpbssd", &CpuFeatures::amx_int8, Lane::kInt32, kTileLanes, 64, kLargestInt32,
                      int8_amx, &kOnesInt8},
    MultiplyAddKernel{"int8", "avx512_vnni vpdpbusd", &CpuFeatures::avx512_vnni, Lane::kInt32, kAccumulators * 16, 4,
                      kLargestInt32, int8_avx512, &kOnesInt8},
    MultiplyAddKernel{"int8", "avx_vnni vpdpbusd", &CpuFeatures::avx_vnni, Lane::kInt32, kAccumulators * 8, 4,
                      kLargestInt32, int8_avx, &kOnesInt8}};

template <class T>
T load(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// A positive finite half: 1 + mantissa/1024, times 2^(exponent - 15).
double half_value(uint16_t bits) { return bits == 0 ? 0.0 : std::ldexp(1024.0 + (bits & 0x3FF), (bits >> 10) - 25); }

double lane_value(Lane lane, const unsigned char* bytes, int64_t index) {
  switch (lane) {
    case Lane::kFloat64:
      return load<double>(bytes + 8 * index);
    case Lane::kFloat32:
      return static_cast<double>(load<float>(bytes + 4 * index));
    case Lane::kFloat16:
      return half_value(load<uint16_t>(bytes + 2 * index));
    case Lane::kInt32:
      return load<int32_t>(bytes + 4 * index);
  }
  return 0;
}

}  // namespace

std::span<const MultiplyAddKernel> multiply_add_kernels() { return kKernels; }

uint64_t most_steps(const MultiplyAddKernel& kernel) {
  return kernel.lane == Lane::kFloat16 ? UINT64_MAX : static_cast<uint64_t>(kernel.exact_up_to / kernel.per_lane);
}

MultiplyAddRun run_multiply_add(const MultiplyAddKernel& kernel, uint64_t steps) {
  struct alignas(64) Accumulators {
    std::array<unsigned char, size_t{6} << 10> bytes{};
  };
  Accumulators accumulators;
  MultiplyAddRun run;
  run.start_ns = monotonic_ns();
  kernel.run(steps, kernel.ones, accumulators.bytes.data());
  run.end_ns = monotonic_ns();
  const double counted = static_cast<double>(steps) * static_cast<double>(kernel.per_lane);
  const double expected = std::min(counted, static_cast<double>(kernel.exact_up_to));
  run.exact = true;
  for (int64_t i = 0; i < kernel.lanes; ++i) {
    const double value = lane_value(kernel.lane, accumulators.bytes.data(), i);
    run.sum += value;
    run.exact = run.exact && value == expected;
  }
  return run;
}

}  // namespace aaco
