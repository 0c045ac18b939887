// SPDX-License-Identifier: MIT
#include "kind/training/lab/chain_rates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.h"

namespace aaco {

namespace {

constexpr int64_t kMultiplyAdds = 1 << 22;  // of all chains together
constexpr int kTimes = 5;

// Factor and summand come from memory that the compiler cannot know: it would compute several links at once.
template <size_t kChains>
double time_of(const volatile uint64_t& factor_in_memory, volatile uint64_t& sink) {
  const uint64_t factor = factor_in_memory;
  std::array<uint64_t, kChains> chains{};
  const int64_t begun = monotonic_ns();
  for (int64_t i = 0; i < kMultiplyAdds / static_cast<int64_t>(kChains); ++i) {
    [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      ((chains[kIndex] = chains[kIndex] * factor + kIndex + 1), ...);
    }(std::make_index_sequence<kChains>());
  }
  const int64_t ended = monotonic_ns();
  for (const uint64_t chain : chains) {
    sink = sink ^ chain;
  }
  return static_cast<double>(ended - begun);
}

template <size_t kChains>
ChainRate rate_of(const volatile uint64_t& factor, volatile uint64_t& sink) {
  double ns = time_of<kChains>(factor, sink);  // warms up
  for (int i = 0; i < kTimes; ++i) {
    ns = std::min(ns, time_of<kChains>(factor, sink));
  }
  return {static_cast<int64_t>(kChains), static_cast<double>(kMultiplyAdds) / (ns / 1e9)};
}

}  // namespace

std::vector<ChainRate> measure_chain_rates() {
  const volatile uint64_t factor = 0x5851F42D4C957F2D;
  volatile uint64_t sink = 0;
  return {rate_of<1>(factor, sink), rate_of<2>(factor, sink),  rate_of<4>(factor, sink),
          rate_of<8>(factor, sink), rate_of<16>(factor, sink), rate_of<32>(factor, sink)};
}

}  // namespace aaco
