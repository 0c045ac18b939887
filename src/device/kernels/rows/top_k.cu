// SPDX-License-Identifier: MIT
// An element is a key: its value as an unsigned number that sorts alike, then its index, inverted, so that the largest
// key is the largest value and among equals the first. No key of an element is 0.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/row_group.h"

namespace aaco::gpu {

namespace {

AACO_DEVICE uint64_t key_of(float value, int64_t index) {
  uint32_t bits = 0;
  const float unsigned_zero = value == 0 ? 0.0F : value;
  memcpy(&bits, &unsigned_zero, sizeof(bits));
  bits = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
  bits = value != value ? 0xffffffffU : bits;
  return static_cast<uint64_t>(bits) << 32 | (0xffffffffU - static_cast<uint32_t>(index));
}

AACO_DEVICE int64_t index_of(uint64_t key) { return 0xffffffffU - static_cast<uint32_t>(key); }

struct LargestKey {
  AACO_DEVICE static uint64_t join(uint64_t a, uint64_t b) { return a > b ? a : b; }
};

// Place j of a row's result; key 0: there is none.
template <class T>
AACO_DEVICE void store_place(const TopKArgs& args, int64_t row, int64_t j, uint64_t key) {
  const int64_t index = index_of(key);
  args.indices[row * args.k + j] = key != 0 ? static_cast<int32_t>(index) : -1;
  if (args.values != nullptr) {
    const float value = key != 0 ? load(static_cast<const T*>(args.in), row * args.cols + index) : Largest::kStart;
    store(static_cast<T*>(args.values), row * args.k + j, value);
  }
}

// Rows of at most kNarrowColumns: each lane offers its largest, the winner withdraws it, k times.
template <class T, int kPack>
AACO_KERNEL AACO_WITHIN(kRowThreads<false>) void top_k_narrow(TopKArgs args) {
  for_rows<false>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    uint64_t keys[kNarrowSlots] = {};
    uint64_t best = 0;
    for_slots<kPack, false>(cols, [&](int slot, int column) {
      float values[kPack];
      load_pack<kPack>(static_cast<const T*>(args.in) + row * args.cols, column, values);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        keys[slot + j] = key_of(values[j], column + j);
        best = LargestKey::join(best, keys[slot + j]);
      }
    });
    for (int64_t place = 0; place < args.k; ++place) {
      const uint64_t winner = joined<LargestKey, false, uint64_t>(best, nullptr);
      if (cols > 0 && place % kNarrowLanes == rank_in_group<false>()) {
        store_place<T>(args, row, place, winner);
      }
      if (winner == best) {  // keys differ, so one lane's, or all have none left
        best = 0;
        AACO_UNROLL
        for (int j = 0; j < kNarrowSlots; ++j) {
          keys[j] = keys[j] == winner ? 0 : keys[j];
          best = LargestKey::join(best, keys[j]);
        }
      }
    }
  });
}

// A block's list of candidates: the best k of what was seen come first after a compaction.
constexpr int kThreads = 256;
constexpr int kListSize = 2048;
constexpr int kRoundElements = 4;  // per thread, between two looks at the list's length

struct CandidateList {
  uint64_t* keys;   // kListSize, shared
  int32_t* length;  // shared
  uint64_t floor;   // candidates must be above
};

// Sorts the first `length` keys in descending order (bitonic, over the next power of two, filled up with 0) and keeps
// k.
AACO_DEVICE void compact(CandidateList& list, int length, int64_t k) {
  const int thread = static_cast<int>(thread_x());
  int size = 2;
  while (size < length) {
    size *= 2;
  }
  for (int i = length + thread; i < size; i += kThreads) {
    list.keys[i] = 0;
  }
  sync_block();
  for (int run = 2; run <= size; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      for (int pair = thread; pair < size / 2; pair += kThreads) {
        const int low = pair / distance * distance * 2 + pair % distance;
        const bool descending = (low & run) == 0;
        const uint64_t a = list.keys[low];
        const uint64_t b = list.keys[low + distance];
        if ((a < b) == descending) {
          list.keys[low] = b;
          list.keys[low + distance] = a;
        }
      }
      sync_block();
    }
  }
  const int kept = length < k ? length : static_cast<int>(k);
  list.floor = length < k ? 0 : list.keys[k - 1];
  if (thread == 0) {
    *list.length = kept;
  }
  sync_block();
}

template <int kCount, class T>
AACO_DEVICE void offer(const CandidateList& list, const T* row, int64_t column) {
  float values[kCount];
  load_pack<kCount>(row, column, values);
  AACO_UNROLL
  for (int j = 0; j < kCount; ++j) {
    const uint64_t key = key_of(values[j], column + j);
    if (key > list.floor) {
      list.keys[atomic_add(list.length, 1)] = key;
    }
  }
}

// Rows of any length, read once: elements above the k-th largest seen at the last compaction become candidates. The
// list holds a round more when a round begins.
template <class T, int kPack>
AACO_KERNEL void top_k_wide(TopKArgs args) {
  AACO_SHARED uint64_t keys[kListSize];
  AACO_SHARED int32_t length;
  constexpr int kRound = kThreads * kRoundElements;
  for_rows<true>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const T* in = static_cast<const T*>(args.in) + row * args.cols;
    CandidateList list{keys, &length, 0};
    if (thread_x() == 0) {
      length = 0;
    }
    sync_block();
    for (int64_t first = 0; first < cols; first += kRound) {
      AACO_UNROLL
      for (int j = 0; j < kRoundElements; j += kPack) {
        const int64_t column = first + int64_t{j} * kThreads + static_cast<int64_t>(thread_x()) * kPack;
        if (column < cols) {
          offer<kPack>(list, in, column);
        }
      }
      sync_block();
      const int candidates = length;
      sync_block();
      const bool is_first = list.floor == 0 && candidates >= args.k;
      if (is_first || candidates + kRound > kListSize) {
        compact(list, candidates, args.k);
      }
    }
    compact(list, length, args.k);
    const int count = length;
    for (int64_t place = thread_x(); place < args.k; place += kThreads) {
      store_place<T>(args, row, place, place < count ? list.keys[place] : 0);
    }
    sync_block();
  });
}

template <class T, int kPack>
void launch_top_k(StreamContext& stream, const TopKArgs& args) {
  if (args.cols <= kNarrowColumns) {
    launch<top_k_narrow<T, kPack>>(stream, narrow_launch(args.rows).grid, kElementBlock, 0, args);
  } else {
    launch<top_k_wide<T, kPack>>(stream, wide_launch(args.rows, args.cols).grid, kThreads, 0, args);
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const TopKArgs& args) {
  if (args.rows == 0 || args.k == 0) {
    return;
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    constexpr int kPack = kRoundElements;  // 16 or 8 bytes
    if (args.cols % kPack == 0 && are_aligned(args.in)) {
      launch_top_k<T, kPack>(stream, args);
    } else {
      launch_top_k<T, 1>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
