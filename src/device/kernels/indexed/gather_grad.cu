// SPDX-License-Identifier: MIT
// Each row of the table belongs to one block, which looks for it through all indices: a block has several rows, far
// apart in the table, since common tokens are often neighbours. It lists the matches in ascending order; then its waves
// share out the rows, each a stretch of columns, and add up the matches of it. No sum is shared, so each has one order.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/index_division.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

namespace {

constexpr int kIndicesPerThread = 4;
constexpr int kChunk = kIndicesPerThread * static_cast<int>(kElementBlock);  // indices that a block reads at a time
constexpr int kListed = 2 * kChunk;                                          // matches that it lists before it adds them
constexpr int kRowBits = 5;
constexpr int64_t kMostRows = 1 << kRowBits;  // of a block
constexpr int kInFlight = 8;                  // rows that a thread reads before it adds them

struct GatherGradKernelArgs {
  GatherGradArgs op;
  int32_t block_bits = 0;  // block b has the rows b, b + 2^block_bits, ...
  int32_t rows = 0;        // of a block
  int32_t stretches = 0;   // of columns, a wave's packs long
};

// A match: its place in the list of indices, and which of the block's rows.
struct Match {
  uint64_t bits;
  AACO_DEVICE int64_t place() const { return static_cast<int64_t>(bits >> kRowBits); }
  AACO_DEVICE int row() const { return static_cast<int>(bits & (kMostRows - 1)); }
};

AACO_DEVICE Match match_of(int64_t place, int64_t row) {
  return {static_cast<uint64_t>(place) << kRowBits | static_cast<uint64_t>(row)};
}

// Appends the matches of a chunk of indices; how many are listed then. All threads must call. `counts` is shared memory
// of an int for each wave and index per thread.
AACO_DEVICE int list_matches(const GatherGradKernelArgs& args, int64_t chunk, int listed, Match* list, int* counts) {
  const int waves = static_cast<int>(kElementBlock) / kWaveLanes;
  int64_t ids[kIndicesPerThread];
  uint64_t matches[kIndicesPerThread];
  AACO_UNROLL
  for (int j = 0; j < kIndicesPerThread; ++j) {
    const int64_t place = chunk + j * static_cast<int64_t>(kElementBlock) + thread_x();
    ids[j] = place < args.op.count ? args.op.ids[place] : -1;
  }
  AACO_UNROLL
  for (int j = 0; j < kIndicesPerThread; ++j) {
    const int64_t block = ids[j] & ((int64_t{1} << args.block_bits) - 1);
    const bool own = ids[j] >= 0 && ids[j] < args.op.out_rows && block == block_x();
    ids[j] = own ? ids[j] : -1;
    matches[j] = ballot(own);
    if (lane() == 0) {
      counts[j * waves + wave()] = count_bits(matches[j]);
    }
  }
  sync_block();
  AACO_UNROLL
  for (int j = 0; j < kIndicesPerThread; ++j) {
    for (int w = 0; w < waves; ++w) {
      if (w == wave() && ids[j] >= 0) {
        const int before = count_bits(matches[j] & ((uint64_t{1} << lane()) - 1));
        list[listed + before] = match_of(chunk + j * static_cast<int64_t>(kElementBlock) + thread_x(),
                                         ids[j] >> args.block_bits);
      }
      listed += counts[j * waves + w];
    }
  }
  sync_block();
  return listed;
}

AACO_DEVICE int64_t row_of(const GatherGradArgs& op, int64_t place) {
  return op.pool == 1 ? place : quotient(place, op.pool);
}

// Adds, in order, the rows of `in` at the places of the matches that are set in `mask`.
template <class T, int kPack>
AACO_DEVICE void add_matches(const GatherGradArgs& op, const Match* matches, uint64_t mask, int64_t column,
                             float* sums) {
  const float share = 1 / static_cast<float>(op.pool);
  while (mask != 0) {
    Pack<T, kPack> packs[kInFlight];
    int count = 0;
    AACO_UNROLL
    for (int i = 0; i < kInFlight; ++i) {
      if (mask != 0) {
        const T* row = static_cast<const T*>(op.in) + row_of(op, matches[lowest_bit(mask)].place()) * op.cols;
        packs[i] = *reinterpret_cast<const Pack<T, kPack>*>(row + column);
        mask &= mask - 1;
        ++count;
      }
    }
    AACO_UNROLL
    for (int i = 0; i < kInFlight; ++i) {
      if (i < count) {
        AACO_UNROLL
        for (int j = 0; j < kPack; ++j) {
          sums[j] += share * load(packs[i].values, j);
        }
      }
    }
  }
}

// Adds the listed matches to the table. `first`: nothing has been written to it yet.
template <class T, int kPack>
AACO_DEVICE void add_listed(const GatherGradKernelArgs& args, int listed, const Match* list, bool first) {
  const GatherGradArgs& op = args.op;
  const int waves = static_cast<int>(kElementBlock) / kWaveLanes;
  const bool from_zero = first && op.accumulate == 0;
  for (int item = wave(); item < args.rows * args.stretches; item += waves) {
    const int row = item / args.stretches;
    const int64_t of_table = (static_cast<int64_t>(row) << args.block_bits) + block_x();
    const int64_t column = (static_cast<int64_t>(item % args.stretches) * kWaveLanes + lane()) * kPack;
    const bool exists = of_table < op.out_rows && column < op.cols;
    float* out = op.out + of_table * op.cols;
    float sums[kPack] = {};
    bool loaded = from_zero;
    for (int start = 0; start < listed; start += kWaveLanes) {
      const uint64_t mask = ballot(start + lane() < listed && list[start + lane()].row() == row);
      if (mask != 0 && exists) {
        if (!loaded) {
          load_pack<kPack>(out, column, sums);
          loaded = true;
        }
        add_matches<T, kPack>(op, list + start, mask, column, sums);
      }
    }
    if (loaded && exists) {
      store_pack<kPack>(out, column, sums);
    }
  }
}

template <class T, int kPack>
AACO_KERNEL void gather_grad_kernel(GatherGradKernelArgs args) {
  AACO_SHARED Match list[kListed];
  AACO_SHARED int counts[kIndicesPerThread * kElementBlock / 32];
  int listed = 0;
  bool first = true;
  for (int64_t chunk = 0; chunk < args.op.count; chunk += kChunk) {
    if (listed + kChunk > kListed) {
      add_listed<T, kPack>(args, listed, list, first);
      sync_block();
      listed = 0;
      first = false;
    }
    listed = list_matches(args, chunk, listed, list, counts);
  }
  add_listed<T, kPack>(args, listed, list, first);
}

// Blocks enough for any device, but with work for all waves of each.
template <class T, int kPack>
void launch_gather_grad(StreamContext& stream, const GatherGradArgs& args) {
  constexpr int64_t kEnoughBlocks = 1024;
  const int64_t lanes = stream.limits.wave_lanes;
  const int64_t waves = kElementBlock / lanes;
  const int64_t stretches = (args.cols + lanes * kPack - 1) / (lanes * kPack);
  const auto rows_with = [&](int bits) { return (args.out_rows + (int64_t{1} << bits) - 1) >> bits; };
  int bits = 0;
  while (rows_with(bits) > kMostRows ||
         (int64_t{1} << bits < kEnoughBlocks && rows_with(bits + 1) * stretches >= waves && rows_with(bits) > 1)) {
    ++bits;
  }
  launch<gather_grad_kernel<T, kPack>>(
      stream, {uint32_t{1} << bits, 1, 1}, kElementBlock, 0,
      GatherGradKernelArgs{args, bits, static_cast<int32_t>(rows_with(bits)), static_cast<int32_t>(stretches)});
}

}  // namespace

void run_on_gpu(StreamContext& stream, const GatherGradArgs& args) {
  if (args.out_rows == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.in_dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T, float>();
    if (args.cols % kPack == 0 && are_aligned(static_cast<const char*>(args.in), args.out)) {
      launch_gather_grad<T, kPack>(stream, args);
    } else {
      launch_gather_grad<T, 1>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
