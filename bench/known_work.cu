// SPDX-License-Identifier: MIT
// known_work: kernels whose operations, bytes and occupancy follow from their code, each launched once after a first
// launch of `warm_up`. Prints a JSON object a line: the kernel and what its counters must say. For an NVIDIA GPU of
// compute capability 8.0 or newer; bench/known_work.py runs it under ncu.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerProcessor = 8;
constexpr int kRounds = 4096;
constexpr int kChains = 4;  // independent sums of a thread
constexpr size_t kStreamed = size_t{1} << 30;
constexpr size_t kCached = size_t{8} << 20;
constexpr int kPasses = 64;
constexpr int kHalfOccupancyShared = 56 << 10;  // bytes of shared memory a block: four blocks of 256 threads fit

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "known_work: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(3);
  }
}

__global__ void warm_up(float* out) { out[threadIdx.x] = 1; }

// An addition, a multiplication and one of both, none of which the compiler may merge. For half precision only the last:
// ptxas makes half of the others instructions of both, which counters hold to be two operations a number.
__device__ float step(float x, float by) { return __fmaf_rn(__fmul_rn(__fadd_rn(x, by), by), by, by); }
__device__ double step(double x, double by) { return __fma_rn(__dmul_rn(__dadd_rn(x, by), by), by, by); }
__device__ half2 step(half2 x, half2 by) { return __hfma2(x, by, by); }

template <class T>
__device__ void sums(T* out, T by) {
  T sum[kChains];
  for (int chain = 0; chain < kChains; ++chain) {
    sum[chain] = out[threadIdx.x + chain];
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int chain = 0; chain < kChains; ++chain) {
      sum[chain] = step(sum[chain], by);
    }
  }
  for (int chain = 1; chain < kChains; ++chain) {
    if (reinterpret_cast<const uint16_t&>(sum[chain]) == 1) {  // keeps all chains, adds no operation of T
      sum[0] = sum[chain];
    }
  }
  out[threadIdx.x] = sum[0];
}

__global__ void scalar_fp32(float* out, float by) { sums(out, by); }
__global__ void scalar_fp64(double* out, double by) { sums(out, by); }
__global__ void scalar_fp16(half2* out, half2 by) { sums(out, by); }

// A tile's product of a warp, of the numbers 0: m x n x k of its name.
#define AACO_TILE(KERNEL, INSTRUCTION, RESULTS, A, B)                                                          \
  __global__ void KERNEL(uint32_t* out) {                                                                      \
    uint32_t d[8] = {};                                                                                        \
    for (int round = 0; round < kRounds; ++round) {                                                            \
      asm volatile(INSTRUCTION " " RESULTS ", " A ", " B ", " RESULTS ";"                                      \
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                            \
                   : "r"(d[4]), "r"(d[5]), "r"(d[6]), "r"(d[7]));                                              \
    }                                                                                                          \
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];                                                              \
  }

AACO_TILE(tile_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "{%0, %1, %2, %3}", "{%4, %5, %6, %7}", "{%4, %5}")
AACO_TILE(tile_fp16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "{%0, %1, %2, %3}", "{%4, %5, %6, %7}", "{%4, %5}")
AACO_TILE(tile_fp16_to_fp16, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "{%0, %1}", "{%4, %5, %6, %7}", "{%4, %5}")
AACO_TILE(tile_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "{%0, %1, %2, %3}", "{%4, %5, %6, %7}", "{%4, %5}")
AACO_TILE(tile_int8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "{%0, %1, %2, %3}", "{%4, %5, %6, %7}", "{%4, %5}")

__global__ void tile_fp64(double* out) {
  double d[2] = {};
  double a = out[0];
  for (int round = 0; round < kRounds; ++round) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a));
  }
  out[threadIdx.x] = d[0] + d[1];
}

__global__ void copy(const uint4* from, uint4* to, size_t n) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
    to[i] = from[i];
  }
}

