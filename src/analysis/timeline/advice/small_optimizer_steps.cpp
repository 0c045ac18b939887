// SPDX-License-Identifier: MIT
// An optimiser that updates parameter by parameter, in kernels shorter than what starting them costs.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "analysis/timeline/advice/patterns.h"
#include "base/format.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kShort_ns = 10'000;   // about what starting a kernel costs
constexpr uint64_t kLeastKernels = 50;  // of a step

struct OptimizerStep {
  EventRow range = 0;
  uint64_t kernels = 0;
  int64_t time_ns = 0;
  int64_t longest_ns = 0;
  int64_t idle_ns = 0;
};

// PyTorch marks each step: "Optimizer.step#Adam.step".
bool is_step(std::string_view name) { return name.starts_with("Optimizer.step#"); }

// The steps of all ranks by track and start; on a track they do not overlap.
class OptimizerSteps {
 public:
  explicit OptimizerSteps(const EventTable& events) : events_(events) {
    for (size_t i = 0; i < events.size(); ++i) {
      if (events.shape[i] == EventShape::kSlice &&
          (events.kind[i] == EventKind::kHostRange || events.kind[i] == EventKind::kHostOp) &&
          is_step(events.strings[events.name[i]])) {
        steps_[events.track[i]].push_back({static_cast<EventRow>(i)});
      }
    }
    for (auto& [track, steps] : steps_) {
      std::sort(steps.begin(), steps.end(), [&](const OptimizerStep& a, const OptimizerStep& b) {
        return events.start_ns[a.range] < events.start_ns[b.range];
      });
    }
  }

  // In which the call began; null where it did in none.
  OptimizerStep* find(EventRow call) {
    const auto steps = call == kNoEvent ? steps_.end() : steps_.find(events_.track[call]);
    if (steps == steps_.end()) {
      return nullptr;
    }
    const int64_t time_ns = events_.start_ns[call];
    const auto behind =
        std::partition_point(steps->second.begin(), steps->second.end(),
                             [&](const OptimizerStep& step) { return events_.start_ns[step.range] <= time_ns; });
    if (behind == steps->second.begin() || events_.end_ns(std::prev(behind)->range) <= time_ns) {
      return nullptr;
    }
    return &*std::prev(behind);
  }

  // By recording and rank, and of each rank by track and start.
  std::map<std::pair<uint32_t, int64_t>, std::vector<OptimizerStep>> small() const {
    std::map<std::pair<uint32_t, int64_t>, std::vector<OptimizerStep>> steps_by_rank;
    for (const auto& [track, steps] : steps_) {
      auto& of_rank = steps_by_rank[{events_.tracks[track].recording, events_.tracks[track].rank}];
      std::copy_if(steps.begin(), steps.end(), std::back_inserter(of_rank), [](const OptimizerStep& step) {
        return step.kernels >= kLeastKernels && step.time_ns < kShort_ns * static_cast<int64_t>(step.kernels);
      });
    }
    return steps_by_rank;
  }

 private:
  const EventTable& events_;
  std::map<uint32_t, std::vector<OptimizerStep>> steps_;
};

void add_work(const AdviceInput& input, OptimizerSteps& steps) {
  const EventTable& events = input.events;
  for (const RankOperators& rank : input.operators) {
    for (const LinkedSlice& slice : rank.slices) {
      OptimizerStep* const step = events.kind[slice.event] == EventKind::kKernel ? steps.find(slice.call) : nullptr;
      if (step != nullptr) {
        ++step->kernels;
        step->time_ns = saturating_sum(step->time_ns, events.duration_ns[slice.event]);
        step->longest_ns = std::max(step->longest_ns, events.duration_ns[slice.event]);
      }
    }
  }
  for (const DeviceSummary& device : input.summary.devices) {
    for (const ShortHeldIdle& idle : device.idle.held_shortly) {
      if (OptimizerStep* const step = steps.find(idle.call); step != nullptr) {
        step->idle_ns = saturating_sum(step->idle_ns, idle.length_ns);
      }
    }
  }
}

}  // namespace

std::vector<TraceFinding> small_optimizer_steps(const AdviceInput& input) {
  const EventTable& events = input.events;
  std::vector<TraceFinding> all;
  OptimizerSteps steps(events);
  add_work(input, steps);
  for (const auto& [rank, small] : steps.small()) {
    uint64_t kernels = 0;
    int64_t time_ns = 0;
    int64_t idle_ns = 0;
    int64_t longest_ns = 0;
    TimeByName names;
    for (const OptimizerStep& step : small) {
      kernels += step.kernels;
      time_ns = saturating_sum(time_ns, step.time_ns);
      idle_ns = saturating_sum(idle_ns, step.idle_ns);
      longest_ns = saturating_sum(longest_ns, step.longest_ns);
      names.add(events.name[step.range], step.time_ns);
    }
    TraceFinding finding = finding_of("small-optimizer-steps", input.windows, rank.first, rank.second);
    finding.subject = "optimiser in small kernels";
    finding.cost_ns = saturating_sum(time_ns, idle_ns);
    finding.saves_ns = static_cast<double>(finding.cost_ns - longest_ns);
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: all of it but the longest kernel of each step";
    finding.where = names.longest(events.strings);
    const double mean_ns = static_cast<double>(time_ns) / static_cast<double>(kernels);
    finding.evidence = fmt::format(
        "{} kernels in {} steps of {}: {} of work, {} each, and {} idle until they were launched", kernels,
        small.size(), quoted(finding.where), time_text(time_ns), format_duration_ns(mean_ns), time_text(idle_ns));
    finding.figures = {{"kernels", static_cast<double>(kernels), "1"},
                       {"steps", static_cast<double>(small.size()), "1"},
                       {"time", static_cast<double>(time_ns), "ns"},
                       {"mean_kernel", mean_ns, "ns"},
                       {"idle", static_cast<double>(idle_ns), "ns"}};
    finding.remedy =
        "Update all parameters in few kernels: the optimiser's fused=True, or foreach=True where it has no fused form.";
    finding.source = "PyTorch documentation, torch.optim: foreach and fused implementations";
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
