// SPDX-License-Identifier: MIT
// time_amd_isa: lane-instructions a second of trial kernels, with and without the search for races.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "fixture/trial_object.h"
#include "machine.h"

namespace aaco::amd {
namespace {

constexpr std::uint32_t kBlocks = 512;
constexpr std::uint32_t kThreads = 128;
constexpr int kRepeats = 5;

struct Trial {
  const char* name;
  bool has_second_input;
};

// The best of a few, in millions.
double lanes_a_second(const KernelCode& kernel, const Trial& trial, bool find_races) {
  std::vector<double> a(std::size_t{kBlocks} * kThreads, 1.5);
  std::vector<double> b(std::size_t{kBlocks} * kThreads, 2.5);
  std::vector<double> out(std::size_t{kBlocks} * kThreads);
  Memory memory;
  for (auto* values : {&a, &b, &out}) {
    memory.add(values->data(), values->size() * sizeof(double));
  }
  TrialArguments arguments;
  arguments.add(out.data()).add(a.data());
  if (trial.has_second_input) {
    arguments.add(b.data()).add(kBlocks * kThreads);
  }
  Geometry geometry;
  geometry.grid_blocks = {kBlocks, 1, 1};
  geometry.block = {kThreads, 1, 1};
  RunOptions options;
  options.find_races = find_races;
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto began = std::chrono::steady_clock::now();
    const RunResult result = run_kernel(kernel, geometry, arguments.bytes(), memory, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (!result) {
      std::printf("%s\n", result.error.c_str());
      return 0;
    }
    best = std::max(best, static_cast<double>(result.counts.lane_instructions) / took.count() / 1e6);
  }
  return best;
}

}  // namespace
}  // namespace aaco::amd

int main() {
  using namespace aaco::amd;
  for (const char* architecture : {"gfx942", "gfx1100"}) {
    const TrialObject object(architecture);
    for (const Trial& trial : {Trial{"quotient", true}, Trial{"double_quotient", true}, Trial{"block_sum", false}}) {
      const KernelCode kernel = object.kernel(trial.name);
      std::printf("%s %s: %.0f million lane-instructions a second, %.0f while races are looked for\n", architecture,
                  trial.name, lanes_a_second(kernel, trial, false), lanes_a_second(kernel, trial, true));
    }
  }
  return 0;
}
