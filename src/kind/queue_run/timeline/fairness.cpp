// SPDX-License-Identifier: MIT
#include "kind/queue_run/timeline/fairness.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "kind/queue_run/analysis/signed_figure.h"

namespace aaco {

namespace {

constexpr const char* kJain = "fairness_jain";
constexpr const char* kRatio = "fairness_max_over_min";

using Rounds = std::vector<std::vector<double>>;

std::string progress_problem(std::span<const Rounds> processes) {
  for (size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].empty()) {
      return fmt::format("needs two streams, process {} has none", i + 1);
    }
    for (const std::vector<double>& progress : processes[i]) {
      if (progress.size() < 2) {
        return fmt::format("needs two streams, process {} has {}", i + 1, progress.size());
      }
      if (progress.size() != processes[0][0].size()) {
        return "processes or rounds have different numbers of streams";
      }
      if (std::any_of(progress.begin(), progress.end(), [](double x) { return !(x >= 0) || !std::isfinite(x); })) {
        return "progress is no number from zero on";
      }
    }
  }
  return "";
}

// Of one process, by round.
struct RoundFigures {
  std::vector<double> indices, ratios;
  bool starved = false;

  void add(const std::vector<double>& progress) {
    double sum = 0;
    double squares = 0;
    for (const double x : progress) {
      sum += x;
      squares += x * x;
    }
    if (squares > 0) {
      indices.push_back(sum * sum / (static_cast<double>(progress.size()) * squares));
    }
    const auto [least, most] = std::ranges::minmax(progress);
    starved = starved || least == 0;
    ratios.push_back(most / least);
  }
};

// The progress of each round of a run that had kernels.
Rounds rounds_of(const ActivityRun& run) {
  const std::vector<int64_t>& starts = run.round_starts_ns;
  std::vector<std::vector<ReadyKernel>> kernels(starts.size() + 1);
  for (const ReadyKernel& kernel : ready_kernels(run)) {
    const auto round = std::upper_bound(starts.begin(), starts.end(), kernel.start_ns) - starts.begin();
    kernels[static_cast<size_t>(round)].push_back(kernel);
  }
  Rounds rounds;
  for (const std::vector<ReadyKernel>& of_round : kernels) {
    if (!of_round.empty()) {
      rounds.push_back(stream_progress(of_round));
    }
  }
  return rounds;
}

}  // namespace

Fairness fairness(std::span<const std::vector<double>> processes) {
  std::vector<Rounds> rounds;
  for (const std::vector<double>& progress : processes) {
    rounds.push_back({progress});
  }
  return fairness_of_rounds(rounds);
}

Fairness fairness_of_rounds(std::span<const Rounds> processes) {
  Fairness result;
  if (const std::string problem = progress_problem(processes); !problem.empty()) {
    result.jain = no_data(kJain, problem);
    result.max_over_min = no_data(kRatio, problem);
    return result;
  }
  std::vector<double> indices;
  std::vector<double> ratios;
  bool starved = false;
  for (const Rounds& rounds : processes) {
    RoundFigures figures;
    for (const std::vector<double>& progress : rounds) {
      figures.add(progress);
    }
    starved = starved || figures.starved;
    if (const auto middle = median(figures.indices)) {
      indices.push_back(*middle);
    }
    if (const auto middle = median(figures.ratios)) {
      ratios.push_back(*middle);
    }
  }
  if (!processes.empty()) {
    result.streams = static_cast<int64_t>(processes[0][0].size());
    result.rounds = static_cast<int64_t>(processes[0].size());
    result.progress = processes[0][0];
  }
  result.jain = indices.empty() && !processes.empty() ? no_data(kJain, "no stream got on at all")
                                                      : figure_over_processes(kJain, indices);
  result.max_over_min =
      starved ? no_data(kRatio, "a stream did not get on at all") : figure_over_processes(kRatio, ratios);
  return result;
}

std::vector<double> stream_progress(std::span<const ReadyKernel> kernels) {
  using StreamOfDevice = std::pair<uint32_t, uint64_t>;
  std::map<StreamOfDevice, int64_t> last_ends;
  for (const ReadyKernel& kernel : kernels) {
    const auto [end, first] = last_ends.try_emplace({kernel.device, kernel.stream}, kernel.end_ns);
    end->second = std::max(end->second, kernel.end_ns);
  }
  int64_t until_ns = std::numeric_limits<int64_t>::max();
  for (const auto& [stream, end_ns] : last_ends) {
    until_ns = std::min(until_ns, end_ns);
  }
  std::map<StreamOfDevice, double> progress;
  for (const ReadyKernel& kernel : kernels) {
    double& of_stream = progress[{kernel.device, kernel.stream}];
    if (kernel.end_ns <= until_ns) {
      of_stream += 1;
    } else if (kernel.start_ns < until_ns) {
      of_stream +=
          static_cast<double>(until_ns - kernel.start_ns) / static_cast<double>(kernel.end_ns - kernel.start_ns);
    }
  }
  std::vector<double> by_stream;
  for (const auto& [stream, value] : progress) {
    by_stream.push_back(value);
  }
  return by_stream;
}

Fairness fairness(std::span<const ActivityRun> processes) {
  if (const std::string problem = activity_problem(processes); !problem.empty()) {
    Fairness result;
    result.jain = invalid(kJain, problem);
    result.max_over_min = invalid(kRatio, problem);
    return result;
  }
  std::vector<Rounds> rounds;
  for (const ActivityRun& run : processes) {
    rounds.push_back(rounds_of(run));
  }
  return fairness_of_rounds(rounds);
}

}  // namespace aaco
