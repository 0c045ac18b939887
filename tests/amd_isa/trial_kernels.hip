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

// What the last to arrive reads was written behind the atomic operation that says so.
GLOBAL void written_behind(float* out, float* parts, unsigned* arrived, unsigned blocks) {
  if (thread() == 0) {
    if (__hip_atomic_fetch_add(arrived, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) + 1 == blocks) {
      float sum = 0;
      for (unsigned i = 0; i < blocks; ++i) {
        sum += parts[i];
      }
      *out = sum;
    } else {
      parts[block()] = 1.0F;
    }
  }
}

// The same between the waves of a block, in LDS.
GLOBAL void written_behind_in_lds(float* out) {
  SHARED static unsigned arrived;
  SHARED static float value;
  if (thread() == 0) {
    arrived = 0;
  }
  meet();
  if (thread() % 64 == 0) {
    if (__hip_atomic_fetch_add(&arrived, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {
      value = 2.0F;
    } else {
      *out = value;
    }
  }
}

// The first block reads behind the atomic operation that says it has read.
GLOBAL void read_behind(float* out, float* value, unsigned* read) {
  if (thread() != 0) {
    return;
  }
  const unsigned before = __hip_atomic_fetch_add(read, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  if (block() == 0) {
    *out = *value + static_cast<float>(before);
  } else {
    *value = static_cast<float>(before);
  }
}

// Two blocks read what the third writes; only one of them says that it has read.
GLOBAL void write_behind_one_reader(float* out, float* value, unsigned* read) {
  if (thread() != 0) {
    return;
  }
  if (block() < 2) {
    out[block()] = *value;
    if (block() == 1) {
      __hip_atomic_fetch_add(read, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    }
  } else {
    out[2] = static_cast<float>(__hip_atomic_fetch_add(read, 0U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT));
    *value = 3.0F;
  }
}

// The same between the waves of a block, in LDS.
GLOBAL void write_behind_one_reader_in_lds(float* out) {
  SHARED static float value;
  SHARED static unsigned read;
  if (thread() == 0) {
    read = 0;
    value = 1.0F;
  }
  meet();
  const unsigned part = thread() / 64;
  if (thread() % 64 != 0) {
    return;
  }
  if (part < 2) {
    out[part] = value;
    if (part == 1) {
      __hip_atomic_fetch_add(&read, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
  } else {
    while (__hip_atomic_fetch_add(&read, 0U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {
    }
    value = 3.0F;
  }
}

// The store is not waited for before the atomic operation that says it is done: a relaxed one orders nothing.
GLOBAL void store_not_waited_for(float* out, float* parts, unsigned* arrived, unsigned blocks) {
  if (thread() == 0) {
    parts[block()] = 1.0F;
    asm volatile("" ::: "memory");
    if (__hip_atomic_fetch_add(arrived, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) + 1 == blocks) {
      float sum = 0;
      for (unsigned i = 0; i < blocks; ++i) {
        sum += parts[i];
      }
      *out = sum;
    }
  }
}

// The same of a store to LDS before an atomic operation on memory, between the waves of a block.
GLOBAL void lds_store_not_waited_for(float* out, unsigned* arrived) {
  SHARED static float value;
  if (thread() == 0) {
    value = 2.0F;
    asm volatile("" ::: "memory");
    __hip_atomic_fetch_add(arrived, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  if (thread() == 64) {
    while (__hip_atomic_fetch_add(arrived, 0U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {
    }
    asm volatile("" ::: "memory");
    *out = value;
  }
}

// A store to memory is not waited for before a barrier. Right where the block's waves share a cache (gfx942), wrong where
// they do not (gfx1100, where clang makes a barrier of a fence and s_barrier).
GLOBAL void store_not_waited_for_at_barrier(float* out, float* value) {
  if (thread() == 0) {
    *value = 2.0F;
  }
  asm volatile("s_barrier" ::: "memory");
  if (thread() == 64) {
    *out = *value;
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
