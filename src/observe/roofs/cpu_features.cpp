// SPDX-License-Identifier: MIT
#include "observe/roofs/cpu_features.h"

#include <cpuid.h>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

namespace aaco {

namespace {

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

constexpr bool bit(uint64_t value, int index) { return ((value >> index) & 1) != 0; }

// Which register states the kernel saves: bits 1-2 SSE and AVX, 5-7 AVX-512, 17-18 AMX tiles (Intel SDM vol. 1, 13.3).
uint64_t saved_states() {
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

constexpr uint64_t kAvxStates = 0x6;
constexpr uint64_t kAvx512States = 0xE6;
constexpr uint64_t kTileStates = 0x60000;

bool kernel_grants_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

// Bits: Intel SDM vol. 2A, CPUID leaves 1 and 7.
CpuFeatures cpu_features() {
  CpuFeatures has;
  const Registers registers = cpuid(1, 0);
  if (!bit(registers.ecx, 27)) {  // OSXSAVE: without it, xgetbv does not exist
    return has;
  }
  const uint64_t states = saved_states();
  const Registers seven = cpuid(7, 0);
  const Registers seven_one = cpuid(7, 1);
  const bool avx = (states & kAvxStates) == kAvxStates;
  const bool avx512 = (states & kAvx512States) == kAvx512States;
  has.fma = avx && bit(registers.ecx, 12) && bit(seven.ebx, 5);
  has.avx_vnni = avx && bit(seven_one.eax, 4);
  has.avx512f = avx512 && bit(seven.ebx, 16);
  has.avx512_bf16 = has.avx512f && bit(seven_one.eax, 5);
  has.avx512_fp16 = has.avx512f && bit(seven.edx, 23);
  has.avx512_vnni = has.avx512f && bit(seven.ecx, 11);
  const bool tiles = (states & kTileStates) == kTileStates && bit(seven.edx, 24) && kernel_grants_tiles();
  has.amx_bf16 = tiles && bit(seven.edx, 22);
  has.amx_int8 = tiles && bit(seven.edx, 25);
  return has;
}

}  // namespace aaco
