// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <random>

#include "machine.h"
#include "program.h"
#include "start.h"
#include "wave.h"

namespace aaco::amd {
namespace {

constexpr std::uint64_t kQuanta[] = {1, 1, 2, 3, 8, 40};  // instructions that a wave runs before another's turn

// Throws a Fault where an instruction touches a register whose result is under way.
void check_waits(const Wave& wave, const Instruction& instruction) {
  for (const Instruction* part = &instruction; part != nullptr; part = part->second.get()) {
    for (int i = 0; i < part->count; ++i) {
      const Operand& operand = part->operands[static_cast<std::size_t>(i)];
      if (operand.file != File::kVector && operand.file != File::kScalar) {
        continue;
      }
      const int first = operand.index + (operand.file == File::kScalar ? kVectors : 0);
      for (int word = 0; word < operand.words; ++word) {
        if (!wave.waits.pending(first + word)) {
          continue;
        }
        const bool written = i < part->outputs && !part->reads_output;
        // A load into a register may follow one that comes before it in any case.
        const bool memory = part->unit == Unit::kMemory || part->unit == Unit::kScratch;
        const WaitCounter counter = part->unit == Unit::kLds ? WaitCounter::kLgkm : WaitCounter::kVm;
        if (written && (memory || part->unit == Unit::kLds) && wave.waits.in_order(first + word, counter)) {
          continue;
        }
        const bool accumulator = operand.file == File::kVector && operand.index >= kAccumulators;
        const std::string name = (operand.file == File::kScalar ? "s"
                                  : accumulator                 ? "a"
                                                                : "v") +
                                 std::to_string(operand.index + word - (accumulator ? kAccumulators : 0));
        throw Fault{"missing wait: " + name + " is " + (written ? "written" : "read") +
                    " while a load into it is under way"};
      }
    }
  }
}

// Runs the waves of one workgroup to their ends.
class GroupRun {
 public:
  GroupRun(Program& program, Launch& launch, RunCounts& counts, std::mt19937_64& random, std::vector<Wave>& waves)
      : program_(program), launch_(launch), counts_(counts), random_(random), waves_(waves) {}

  void run() {
    std::vector<Wave*> ready = with(WaveState::kReady);
    while (!ready.empty()) {
      const std::size_t chosen = ready.size() == 1 ? 0 : random_() % ready.size();
      Wave& wave = *ready[chosen];
      advance(wave, ready.size() == 1 ? ~std::uint64_t{0} : kQuanta[random_() % std::size(kQuanta)]);
      if (wave.state != WaveState::kReady) {
        ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
      }
      if (ready.empty()) {
        pass_barrier();
        ready = with(WaveState::kReady);
      }
    }
  }

  // Of the instruction that was executed last.
  std::uint64_t address() const { return address_; }

 private:
  std::vector<Wave*> with(WaveState state) {
    std::vector<Wave*> found;
    for (Wave& wave : waves_) {
      if (wave.state == state) {
        found.push_back(&wave);
      }
    }
    return found;
  }

  // All that have not ended are at the barrier.
  void pass_barrier() {
    std::vector<WaveClock*> clocks;
    for (Wave* wave : with(WaveState::kAtBarrier)) {
      wave->state = WaveState::kReady;
      clocks.push_back(&wave->clock);
    }
    if (launch_.races != nullptr && !clocks.empty()) {
      meet(clocks);
    }
  }

  void advance(Wave& wave, std::uint64_t instructions) {
    const bool checks_waits = launch_.options->check_waits;
    for (; instructions != 0 && wave.state == WaveState::kReady; --instructions) {
      address_ = wave.pc;
      const Instruction& instruction = program_.at(wave.pc);
      if (checks_waits && wave.waits.any()) {
        check_waits(wave, instruction);
      }
      wave.pc = instruction.next;
      wave.staged = 0;
      count(counts_, instruction.unit);
      if (instruction.unit != Unit::kScalar) {
        counts_.lane_instructions += static_cast<std::uint64_t>(std::popcount(wave.exec()));
      }
      instruction.handler(wave, instruction);
      if (++launch_.clock > launch_.options->max_instructions) {
        throw Fault{"more than " + std::to_string(launch_.options->max_instructions) +
                    " instructions: it does not end"};
      }
    }
  }

  Program& program_;
  Launch& launch_;
  RunCounts& counts_;
  std::mt19937_64& random_;
  std::vector<Wave>& waves_;
  std::uint64_t address_ = 0;
};

std::string refused(const KernelCode& kernel, const std::string& why) { return "kernel " + kernel.name + ": " + why; }

}  // namespace

RunResult run_kernel(const KernelCode& kernel, const Geometry& geometry, std::span<const std::byte> kernarg,
                     Memory& memory, const RunOptions& options) {
  RunResult result;
  const auto architecture = architecture_of(kernel.architecture);
  if (!architecture) {
    result.error = refused(kernel, "architecture " + kernel.architecture + " is neither gfx942 nor gfx1100");
    return result;
  }
  const std::string wrong = launch_problem(kernel, geometry, kernarg.size());
  if (!wrong.empty()) {
    result.error = refused(kernel, wrong);
    return result;
  }
  memory.add(kernel.image.data(), kernel.image.size());
  memory.add_read_only(kernarg.data(), kernarg.size());
  Program& program = program_of(kernel, *architecture);
  GlobalRaces races;
  AtomicOrder atomic_order;
  Launch launch;
  launch.architecture = *architecture;
  launch.lanes = lanes_of(*architecture);
  launch.memory = &memory;
  launch.options = &options;
  launch.races = options.find_races ? &races : nullptr;
  launch.atomic_order = options.find_races ? &atomic_order : nullptr;
  launch.two_caches = *architecture == Architecture::kGfx1100 && ((kernel.rsrc1 >> 29U) & 1U) != 0;
  launch.scratch_bytes = kernel.scratch_bytes_per_lane;
  std::mt19937_64 random(options.seed);
  std::vector<std::uint32_t> blocks(std::size_t{geometry.grid_blocks[0]} * geometry.grid_blocks[1] *
                                    geometry.grid_blocks[2]);
  std::iota(blocks.begin(), blocks.end(), 0U);
  std::shuffle(blocks.begin(), blocks.end(), random);
  Workgroup group;
  std::vector<Wave> waves;
  for (const std::uint32_t block : blocks) {
    start_block({kernel, geometry, kernarg, options.seed}, block, launch, group, waves);
    LdsRaces lds_races(options.find_races ? group.lds.size() : 0);
    group.races = options.find_races ? &lds_races : nullptr;
    GroupRun run(program, launch, result.counts, random, waves);
    try {
      run.run();
    } catch (const Fault& fault) {
      result.error = program.place_of(run.address()) + ": " + fault.what() + " (block " + std::to_string(block) + ")";
      break;
    }
  }
  memory.remove(kernarg.data());
  memory.remove(kernel.image.data());
  return result;
}

}  // namespace aaco::amd
