// SPDX-License-Identifier: MIT
// Kernels of which tests know the result, and kernels that are wrong on purpose. No headers: they compile with clang alone.
#define GLOBAL extern "C" __attribute__((global))
#define SHARED __attribute__((shared))

namespace {

__attribute__((device)) unsigned thread() { return __builtin_amdgcn_workitem_id_x(); }
__attribute__((device)) unsigned block() { return __builtin_amdgcn_workgroup_id_x(); }

// Of all threads of the block: LDS is written before and read after.
__attribute__((device)) void meet() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

constexpr unsigned kThreads = 128;

}  // namespace

GLOBAL void fill(float* out, float value, unsigned count) {
  const unsigned i = block() * kThreads + thread();
  if (i < count) {
    out[i] = value;
  }
}

GLOBAL void quotient(float* out, const float* a, const float* b, unsigned count) {
  const unsigned i = block() * kThreads + thread();
  if (i < count) {
    out[i] = a[i] / b[i] + __builtin_sqrtf(a[i]);
  }
}

GLOBAL void double_quotient(double* out, const double* a, const double* b, unsigned count) {
  const unsigned i = block() * kThreads + thread();
  if (i < count) {
    out[i] = a[i] / b[i];
  }
}

GLOBAL void half_sum(_Float16* out, const _Float16* a, const _Float16* b, unsigned count) {
  const unsigned i = block() * kThreads + thread();
  if (i < count) {
    out[i] = a[i] + b[i];
  }
}

// out[block] = the sum of the block's part of `in`.
GLOBAL void block_sum(float* out, const float* in) {
  SHARED static float parts[kThreads];
  parts[thread()] = in[block() * kThreads + thread()];
  meet();
  for (unsigned half = kThreads / 2; half != 0; half /= 2) {
    if (thread() < half) {
      parts[thread()] += parts[thread() + half];
    }
    meet();
  }
  if (thread() == 0) {
    out[block()] = parts[0];
  }
}

// Counts what has each of 16 values, in LDS and then in memory.
GLOBAL void histogram(unsigned* out, const unsigned* in, unsigned count) {
  SHARED static unsigned bins[16];
  if (thread() < 16) {
    bins[thread()] = 0;
  }
  meet();
  const unsigned i = block() * kThreads + thread();
  if (i < count) {
    __hip_atomic_fetch_add(&bins[in[i] & 15U], 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  meet();
  if (thread() < 16) {
    __hip_atomic_fetch_add(&out[thread()], bins[thread()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
}

// The last block to arrive adds up what all have written.
GLOBAL void last_block(float* out, float* parts, unsigned* arrived, unsigned blocks) {
  if (thread() == 0) {
    parts[block()] = static_cast<float>(block() + 1);
    if (__hip_atomic_fetch_add(arrived, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) + 1 == blocks) {
      float sum = 0;
      for (unsigned i = 0; i < blocks; ++i) {
        sum += parts[i];
      }
      *out = sum;
    }
  }
}

// An array that is indexed by data lies in scratch.
GLOBAL void in_scratch(int* out, const int* order) {
  int values[300];
#pragma clang loop unroll(disable)
  for (int i = 0; i < 300; ++i) {
    values[i] = i * i + static_cast<int>(thread());
  }
  out[thread()] = values[order[thread()]];
}

// Wrong on purpose, from here on. block_sum without its barriers.
GLOBAL void sum_without_barrier(float* out, const float* in) {
  SHARED static volatile float parts[kThreads];
  parts[thread()] = in[thread()];
  if (thread() == 0) {
    float sum = 0;
    for (unsigned i = 0; i < kThreads; ++i) {
      sum += parts[i];
    }
    *out = sum;
  }
}

// All waves write one place.
GLOBAL void all_write_one(unsigned* out) { *out = thread(); }

// What another block wrote, without any order.
GLOBAL void read_other_block(unsigned* out, unsigned* parts) {
  if (thread() == 0) {
    parts[block()] = block();
    out[block()] = parts[1 - block()];
  }
}

// Assumes waves of 64 lanes: each lane reads the lane 32 above. Right in waves of 64.
GLOBAL void upper_half(unsigned* out) {
  const int from = static_cast<int>((thread() + 32) % 64) * 4;
  out[thread()] = static_cast<unsigned>(__builtin_amdgcn_ds_bpermute(from, static_cast<int>(thread())));
}

GLOBAL void past_the_end(float* out, unsigned count) { out[count + thread()] = 1.0F; }

GLOBAL void endless(volatile unsigned* out) {
  while (*out == 0) {
  }
}
