// SPDX-License-Identifier: MIT
// kernel_plane_cost [ROUNDS]: what the kernel plane costs a program that switches some 20,000 times a second. Two
// threads of a child, on one processor, hand a byte to each other and compute for some 80 us in each turn, for a
// second. Each round runs it bare, under eBPF without stacks, under eBPF with stacks, and under perf events, in turns.
// Prints JSON: a line for each second, with the median turn, the switches that the kernel counted, and the plane's own
// cost.
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
constexpr int kComputeSteps = 40'000;

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

void compute() {
  volatile uint64_t sum = 0;
  for (int i = 0; i < kComputeSteps; ++i) {
    sum = sum + static_cast<uint64_t>(i);
  }
}

void take_turns(Turns& turns) {
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
      compute();
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
    compute();
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

bool measure(const char* name, const char* source, bool stacks) {
  std::unique_ptr<aaco::Collector> collector;
  if (source != nullptr) {
    aaco::CollectorOptions options;
    options.kernel_source = source;
    options.stacks = stacks;
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
    take_turns(*turns);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  std::printf("{\"mode\": \"%s\", \"median_turn_ns\": %ld, \"turns\": %ld, \"switches\": %ld, \"elapsed_ns\": %ld",
              name, turns->median_ns.load(), turns->count.load(), turns->switches.load(), turns->elapsed_ns.load());
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
  for (int round = 0; round < rounds; ++round) {
    if (!measure("bare", nullptr, false) || !measure("ebpf", "ebpf", false) || !measure("ebpf_stacks", "ebpf", true) ||
        !measure("perf_event_open", "perf_event_open", false)) {
      return 3;
    }
  }
  return 0;
}
