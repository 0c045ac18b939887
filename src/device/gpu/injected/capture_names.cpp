// SPDX-License-Identifier: MIT
#include "device/gpu/injected/capture_names.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <string>

#include "device/gpu/cupti/graph_nodes.h"
#include "device/gpu/cupti/graph_watch.h"
#include "device/gpu/injected/host_ranges.h"

namespace aaco::gpu {

namespace {

// PyTorch, TensorFlow and JAX: libraries with a profiler that subscribes.
constexpr std::array kFrameworks = {"/libtorch_cuda.so", "/libtorch_cpu.so", "/libtensorflow", "/xla_cuda_plugin.so"};

std::atomic<bool> watches_always = false;
std::atomic<uint64_t> captures = 0;
std::atomic<uint64_t> unwatched = 0;
std::atomic<uint64_t> compiled = 0;
std::atomic<uint64_t> modules_ns = 0;
std::atomic<uint64_t> operators_ns = 0;
enum class FrameworkProfiler : uint8_t { kUnknown, kRuns, kEnded };
std::atomic<FrameworkProfiler> profiler = FrameworkProfiler::kUnknown;

bool has_framework() {
  std::ifstream file("/proc/self/maps");
  const std::string maps{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return std::any_of(kFrameworks.begin(), kFrameworks.end(),
                     [&](const char* library) { return maps.find(library) != std::string::npos; });
}

std::string open_path() { return host_ranges().open_path(); }

RangeSource source_of(int number) { return number == 0 ? RangeSource::kModule : RangeSource::kOperator; }

}  // namespace

void start_naming() {
  graph_nodes().reset_counts();
  if (!has_framework()) {
    watches_always = true;
    static_cast<void>(watch_graphs(open_path));  // should somebody be subscribed, graphs have no names
  }
}

// What happens to graphs from now on is not seen: what was seen of them may no longer be so.
void stop_naming() {
  if (watches_always.exchange(false)) {
    unwatch_graphs();
    graph_nodes().forget();
  }
}

CaptureCounts capture_counts() {
  return {captures.load(), unwatched.load(), compiled.load(), modules_ns.load(), operators_ns.load()};
}

bool framework_profiler_runs() { return profiler.load() == FrameworkProfiler::kRuns; }

bool framework_profiler_has_ended() {
  FrameworkProfiler ended = FrameworkProfiler::kEnded;
  return profiler.compare_exchange_strong(ended, FrameworkProfiler::kUnknown);
}

}  // namespace aaco::gpu

#define AACO_FOR_HOOK extern "C" __attribute__((visibility("default")))

// `what` 0: a capture begins, 1: one of code that torch.compile made, 2: the instantiation of a graph that was captured
// before. False: nothing is seen of it.
AACO_FOR_HOOK int aaco_observe_capture_begins(int what) {
  const bool is_watched = aaco::gpu::watch_graphs(aaco::gpu::open_path);
  if (what != 2) {
    aaco::gpu::captures.fetch_add(1);
    aaco::gpu::compiled.fetch_add(what == 1 ? 1 : 0);
    aaco::gpu::unwatched.fetch_add(is_watched ? 0 : 1);
  }
  return is_watched ? 1 : 0;
}

// It has ended, and its graph has been instantiated.
AACO_FOR_HOOK void aaco_observe_capture_ends() { aaco::gpu::unwatch_graphs(); }

// On the calling thread, from now on. `source` 0: a module, 1: an operator.
AACO_FOR_HOOK void aaco_observe_push(int source, const char* name) {
  static_cast<void>(aaco::gpu::host_ranges().push(name != nullptr ? name : "", aaco::gpu::HostRanges::kNoDomain,
                                                  aaco::gpu::source_of(source)));
}

AACO_FOR_HOOK void aaco_observe_pop(int source) {
  static_cast<void>(aaco::gpu::host_ranges().pop(aaco::gpu::HostRanges::kNoDomain, aaco::gpu::source_of(source)));
}

// What the hook took since it last told.
AACO_FOR_HOOK void aaco_observe_hook_time(uint64_t modules_ns, uint64_t operators_ns) {
  aaco::gpu::modules_ns.fetch_add(modules_ns);
  aaco::gpu::operators_ns.fetch_add(operators_ns);
}

// torch.profiler takes the records of the process from now on, or has ended.
AACO_FOR_HOOK void aaco_observe_profiler(int runs) {
  aaco::gpu::profiler.store(runs != 0 ? aaco::gpu::FrameworkProfiler::kRuns : aaco::gpu::FrameworkProfiler::kEnded);
}