// Reads what lies in L2 again and again, past L1.
__global__ void read_again(const uint4* from, uint4* to, size_t n) {
  uint4 sum = {};
  for (int pass = 0; pass < kPasses; ++pass) {
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
      const uint4 value = __ldcg(from + i);
      sum.x ^= value.x;
    }
  }
  if (sum.x == 1) {
    *to = sum;
  }
}

__global__ void half_occupancy(float* out, float by) {
  extern __shared__ float staged[];
  staged[threadIdx.x] = by;
  __syncthreads();
  sums(out, staged[threadIdx.x ^ 1]);
}

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  const int blocks = device.multiProcessorCount * kBlocksPerProcessor;
  char* memory = nullptr;
  check(cudaMalloc(&memory, 2 * kStreamed), "cudaMalloc");
  check(cudaMemset(memory, 0, 2 * kStreamed), "cudaMemset");
  warm_up<<<1, kThreads>>>(reinterpret_cast<float*>(memory));

  const double threads = double(blocks) * kThreads;
  const double scalar = threads * kChains * kRounds * 4;  // an addition, a multiplication, one of both; or one of both on two
  const double tiles = threads / 32 * kRounds;
  scalar_fp32<<<blocks, kThreads>>>(reinterpret_cast<float*>(memory), 0.5F);
  std::printf("{\"kernel\": \"scalar_fp32\", \"type\": \"fp32\", \"operations\": %.0f}\n", scalar);
  scalar_fp64<<<blocks, kThreads>>>(reinterpret_cast<double*>(memory), 0.5);
  std::printf("{\"kernel\": \"scalar_fp64\", \"type\": \"fp64\", \"operations\": %.0f}\n", scalar);
  scalar_fp16<<<blocks, kThreads>>>(reinterpret_cast<half2*>(memory), __float2half2_rn(0.5F));
  std::printf("{\"kernel\": \"scalar_fp16\", \"type\": \"fp16\", \"operations\": %.0f}\n", scalar);

  const auto tile = [&](const char* name, const char* type, auto* kernel, auto* out, double operations) {
    kernel<<<blocks, kThreads>>>(out);
    std::printf("{\"kernel\": \"%s\", \"type\": \"tensor_%s\", \"operations\": %.0f}\n", name, type, operations * tiles);
  };
  auto* words = reinterpret_cast<uint32_t*>(memory);
  tile("tile_bf16", "bf16", tile_bf16, words, 2 * 16 * 8 * 16);
  tile("tile_fp16", "fp16", tile_fp16, words, 2 * 16 * 8 * 16);
  tile("tile_fp16_to_fp16", "fp16", tile_fp16_to_fp16, words, 2 * 16 * 8 * 16);
  tile("tile_tf32", "tf32", tile_tf32, words, 2 * 16 * 8 * 8);
  tile("tile_int8", "int8", tile_int8, words, 2 * 16 * 8 * 32);
  tile("tile_fp64", "fp64", tile_fp64, reinterpret_cast<double*>(memory), 2 * 8 * 8 * 4);

  copy<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(memory), reinterpret_cast<uint4*>(memory + kStreamed), kStreamed / sizeof(uint4));
  std::printf("{\"kernel\": \"copy\", \"hbm_read_bytes\": %zu, \"hbm_write_bytes\": %zu}\n", kStreamed, kStreamed);
  read_again<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(memory), reinterpret_cast<uint4*>(memory + kStreamed), kCached / sizeof(uint4));
  std::printf("{\"kernel\": \"read_again\", \"l2_bytes\": %zu}\n", kCached * kPasses);
  check(cudaFuncSetAttribute(half_occupancy, cudaFuncAttributeMaxDynamicSharedMemorySize, kHalfOccupancyShared), "cudaFuncSetAttribute");
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, half_occupancy, kThreads, kHalfOccupancyShared),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  half_occupancy<<<blocks, kThreads, kHalfOccupancyShared>>>(reinterpret_cast<float*>(memory), 0.5F);
  std::printf("{\"kernel\": \"half_occupancy\", \"type\": \"fp32\", \"operations\": %.0f, \"theoretical_occupancy\": %.17g}\n", scalar,
              100.0 * resident * kThreads / device.maxThreadsPerMultiProcessor);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return 0;
}
