// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <array>
#include <cpuid.h>

namespace aaco {

std::string format_utc(int64_t wall_ns) {
  const time_t seconds = wall_ns / 1'000'000'000;
  tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

bool TickClock::available() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  // CPUID 8000_0007h, EDX bit 8: invariant TSC (Intel SDM vol. 3, "Invariant TSC"; AMD APM vol. 3 appendix E).
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
}

TickClock::Anchor TickClock::take_anchor() {
  // The tightest of a few bracketed reads: a preemption between the two clocks would shift the anchor.
  Anchor best;
  uint64_t best_width = UINT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const auto before = static_cast<uint64_t>(read_ticks_after());
    const int64_t ns = monotonic_ns();
    const auto after = static_cast<uint64_t>(read_ticks_after());
    if (after - before < best_width) {
      best_width = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

TickClock::TickClock() : first_(take_anchor()), last_(first_) {
  // A first estimate over 2 ms, so that to_ns works before the closing anchor is taken.
  const int64_t until = first_.ns + 2'000'000;
  while (monotonic_ns() < until) {
  }
  anchor();
}

void TickClock::anchor() {
  last_ = take_anchor();
  set_rate();
}

TickClock::TickClock(Anchor first, Anchor last) : first_(first), last_(last) { set_rate(); }

void TickClock::set_rate() {
  ns_per_tick_ = static_cast<double>(last_.ns - first_.ns) / static_cast<double>(last_.ticks - first_.ticks);
}

int64_t TickClock::to_ns(Ticks ticks) const {
  const auto since = static_cast<int64_t>(static_cast<uint64_t>(ticks) - first_.ticks);
  return first_.ns + static_cast<int64_t>(static_cast<double>(since) * ns_per_tick_);
}

}  // namespace aaco
