// SPDX-License-Identifier: MIT
// The session clock is CLOCK_MONOTONIC in nanoseconds: every plane's times end up in it. Where a clock read must cost
// less than the vDSO call does, the processor's time stamp counter is read instead and converted afterwards.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace aaco {

// Session time: CLOCK_MONOTONIC, nanoseconds.
inline int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Calendar time, nanoseconds since the epoch; for labels only, never for durations.
inline int64_t wall_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// "2026-05-31T14:03:22Z" of nanoseconds since the epoch.
std::string format_utc(int64_t wall_ns);

// The counter is read by builtins that GCC and clang share: <x86intrin.h> takes half a second to compile in each file.

// A reading of the time stamp counter; a type of its own so that ticks and nanoseconds cannot be mixed.
enum class Ticks : uint64_t {};

// The moment as it is when this is reached; work ahead of it that is still under way in the processor may end later, by
// some nanoseconds. For the start of an interval and for events: half the price of read_ticks_after().
inline Ticks read_ticks() { return Ticks{__builtin_ia32_rdtsc()}; }

// Waits for the instructions ahead (rdtscp), so that the work before the read is inside the interval that it closes.
inline Ticks read_ticks_after() {
  unsigned processor = 0;
  return Ticks{__builtin_ia32_rdtscp(&processor)};
}

// Maps ticks to session nanoseconds by two anchor points; linear between and beyond them.
class TickClock {
 public:
  // False where the counter is not invariant across frequency and sleep states; use monotonic_ns() there.
  static bool available();

  // Takes the first anchor now. Call `anchor()` again at the end of the measurement: the longer the baseline, the
  // smaller the error of the rate (about 50 ns divided by the baseline).
  TickClock();
  void anchor();

  // A reading of both clocks at one moment.
  struct Anchor {
    uint64_t ticks = 0;
    int64_t ns = 0;
  };
  // The clock of recorded anchors; `last` must be later than `first` on both clocks.
  TickClock(Anchor first, Anchor last);
  const Anchor& first_anchor() const { return first_; }
  const Anchor& last_anchor() const { return last_; }

  int64_t to_ns(Ticks ticks) const;
  double ns_per_tick() const { return ns_per_tick_; }

 private:
  static Anchor take_anchor();
  void set_rate();

  Anchor first_;
  Anchor last_;
  double ns_per_tick_ = 0;
};

}  // namespace aaco
