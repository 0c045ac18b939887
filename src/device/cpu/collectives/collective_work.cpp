// SPDX-License-Identifier: MIT
#include "device/cpu/collectives/collective_work.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace aaco {

namespace {

using Parts = std::span<const CollectivePart>;

// A type as it is stored, and the one that it is summed in; integers wrap.
struct F32 {
  using Element = float;
  using Sum = float;
  static float widen(float value) { return value; }
  static float narrow(float value) { return value; }
};
struct F16 {
  using Element = Half;
  using Sum = float;
  static float widen(Half value) { return to_float(value); }
  static Half narrow(float value) { return to_half(value); }
};
struct Bf16 {
  using Element = Bfloat16;
  using Sum = float;
  static float widen(Bfloat16 value) { return to_float(value); }
  static Bfloat16 narrow(float value) { return to_bfloat16(value); }
};
struct I32 {
  using Element = uint32_t;
  using Sum = uint32_t;
  static uint32_t widen(uint32_t value) { return value; }
  static uint32_t narrow(uint32_t value) { return value; }
};

// Elements [from, to) of the sum of all ranks' `send`, given to take(first element, values, how many) piece by piece.
template <class Type, class Take>
void sum_pieces(Parts parts, int64_t from, int64_t to, Take take) {
  constexpr int64_t kPiece = 1024;
  std::array<typename Type::Sum, kPiece> sums_of{};
  std::array<typename Type::Element, kPiece> results{};
  for (int64_t start = from; start < to; start += kPiece) {
    const auto size = static_cast<size_t>(std::min(kPiece, to - start));
    for (size_t rank = 0; rank < parts.size(); ++rank) {
      const auto* values = static_cast<const typename Type::Element*>(parts[rank].send) + start;
      for (size_t i = 0; i < size; ++i) {
        sums_of[i] = rank == 0 ? Type::widen(values[i]) : sums_of[i] + Type::widen(values[i]);
      }
    }
    for (size_t i = 0; i < size; ++i) {
      results[i] = Type::narrow(sums_of[i]);
    }
    take(start, results.data(), size * sizeof(typename Type::Element));
  }
}

template <class Type>
void sum(Collective collective, Parts parts, size_t rank, int64_t count) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(typename Type::Element));
  const auto ranks = static_cast<int64_t>(parts.size());
  const auto self = static_cast<int64_t>(rank);
  if (collective == Collective::kReduceScatter) {
    sum_pieces<Type>(parts, self * count, (self + 1) * count, [&](int64_t at, const void* values, size_t bytes) {
      std::memcpy(static_cast<std::byte*>(parts[rank].receive) + (at - self * count) * kSize, values, bytes);
    });
    return;
  }
  // Each rank sums its slice for all.
  sum_pieces<Type>(parts, count * self / ranks, count * (self + 1) / ranks,
                   [&](int64_t at, const void* values, size_t bytes) {
                     for (const CollectivePart& part : parts) {
                       std::memcpy(static_cast<std::byte*>(part.receive) + at * kSize, values, bytes);
                     }
                   });
}

// Chunk `from_chunk` of what `from` sends to chunk `to_chunk` of what `to` receives.
void move(const CollectivePart& from, size_t from_chunk, const CollectivePart& to, size_t to_chunk, size_t bytes) {
  const std::byte* source = static_cast<const std::byte*>(from.send) + from_chunk * bytes;
  std::byte* target = static_cast<std::byte*>(to.receive) + to_chunk * bytes;
  if (bytes > 0 && source != target) {
    std::memcpy(target, source, bytes);
  }
}

}  // namespace

bool sums(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kReduceScatter;
}

void run_rank_of_collective(Collective collective, Parts parts, size_t rank, int64_t count, Dtype dtype) {
  const size_t ranks = parts.size();
  const auto bytes = static_cast<size_t>(count * size_of(dtype));
  const CollectivePart& self = parts[rank];
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
      if (dtype == Dtype::kF16) {
        sum<F16>(collective, parts, rank, count);
      } else if (dtype == Dtype::kBf16) {
        sum<Bf16>(collective, parts, rank, count);
      } else if (dtype == Dtype::kI32) {
        sum<I32>(collective, parts, rank, count);
      } else {
        sum<F32>(collective, parts, rank, count);
      }
      return;
    case Collective::kAllGather:
      for (size_t from = 0; from < ranks; ++from) {
        move(parts[from], 0, self, from, bytes);
      }
      return;
    case Collective::kAllToAll:
      for (size_t from = 0; from < ranks; ++from) {
        move(parts[from], rank, self, from, bytes);
      }
      return;
    case Collective::kBroadcast:
      move(parts[0], 0, self, 0, bytes);
      return;
    case Collective::kSendNext:
      move(parts[(rank + ranks - 1) % ranks], 0, self, 0, bytes);
      return;
  }
}

}  // namespace aaco
