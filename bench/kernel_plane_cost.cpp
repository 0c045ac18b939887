// SPDX-License-Identifier: MIT
// kernel_plane_cost [ROUNDS]: what the kernel plane costs a program that switches some 20,000 times a second. Two
// threads of a child, on one processor, hand a byte to each other and compute, so that a turn takes 100 us, for a
// second. Each round runs it bare, under eBPF without stacks, under eBPF with stacks, and under perf events; every
// second round in the other order, so that a drift falls on all alike. Prints JSON: a line for each second, with the
// median turn, the switches that the kernel counted, and the plane's own cost. kernel_plane_cost.py makes a result of
// it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/clock.h"
#include "observe/kernel/kernel_collector.h"

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kTurnNs = 100'000;  // two switches: 20,000 a second

struct Turns {
  std::atomic<int64_t> median_ns, count, switches, elapsed_ns;
};

int64_t own_switches() {
  int64_t sum = 0;
  std::ifstream status("/proc/thread-self/status");
  for (std::string line; std::getline(status, line);) {
    const size_t colon = line.find(':');
    if (line.find("ctxt_switches") != std::string::npos) {
      sum += std::stoll(line.substr(colon + 1));
    }
  }
  return sum;
}

void compute(int64_t steps) {
  volatile uint64_t sum = 0;
  for (int64_t i = 0; i < steps; ++i) {
    sum = sum + static_cast<uint64_t>(i);
  }
}

// Of each thread in a turn, less what the hand-over takes; by the fastest of many short tries, for others may run.
int64_t steps_of_half_a_turn() {
  constexpr int64_t kSteps = 100'000;
  constexpr int64_t kHandOverNs = 10'000;
  int64_t fastest_ns = INT64_MAX;
  for (int i = 0; i < 500; ++i) {
    const int64_t start_ns = aaco::monotonic_ns();
    compute(kSteps);
    fastest_ns = std::min(fastest_ns, aaco::monotonic_ns() - start_ns);
  }
  return kSteps * ((kTurnNs - kHandOverNs) / 2) / fastest_ns;
}

void take_turns(Turns& turns, int64_t steps) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  ::sched_setaffinity(0, sizeof(set), &set);
  std::array<int, 2> there{}, back{};
  if (::pipe(there.data()) != 0 || ::pipe(back.data()) != 0) {
    ::_exit(1);
  }
  std::atomic<int64_t> other_switches{0};
  std::thread other([&] {
    char byte = 0;
    while (::read(there[0], &byte, 1) == 1 && byte == 1) {
      compute(steps);
      (void)!::write(back[1], &byte, 1);
    }
    other_switches = own_switches();
  });
  std::vector<int64_t> spans;
  const int64_t start_ns = aaco::monotonic_ns();
  for (int64_t now_ns = start_ns; now_ns - start_ns < kSecondNs;) {
    char byte = 1;
    (void)!::write(there[1], &byte, 1);
    (void)!::read(back[0], &byte, 1);
    compute(steps);
    const int64_t end_ns = aaco::monotonic_ns();
    spans.push_back(end_ns - now_ns);
    now_ns = end_ns;
  }
  turns.elapsed_ns = aaco::monotonic_ns() - start_ns;
  const char last = 0;
  (void)!::write(there[1], &last, 1);
  other.join();
  std::nth_element(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(spans.size() / 2), spans.end());
  turns.median_ns = spans[spans.size() / 2];
  turns.count = static_cast<int64_t>(spans.size());
  turns.switches = own_switches() + other_switches;
}

struct Mode {
  const char* name;
  const char* source;  // null: none
  bool stacks;
};
constexpr std::array kModes{Mode{"bare", nullptr, false}, Mode{"ebpf", "ebpf", false},
                            Mode{"ebpf_stacks", "ebpf", true}, Mode{"perf_event_open", "perf_event_open", false}};

bool measure(const Mode& mode, int round, int64_t steps) {
  std::unique_ptr<aaco::Collector> collector;
  const int64_t start_ns = aaco::monotonic_ns();
  if (mode.source != nullptr) {
    aaco::CollectorOptions options;
    options.kernel_source = mode.source;
    options.stacks = mode.stacks;
    auto made_collector = aaco::kernel_collector().make(options);
    collector = made_collector ? std::move(*made_collector) : nullptr;
    const aaco::Result<void> started = collector->start();
    if (!started) {
      std::fprintf(stderr, "kernel_plane_cost: %s\n", started.error().message.c_str());
      return false;
    }
  }
  auto* turns =
      static_cast<Turns*>(::mmap(nullptr, sizeof(Turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = ::fork();
  if (child == 0) {
    take_turns(*turns, steps);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const int64_t observed_ns = aaco::monotonic_ns() - start_ns;
  std::printf(
      "{\"round\": %d, \"mode\": \"%s\", \"observed_ns\": %ld, \"median_turn_ns\": %ld, \"turns\": %ld, "
      "\"switches\": %ld, \"elapsed_ns\": %ld",
      round, mode.name, observed_ns, turns->median_ns.load(), turns->count.load(), turns->switches.load(),
      turns->elapsed_ns.load());
  if (collector) {
    collector->stop();
    const aaco::CollectorPlane plane = collector->plane();
    for (const auto& [figure, value] : plane.source->figures) {
      std::printf(", \"%s\": %ld", figure.c_str(), value);
    }
  }
  std::printf("}\n");
  std::fflush(stdout);
  ::munmap(turns, sizeof(Turns));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  const int64_t steps = steps_of_half_a_turn();
  for (int round = 0; round < rounds; ++round) {
    for (size_t turn = 0; turn < kModes.size(); ++turn) {
      if (!measure(kModes[round % 2 == 0 ? turn : kModes.size() - 1 - turn], round, steps)) {
        return 3;
      }
    }
  }
  return 0;
}
