// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/convoy.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "record/intervals.h"

namespace aaco {

namespace {

using LongRuns = std::map<uint32_t, std::map<uint64_t, SpanSet>>;  // by device and stream

LongRuns long_runs(const std::vector<ReadyKernel>& kernels, int64_t long_ns) {
  LongRuns runs;
  for (const ReadyKernel& kernel : kernels) {
    if (kernel.end_ns - kernel.start_ns >= long_ns) {
      runs[kernel.device][kernel.stream].push_back({kernel.start_ns, kernel.end_ns});
    }
  }
  for (auto& [device, streams] : runs) {
    for (auto& [stream, spans] : streams) {
      spans = union_of(spans);
    }
  }
  return runs;
}

bool holds(const SpanSet& spans, int64_t at_ns) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), at_ns,
                                      [](int64_t at, const Span& span) { return at < span.start_ns; });
  return after != spans.begin() && at_ns < std::prev(after)->end_ns;
}

bool is_behind(const LongRuns& runs, const ReadyKernel& kernel) {
  const auto device = runs.find(kernel.device);
  return device != runs.end() && std::any_of(device->second.begin(), device->second.end(), [&](const auto& stream) {
           return stream.first != kernel.stream && holds(stream.second, *kernel.ready_ns);
         });
}

struct Delays {
  std::vector<double> alone, behind;
};

Delays delays_of(const std::vector<ReadyKernel>& kernels, const ConvoyThresholds& thresholds, Convoy& result) {
  const LongRuns runs = long_runs(kernels, thresholds.long_ns);
  Delays delays;
  for (const ReadyKernel& kernel : kernels) {
    if (kernel.end_ns - kernel.start_ns >= thresholds.short_ns) {
      continue;
    }
    if (!kernel.ready_ns) {
      ++result.unknown;
      continue;
    }
    (is_behind(runs, kernel) ? delays.behind : delays.alone)
        .push_back(static_cast<double>(kernel.start_ns - *kernel.ready_ns));
  }
  return delays;
}

Convoy invalid_convoy(const std::string& problem, const ConvoyThresholds& thresholds) {
  Convoy result;
  result.thresholds = thresholds;
  result.alone_p50 = invalid("convoy_alone_p50", problem);
  result.behind_p50 = invalid("convoy_behind_p50", problem);
  result.behind_p99 = invalid("convoy_behind_p99", problem);
  result.effect = invalid("convoy_effect", problem);
  return result;
}

// Kernels of one repeat, in the order of enqueueing.
std::vector<ReadyKernel> ready_after_previous(std::span<const KernelStamp> kernels) {
  std::map<int32_t, int64_t> ends;
  std::vector<ReadyKernel> ready;
  for (const KernelStamp& kernel : kernels) {
    ReadyKernel each;
    each.start_ns = kernel.start_ns;
    each.end_ns = kernel.end_ns;
    each.stream = static_cast<uint64_t>(kernel.stream);
    if (const auto before = ends.find(kernel.stream); before != ends.end()) {
      each.ready_ns = before->second;
      each.previous_end_ns = before->second;
    }
    ends[kernel.stream] = kernel.end_ns;
    ready.push_back(std::move(each));
  }
  return ready;
}

}  // namespace

Convoy convoy(std::span<const std::vector<ReadyKernel>> processes, const ConvoyThresholds& thresholds) {
  Convoy result;
  result.thresholds = thresholds;
  std::vector<std::vector<double>> alone;
  std::vector<std::vector<double>> behind;
  std::vector<double> effects;
  for (const std::vector<ReadyKernel>& kernels : processes) {
    Delays delays = delays_of(kernels, thresholds, result);
    if (!delays.alone.empty() && !delays.behind.empty()) {
      effects.push_back(*median(delays.behind) - *median(delays.alone));
    }
    alone.push_back(std::move(delays.alone));
    behind.push_back(std::move(delays.behind));
  }
  result.alone_ns = signed_distribution(alone);
  result.behind_ns = signed_distribution(behind);
  const auto figure = [](const char* id, const std::vector<double>& values, const char* reason) {
    return values.empty() ? no_data(id, reason) : figure_over_processes(id, values);
  };
  result.alone_p50 = figure("convoy_alone_p50", result.alone_ns.process_medians, "no short kernel ran alone");
  result.behind_p50 =
      figure("convoy_behind_p50", result.behind_ns.process_medians, "no short kernel was ready behind a long one");
  result.behind_p99 = tail_figure("convoy_behind_p99", result.behind_ns);
  result.effect = figure("convoy_effect", effects, "needs short kernels of both kinds in one process");
  return result;
}

Convoy convoy(std::span<const ActivityRun> processes, const ConvoyThresholds& thresholds) {
  if (const std::string problem = activity_problem(processes); !problem.empty()) {
    return invalid_convoy(problem, thresholds);
  }
  std::vector<std::vector<ReadyKernel>> kernels;
  for (const ActivityRun& run : processes) {
    kernels.push_back(ready_kernels(run));
  }
  return convoy(kernels, thresholds);
}

Convoy convoy(std::span<const ConvoyRun> processes, const ConvoyThresholds& thresholds) {
  std::vector<std::vector<ReadyKernel>> kernels;
  for (size_t i = 0; i < processes.size(); ++i) {
    kernels.emplace_back();
    for (size_t j = 0; j < processes[i].repeats.size(); ++j) {
      const ConvoyRepeat& repeat = processes[i].repeats[j];
      std::string problem = repeat.gate_timed_out ? "the gate opened by itself before all was enqueued" : "";
      problem = problem.empty() ? stamp_problem(repeat.kernels) : problem;
      if (!problem.empty()) {
        return invalid_convoy(fmt::format("process {}, repeat {}: {}", i + 1, j + 1, problem), thresholds);
      }
      const std::vector<ReadyKernel> ready = ready_after_previous(repeat.kernels);
      kernels.back().insert(kernels.back().end(), ready.begin(), ready.end());
    }
  }
  return convoy(kernels, thresholds);
}

}  // namespace aaco
