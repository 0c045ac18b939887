// SPDX-License-Identifier: MIT
// Kernels that are right, and kernels that are wrong in one way each, for lockstep_test.cpp.
#include "device/gpu/matrix_unit.h"
#include "device/gpu/portability.h"
#include "trial_kernels.h"

namespace aaco::gpu {
namespace {

AACO_KERNEL void wave_reduction(TrialArgs args) {
  const float sum = wave_sum(args.in[thread_x()]);
  if (lane() == 0) {
    args.out[wave()] = sum;
  }
}

AACO_KERNEL void block_reduction(TrialArgs args) {
  AACO_SHARED float scratch[32];
  const int64_t i = static_cast<int64_t>(block_x()) * block_size() + thread_x();
  const float sum = block_sum(i < args.n ? args.in[i] : 0.0F, scratch);
  const float most = block_max(i < args.n ? args.in[i] : -1e30F, scratch);
  if (thread_x() == 0) {
    float* out = args.out + size_t{2} * block_x();
    out[0] = sum;
    out[1] = most;
  }
}

// Lane i has row i of a matrix and ends with its column i.
AACO_KERNEL void shuffle_transpose(TrialArgs args) {
  for (int k = 0; k < kWaveLanes; ++k) {
    const int to = (lane() - k) & (kWaveLanes - 1);
    const int from = (lane() + k) & (kWaveLanes - 1);
    args.out[lane() * kWaveLanes + from] = shuffle(args.in[lane() * kWaveLanes + to], from);
  }
}

// The positive ones of `in`, in their order.
AACO_KERNEL void ballot_compaction(TrialArgs args) {
  const float value = args.in[thread_x()];
  const uint64_t kept = ballot(value > 0);
  const uint64_t before = kept & ((uint64_t{1} << lane()) - 1);
  if (value > 0) {
    args.out[std::popcount(before)] = value;
  }
  if (lane() == 0) {
    *args.count = std::popcount(kept);
  }
}

// out[i] = in[i + 1] + the wide value of the lane, through 8-byte shuffles; the last lane keeps its own.
AACO_KERNEL void wide_shift(TrialArgs args) {
  const double value = args.in[thread_x()];
  args.out[thread_x()] = static_cast<float>(shuffle_down(value, 1));
}

AACO_KERNEL void everywhere(TrialArgs args) {
  const uint32_t block = (block_z() * 3 + block_y()) * grid_x() + block_x();
  args.out[block * block_size() + thread_x()] = static_cast<float>(block * 1000 + thread_x());
}

AACO_KERNEL void atomics(TrialArgs args) {
  atomic_add(args.count, 2);
  atomic_add(args.out, 0.5F);
  const uint64_t place = block_x() * block_size() + thread_x() + 1;
  atomic_min(args.extremes, place);
  atomic_max(args.extremes + 1, place);
}

template <class T>
AACO_KERNEL void dynamic_reverse(TrialArgs args) {
  AACO_DYNAMIC_SHARED(T, tile);
  tile[thread_x()] = args.in[thread_x()];
  sync_block();
  args.out[thread_x()] = tile[block_size() - 1 - thread_x()];
}

// Each thread waits on its own; all of them together take one wait.
AACO_KERNEL void wait_for_time(TrialArgs args) {
  const uint64_t start = clock_ns(1'000'000);
  while (clock_ns(1'000'000) - start < static_cast<uint64_t>(args.n)) {
  }
}

// Wave 0 waits for what the last wave writes.
AACO_KERNEL void wait_for_other_wave(TrialArgs args) {
  AACO_SHARED uint32_t ready;
  if (thread_x() == 0) {
    store_system(&ready, 0);
  }
  sync_block();
  if (thread_x() == block_size() - 1) {
    store_system(&ready, 7);
  }
  while (load_system(&ready) != 7) {
    clock_ticks();
  }
  args.out[thread_x()] = static_cast<float>(ready);
}

// in: A, B, each 16 x 16; out: A B, A B^T, (A B) B, and per row the largest and the sum of (A B) B.
template <class T>
AACO_KERNEL void matrix_products(TrialArgs args) {
  constexpr int kStride = kMatrixSide + 8;
  constexpr int kElements = kMatrixSide * kMatrixSide;
  alignas(16) AACO_SHARED T left[kMatrixSide * kStride];
  alignas(16) AACO_SHARED T right[kMatrixSide * kStride];
  for (int i = lane(); i < kElements; i += kWaveLanes) {
    const int place = i / kMatrixSide * kStride + i % kMatrixSide;
    store(left, place, args.in[i]);
    store(right, place, args.in[kElements + i]);
  }
  sync_wave();
  MatrixProduct products[3];
  for (MatrixProduct& product : products) {
    product.clear();
  }
  multiply_add(products[0], load_left(left, kStride), load_right(right, kStride));
  multiply_add(products[1], load_left(left, kStride), load_right_transposed(right, kStride));
  multiply_add(products[2], left_of<T>(products[0]), load_right(right, kStride));
  for (int r = 0; r < kRowsOfLane; ++r) {
    float most = products[2].values[r][0];
    float sum = 0;
    for (int c = 0; c < kColumnsOfLane; ++c) {
      for (int i = 0; i < 3; ++i) {
        args.out[i * kElements + row_of_lane(r) * kMatrixSide + column_of_lane(c)] = products[i].values[r][c];
      }
      most = products[2].values[r][c] > most ? products[2].values[r][c] : most;
      sum += products[2].values[r][c];
    }
    args.out[3 * kElements + 2 * row_of_lane(r)] = row_max(most);
    args.out[3 * kElements + 2 * row_of_lane(r) + 1] = row_sum(sum);
  }
}

// Thread i copies pack i; those from `n` on do not exist.
AACO_KERNEL void copies_async(TrialArgs args) {
  alignas(16) AACO_SHARED float tile[4 * 128];
  const size_t first = size_t{4} * thread_x();
  copy_async<16>(tile + first, args.in + first, thread_x() < args.n);
  wait_for_copies();
  sync_block();
  for (uint32_t i = 0; i < 4; ++i) {
    args.out[4 * thread_x() + i] = tile[4 * (block_size() - 1 - thread_x()) + i];
  }
}

// From here on, wrong ones.

AACO_KERNEL void missing_wait(TrialArgs args) {
  AACO_SHARED float tile[128];
  copy_async<4>(tile + thread_x(), args.in + thread_x(), true);
  args.out[thread_x()] = tile[thread_x()];
}

AACO_KERNEL void copies_unaligned(TrialArgs args) {
  alignas(16) AACO_SHARED float tile[8];
  copy_async<16>(tile, args.in + 1, true);
  wait_for_copies();
  args.out[0] = tile[0];
}

AACO_KERNEL void missing_barrier(TrialArgs args) {
  AACO_SHARED float tile[256];
  tile[thread_x()] = args.in[thread_x()];
  args.out[thread_x()] = tile[(thread_x() + 1) % block_size()];
}

AACO_KERNEL void reads_unwritten(TrialArgs args) {
  AACO_SHARED float tile[4];
  AACO_SHARED uint16_t half[4];
  AACO_DYNAMIC_SHARED(double, wide);
  args.out[0] += tile[0];
  args.out[1] += half_to_float(half[1]);
  args.out[2] += static_cast<float>(wide[2]);
  tile[0] = half[1] = 0;  // gone before the next block
  wide[2] = 0;
}

AACO_KERNEL void diverged_primitives(TrialArgs args) {
  if (lane() < kWaveLanes / 2) {
    args.out[0] = shuffle_xor(args.in[0], 1);
  } else {
    *args.count = static_cast<int32_t>(ballot(true));
  }
}

AACO_KERNEL void diverged_calls(TrialArgs args) {
  if (lane() < 3) {
    args.out[0] = shuffle(args.in[0], 1);
  } else {
    args.out[1] = shuffle(args.in[0], 1);
  }
}

AACO_KERNEL void barrier_within_wave(TrialArgs) {
  if (lane() == 5) {
    sync_block();
  } else {
    sync_wave();
  }
}

AACO_KERNEL void two_barriers(TrialArgs) {
  if (wave() == 0) {  // NOLINT(bugprone-branch-clone): two barriers is what is wrong with it
    sync_block();
  } else {
    sync_block();
  }
}

// One thread leaves out its wait for what was launched before.
AACO_KERNEL void waits_for_previous(TrialArgs args) {
  if (thread_x() != args.n) {
    wait_for_previous();
  }
  args.out[thread_x()] = args.in[thread_x()];
}

AACO_KERNEL void reads_ended_lane(TrialArgs args) {
  if (lane() == 9) {
    return;
  }
  args.out[thread_x()] = shuffle_xor(args.in[thread_x()], 1);
}

AACO_KERNEL void reads_missing_lane(TrialArgs args) { args.out[thread_x()] = wave_sum(args.in[thread_x()]); }

AACO_KERNEL void overruns_shared(TrialArgs args) {
  AACO_DYNAMIC_SHARED(float, tile);
  tile[args.n] = 1;
}

[[gnu::noinline]] float fill_stack(int64_t n) {
  volatile unsigned char large[lockstep::kStackBytes];
  for (volatile unsigned char& byte : large) {
    byte = 1;
  }
  return large[n];
}

AACO_KERNEL void overflows_stack(TrialArgs args) {
  if (thread_x() == 1) {
    args.out[0] = fill_stack(args.n);
  }
}

}  // namespace

#define TRIAL(kernel) template struct lockstep::Registered<kernel, TrialArgs>;
TRIAL(wave_reduction)
TRIAL(block_reduction)
TRIAL(shuffle_transpose)
TRIAL(ballot_compaction)
TRIAL(wide_shift)
TRIAL(everywhere)
TRIAL(atomics)
TRIAL(dynamic_reverse<float>)
TRIAL(matrix_products<Half>)
TRIAL(matrix_products<Bfloat16>)
TRIAL(copies_async)
TRIAL(missing_wait)
TRIAL(copies_unaligned)
TRIAL(wait_for_time)
TRIAL(wait_for_other_wave)
TRIAL(missing_barrier)
TRIAL(reads_unwritten)
TRIAL(diverged_primitives)
TRIAL(diverged_calls)
TRIAL(barrier_within_wave)
TRIAL(two_barriers)
TRIAL(waits_for_previous)
TRIAL(reads_ended_lane)
TRIAL(reads_missing_lane)
TRIAL(overruns_shared)
TRIAL(overflows_stack)

}  // namespace aaco::gpu
