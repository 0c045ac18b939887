// SPDX-License-Identifier: MIT
// The router's stable sort, a block per expert. Each goes through all pairs: its threads count, in a stretch of them
// each, those of its expert and those of experts before it, and then write places from the sums of the counts. So no
// block waits for another, and the number of pairs is not bounded.
#include "device/gpu/portability.h"
#include "device/gpu/run_on_gpu.h"

namespace aaco::gpu {

inline constexpr uint32_t kRouteBlock = 256;

// The sum of the threads before, and of all.
struct RouteSum {
  int32_t before;
  int32_t all;
};

AACO_DEVICE RouteSum running_sum(int32_t value, int32_t* sums) {
  const uint32_t thread = thread_x();
  sums[thread] = value;
  sync_block();
  for (uint32_t distance = 1; distance < kRouteBlock; distance *= 2) {
    const int32_t other = thread >= distance ? sums[thread - distance] : 0;
    sync_block();
    sums[thread] += other;
    sync_block();
  }
  const RouteSum result{sums[thread] - value, sums[kRouteBlock - 1]};
  sync_block();
  return result;
}

AACO_KERNEL void route_kernel(RouteArgs args) {
  AACO_SHARED int32_t sums[kRouteBlock];
  const auto expert = static_cast<int32_t>(block_x());
  const int64_t pairs = static_cast<int64_t>(args.tokens) * args.choices;
  const int64_t stretch = (pairs + kRouteBlock - 1) / kRouteBlock;
  const int64_t first = stretch * thread_x();
  const int64_t end = first + stretch < pairs ? first + stretch : pairs;
  int32_t own = 0;
  int32_t earlier = 0;
  for (int64_t i = first; i < end; ++i) {
    const int32_t expert_index = args.experts_of[i];
    const bool known = expert_index >= 0 && expert_index < args.experts;
    own += known && expert_index == expert ? 1 : 0;
    earlier += known && expert_index < expert ? 1 : 0;
    if (!known && expert == 0) {
      args.place_of[i] = -1;
    }
  }
  const RouteSum before = running_sum(own, sums);
  const int32_t dense_start = running_sum(earlier, sums).all;

  const bool exists = expert < args.experts;  // there is a block for none, too
  const bool bounded = args.capacity > 0;
  const int32_t start = bounded ? expert * args.capacity : dense_start;
  const int32_t kept = bounded && before.all > args.capacity ? args.capacity : before.all;
  int32_t rank = before.before;
  for (int64_t i = first; i < end && exists; ++i) {
    if (args.experts_of[i] == expert) {
      const bool fits = rank < kept;
      args.place_of[i] = fits ? start + rank : -1;
      if (fits) {
        args.token_of[start + rank] = static_cast<int32_t>(i / args.choices);
      }
      ++rank;
    }
  }
  const bool last = expert + 1 >= args.experts;
  const int64_t dense_end = last ? pairs : start + kept;
  const int64_t room = !bounded ? dense_end : exists ? start + static_cast<int64_t>(args.capacity) : 0;
  for (int64_t place = static_cast<int64_t>(start) + kept + thread_x(); place < room; place += kRouteBlock) {
    args.token_of[place] = -1;
  }
  if (thread_x() == 0) {
    if (exists) {
      args.counts[expert] = kept;
      args.offsets[expert] = start;
    }
    if (last) {
      args.offsets[args.experts] = !exists ? 0 : bounded ? start + args.capacity : start + kept;
    }
  }
}

void run_on_gpu(StreamContext& stream, const RouteArgs& args) {
  const auto blocks = static_cast<uint32_t>(args.experts > 0 ? args.experts : 1);
  launch<route_kernel>(stream, {blocks, 1, 1}, kRouteBlock, 0, args);
}

}  // namespace aaco::gpu
