// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "kind/training/lab/chain_rates.h"
#include "kind/training/lab/compiled_kernels.h"
#include "kind/training/lab/lab_list.h"

namespace aaco {

namespace {

constexpr double kEnough = 0.9;   // of the best rate
constexpr double kNearly = 0.05;  // around it: either may be meant

// What is compiled for CDNA3, where the module is there.
std::string compiled_text() {
  const auto kernels = compiled_hip_kernels("gfx942");
  if (!kernels) {
    return "Of a GPU's kernels nothing is said here: " + kernels.error().message + ".";
  }
  const auto largest = std::ranges::max_element(*kernels, {}, &CompiledKernel::vgprs);
  const auto spilling = std::ranges::count_if(*kernels, [](const auto& kernel) { return kernel.spilled > 0; });
  return fmt::format(
      "On a GPU the same registers also decide how many waves share a SIMD. Of the {} kernels that this program has "
      "compiled for gfx942, {} has the most: {} vector registers, so that at most {} fit a SIMD; {} spill (as clang "
      "compiled them, no device ran them).",
      kernels->size(), largest->name, largest->vgprs, counted(cdna_waves(*largest), "wave", "waves"),
      counted(spilling, "kernel", "kernels"));
}

Result<LabMeasurement> measure(const LabRequest&, const ProgressCallback& progress) {
  progress("chains of multiply-adds", 0.5);
  const std::vector<ChainRate> rates = measure_chain_rates();
  const double best = std::ranges::max_element(rates, {}, &ChainRate::per_s)->per_s;
  LabMeasurement found;
  found.table = {{"chains", "multiply-adds a second"}};
  for (const ChainRate& rate : rates) {
    found.choices.push_back(fmt::format("{}", rate.chains));
    found.table.push_back({found.choices.back(), format_si(rate.per_s, "")});
  }
  const auto first_at = [&](double share) {
    return std::ranges::find_if(rates, [&](const ChainRate& rate) { return rate.per_s >= share * best; });
  };
  const auto enough = first_at(kEnough);
  found.words = {fmt::format("{}", enough->chains)};
  for (auto rate = first_at(kEnough - kNearly); rate <= first_at(kEnough + kNearly); ++rate) {
    if (rate != enough) {
      found.words.push_back(fmt::format("{}", rate->chains));
    }
  }
  found.facts = {{"where", "one core of this machine's CPU, whatever --device is"}};
  found.way = fmt::format("{} of the best rate are {}; the first row with that has {} chains.{}",
                          format_percent(kEnough, 0), format_si(kEnough * best, ""), enough->chains,
                          found.words.size() > 1
                              ? fmt::format(" Too close to tell, and so right too: {}.", fmt::join(found.words, ", "))
                              : "");
  found.meaning = fmt::format(
      "One chain waits for each result before it can go on; more of them fill the wait, as more accumulators in a "
      "kernel's registers do, or more waves on a GPU. {} chains run at {} of the best rate: what no longer fits the "
      "registers is kept in memory (spilled). {}",
      rates.back().chains, format_percent(rates.back().per_s / best), compiled_text());
  return found;
}

}  // namespace

Lab lab_registers() {
  return {.title = "Registers: enough to hide latency, few enough not to spill",
          .session = 4,
          .minutes = 10,
          .learn = "See what independent accumulators in registers buy, and where more of them stop to help.",
          .question = "What is the smallest number of independent chains that reaches 90 % of the best rate?",
          .unit = "",
          .hint = "find the largest rate, take nine tenths of it, and read down the table",
          .not_told =
              "how many waves a GPU has at a time while a kernel runs, which a profiler counts, and the registers of "
              "CUDA's kernels: cuobjdump --dump-resource-usage on libaaco_cuda.so lists those",
          .next =
              "aaco llama lab 10 --again\n"
              "cuobjdump --dump-resource-usage libaaco_cuda.so",
          .on_amd =
              "rocprof-compute analyze -p workloads/roof/MI300X_A1 -b 7.1 (registers), -b 6.2 (what limits occupancy)",
          .measure = measure};
}

}  // namespace aaco
