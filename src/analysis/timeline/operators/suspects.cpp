// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/suspects.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"

namespace aaco {

namespace {

// Above the roof that counts only what was reached elsewhere; within the peak of the data sheet.
bool within_peak(const Accelerator& accelerator, const OperatorRoof& op) {
  const auto peak = accelerator.matrix.find(op.precision);
  return op.reached && peak != accelerator.matrix.end() && op.flops_per_s() <= peak->second;
}

// On processors the measured rate is that of memory, and caches that are not on record lie before it: what fits the
// largest of today's (1152 MiB, EPYC 9684X), in two sockets, is possible where the arithmetic is.
bool host_cache_explains(const RankRoofline& rank, const OperatorRoof& op) {
  constexpr double kLargestCache = 2.0 * 1152 * 1024 * 1024;
  return rank.on_host && *op.work.bytes <= kLargestCache &&
         (!op.flops_per_s_roof || op.flops_per_s() <= op.flops_per_s_roof);
}

// What is left of its data when the last-level cache held all that it can keeps to the memory's rate.
bool cache_explains(const Accelerator& accelerator, const OperatorRoof& op) {
  const double rest = *op.work.bytes - accelerator.cache_bytes.value_or(0);
  return accelerator.cache_bytes &&
         rest * 1e9 * static_cast<double>(op.count) <= *accelerator.bytes_per_s * static_cast<double>(op.time_ns);
}

Suspect above_roof(const EventTable& events, const RankRoofline& rank, const OperatorRoof& op) {
  const bool compute = op.roof == RoofBound::kCompute;
  Suspect suspect;
  suspect.recording = rank.recording;
  suspect.rank = rank.rank;
  suspect.kind = compute ? "compute roof" : "memory roof";
  suspect.subject = fmt::format("{} {}", events.strings[op.name], events.strings[op.shapes]);
  suspect.value = *op.fraction();
  suspect.evidence = fmt::format("{} calls took {} a call, the roof of {} allows no less than {}", op.count,
                                 format_duration_ns(static_cast<double>(op.time_ns) / static_cast<double>(op.count)),
                                 rank.accelerator->name, format_duration_ns(*op.roof_ns));
  if (compute && within_peak(*rank.accelerator, op)) {
    suspect.explanation = "faster than the best product measured elsewhere, and within the data sheet's peak";
  } else if (!compute && host_cache_explains(rank, op)) {
    suspect.explanation = "the processor's caches, which are faster than memory, can have held its data";
  } else if (!compute && cache_explains(*rank.accelerator, op)) {
    suspect.explanation = "the last-level cache, which is faster than memory, can have held what makes the difference";
  }
  return suspect;
}

Suspect out_of_range(const BackwardRatio& ratio, bool of_time) {
  const Range& expected = of_time ? ratio.time_expected : ratio.flops_expected;
  Suspect suspect;
  suspect.recording = ratio.recording;
  suspect.rank = ratio.rank;
  suspect.kind = of_time ? "backward time" : "backward FLOPs";
  suspect.subject = fmt::format("{} operators", word_of(ratio.family));
  suspect.value = of_time ? *ratio.time_ratio() : *ratio.flops_ratio();
  suspect.evidence =
      of_time ? fmt::format("backward {}, forward {}; {} to {} times forward is expected",
                            format_duration_ns(static_cast<double>(ratio.backward_ns)),
                            format_duration_ns(static_cast<double>(ratio.forward_ns)), expected.low, expected.high)
              : fmt::format("backward {:.6g} FLOPs, forward {:.6g}; {} to {} times forward is expected",
                            ratio.backward_flops, ratio.forward_flops, expected.low, expected.high);
  if (!of_time && suspect.value > expected.high && ratio.family == OpFamily::kProduct) {
    suspect.evidence += "; about 3 where forward is computed again in backward (activation checkpointing)";
  } else if (suspect.value == 0) {
    suspect.evidence += "; no gradient was computed, or the trace does not hold its kernels";
  }
  if (suspect.value < expected.low && ratio.unknown_ns > 0) {
    suspect.evidence += fmt::format("; operators of unknown FLOPs took {} in backward",
                                    format_duration_ns(static_cast<double>(ratio.unknown_ns)));
  }
  if (!of_time && suspect.value >= 1 && suspect.value < expected.low) {
    suspect.explanation = "gradients that nothing needs are not computed: of the network's input, of frozen weights";
  }
  return suspect;
}

}  // namespace

std::vector<Suspect> find_suspects(const EventTable& events, const std::vector<RankRoofline>& rooflines,
                                   const std::vector<BackwardRatio>& ratios) {
  std::vector<Suspect> all;
  for (const BackwardRatio& ratio : ratios) {
    if (const auto flops = ratio.flops_ratio(); flops && !ratio.flops_expected.holds(*flops)) {
      all.push_back(out_of_range(ratio, false));
    }
    if (const auto time = ratio.time_ratio(); time && !ratio.time_expected.holds(*time)) {
      all.push_back(out_of_range(ratio, true));
    }
  }
  for (const RankRoofline& rank : rooflines) {
    for (const OperatorRoof& op : rank.operators) {
      if (const auto fraction = op.fraction(); fraction && *fraction > 1) {
        all.push_back(above_roof(events, rank, op));
      }
    }
  }
  std::stable_partition(all.begin(), all.end(), [](const Suspect& suspect) { return suspect.explanation.empty(); });
  return all;
}

}  // namespace aaco
