// SPDX-License-Identifier: MIT
#include "analysis/host/spikes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

#include "analysis/host/measured_process.h"
#include "base/statistics.h"

namespace aaco {

namespace {

// Time of a set of spans, or number of moments, up to any moment.
class Cumulative {
 public:
  Cumulative(const CauseTimes& times, bool is_counted) : times_(times), is_counted_(is_counted) {
    int64_t before_ns = 0;
    for (const Span& span : times.spans) {
      before_ns_.push_back(before_ns);
      before_ns += span.end_ns - span.start_ns;
    }
  }

  int64_t within(int64_t start_ns, int64_t end_ns) const { return until(end_ns) - until(start_ns); }

 private:
  int64_t until(int64_t t_ns) const {
    if (is_counted_) {
      return std::lower_bound(times_.starts_ns.begin(), times_.starts_ns.end(), t_ns) - times_.starts_ns.begin();
    }
    const auto behind = std::upper_bound(times_.spans.begin(), times_.spans.end(), t_ns,
                                         [](int64_t t, const Span& span) { return t < span.start_ns; });
    if (behind == times_.spans.begin()) {
      return 0;
    }
    const auto i = static_cast<size_t>(behind - times_.spans.begin()) - 1;
    const Span& span = times_.spans[i];
    return before_ns_[i] + std::min(t_ns, span.end_ns) - span.start_ns;
  }

  const CauseTimes& times_;
  bool is_counted_;
  std::vector<int64_t> before_ns_;
};

// What of a process is tested.
struct TestedProcess {
  int64_t process = 0;
  Span window;  // from its first tested iteration to its last
  std::vector<const IterationRow*> usual;
  std::vector<size_t> slow;  // of Spikes::slow
};

class Finder {
 public:
  explicit Finder(const Recording& recording) : recording_(recording), processes_(measured_processes(recording)) {}

  Spikes find();

 private:
  void find_slow(const MeasuredProcess& process);
  void keep_slowest();
  void add_cause(const HostCause& cause);
  std::vector<int64_t> amounts_of_shifts(const std::vector<std::optional<Cumulative>>& cumulative) const;
  void name_what_is_beyond_chance();
  void order();

  const Recording& recording_;
  std::vector<MeasuredProcess> processes_;
  std::vector<TestedProcess> tested_;
  Spikes spikes_;
};

double latency_of(const IterationRow& row) { return static_cast<double>(row.t_end_ns - row.t_start_ns); }

void Finder::find_slow(const MeasuredProcess& process) {
  std::map<IterationPhase, std::vector<const IterationRow*>> phases;
  for (const IterationRow* row : process.iterations) {
    if (is_measured_phase(row->phase)) {
      phases[row->phase].push_back(row);
    }
  }
  TestedProcess tested{process.process, {INT64_MAX, 0}, {}, {}};
  for (const auto& [phase, rows] : phases) {
    if (rows.size() < kFewestForFence) {
      continue;
    }
    std::vector<double> latencies;
    for (const IterationRow* row : rows) {
      latencies.push_back(latency_of(*row));
      tested.window.start_ns = std::min(tested.window.start_ns, row->t_start_ns);
      tested.window.end_ns = std::max(tested.window.end_ns, row->t_end_ns);
    }
    const double upper = *quantile(latencies, 0.75);
    const double fence = upper + kFenceRanges * (upper - *quantile(latencies, 0.25));
    const double middle = *median(latencies);
    for (const IterationRow* row : rows) {
      if (latency_of(*row) > fence) {
        spikes_.slow.push_back({row->process, row->iter_idx, row->phase, row->t_start_ns, row->t_end_ns, middle, {}});
      } else {
        tested.usual.push_back(row);
      }
    }
    spikes_.tested += static_cast<int64_t>(rows.size());
  }
  if (tested.window.start_ns < tested.window.end_ns) {
    tested_.push_back(std::move(tested));
  }
}

void Finder::keep_slowest() {
  std::vector<SlowIteration>& slow = spikes_.slow;
  std::ranges::stable_sort(slow, [](const auto& a, const auto& b) { return a.excess_ns() > b.excess_ns(); });
  spikes_.slow_left_out = slow.size() > kMostSlow ? slow.size() - kMostSlow : 0;
  slow.resize(slow.size() - spikes_.slow_left_out);
  for (TestedProcess& tested : tested_) {
    tested.slow.clear();
    for (size_t i = 0; i < slow.size(); ++i) {
      if (slow[i].process == tested.process) {
        tested.slow.push_back(i);
      }
    }
  }
}

// The events move right by d: what was in [start - d, end - d) comes to lie in the iteration, modulo the window.
std::vector<int64_t> Finder::amounts_of_shifts(const std::vector<std::optional<Cumulative>>& cumulative) const {
  std::mt19937_64 random(20'26);
  std::vector<int64_t> amounts;
  for (int shift = 0; shift < kShifts; ++shift) {
    int64_t amount = 0;
    for (size_t i = 0; i < tested_.size(); ++i) {
      const Span& window = tested_[i].window;
      const int64_t period_ns = window.end_ns - window.start_ns;
      const auto distance_ns = static_cast<int64_t>(random() % static_cast<uint64_t>(period_ns));
      if (!cumulative[i]) {
        continue;
      }
      for (const size_t slow : tested_[i].slow) {
        const SlowIteration& iteration = spikes_.slow[slow];
        int64_t start_ns = iteration.t_start_ns - distance_ns;
        int64_t end_ns = iteration.t_end_ns - distance_ns;
        if (start_ns < window.start_ns) {
          start_ns += period_ns;
          end_ns += period_ns;
        }
        amount += cumulative[i]->within(start_ns, std::min(end_ns, window.end_ns));
        if (end_ns > window.end_ns) {
          amount += cumulative[i]->within(window.start_ns, end_ns - period_ns);
        }
      }
    }
    amounts.push_back(amount);
  }
  return amounts;
}

void Finder::add_cause(const HostCause& cause) {
  SpikeCause result{cause.kind, cause.name, cause.has_no_time(), 0, 0, 0, 1, false};
  std::vector<std::optional<Cumulative>> cumulative;
  for (const TestedProcess& tested : tested_) {
    const auto times = cause.by_process.find(tested.process);
    cumulative.push_back(times == cause.by_process.end()
                             ? std::nullopt
                             : std::optional<Cumulative>(std::in_place, times->second, result.is_counted));
    if (!cumulative.back()) {
      continue;
    }
    std::vector<double> usual;
    for (const IterationRow* row : tested.usual) {
      usual.push_back(static_cast<double>(cumulative.back()->within(row->t_start_ns, row->t_end_ns)));
    }
    for (const size_t slow : tested.slow) {
      SlowIteration& iteration = spikes_.slow[slow];
      const int64_t amount = cumulative.back()->within(iteration.t_start_ns, iteration.t_end_ns);
      if (amount > 0) {
        iteration.parts.push_back({spikes_.causes.size(), amount, median(usual).value_or(0)});
        result.amount += amount;
        ++result.iterations;
      }
    }
  }
  const std::vector<int64_t> shifted = amounts_of_shifts(cumulative);
  int64_t as_much = 0;
  double sum = 0;
  for (const int64_t amount : shifted) {
    as_much += amount >= result.amount ? 1 : 0;
    sum += static_cast<double>(amount);
  }
  result.amount_by_chance = sum / kShifts;
  result.p = static_cast<double>(1 + as_much) / (1 + kShifts);
  spikes_.causes.push_back(std::move(result));
}

void Finder::name_what_is_beyond_chance() {
  std::vector<double> p_values;
  for (const SpikeCause& cause : spikes_.causes) {
    p_values.push_back(cause.p);
  }
  const std::vector<double> levels = holm_levels(p_values, p_values.size(), kSpikeLevel);
  for (size_t i = 0; i < levels.size(); ++i) {
    spikes_.causes[i].beyond_chance = spikes_.causes[i].iterations > 0 && p_values[i] <= levels[i];
  }
}

void Finder::order() {
  std::vector<size_t> order(spikes_.causes.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  const auto key = [&](size_t i) {
    const SpikeCause& cause = spikes_.causes[i];
    return std::tuple(!cause.beyond_chance, cause.is_counted,
                      cause.amount_by_chance - static_cast<double>(cause.amount));
  };
  std::ranges::stable_sort(order, {}, key);
  std::vector<size_t> place(order.size());
  std::vector<SpikeCause> causes;
  for (const size_t i : order) {
    place[i] = causes.size();
    causes.push_back(std::move(spikes_.causes[i]));
  }
  spikes_.causes = std::move(causes);
  for (SlowIteration& iteration : spikes_.slow) {
    for (SpikePart& part : iteration.parts) {
      part.cause = place[part.cause];
    }
    std::ranges::stable_sort(iteration.parts, {}, [&](const SpikePart& part) {
      return std::pair(spikes_.causes[part.cause].is_counted, part.usual - static_cast<double>(part.amount));
    });
  }
}

Spikes Finder::find() {
  for (const MeasuredProcess& process : processes_) {
    find_slow(process);
  }
  if (tested_.empty()) {
    spikes_.no_iterations = fmt::format("no process has {} measured iterations in a phase", kFewestForFence);
    return std::move(spikes_);
  }
  keep_slowest();
  const HostCauses causes = host_causes(recording_, processes_);
  spikes_.causes_left_out = causes.left_out;
  const auto& collected = recording_.collected;
  const bool of_kernel = !collected.rows<OffCpuRow>().empty() || !collected.rows<HostEventRow>().empty();
  if (!of_kernel) {
    const auto plane = recording_.planes.find("kernel_plane");
    spikes_.no_rows = plane == recording_.planes.end() || plane->second.reason.empty()
                          ? "recorded without --kernel-plane"
                          : plane->second.reason;
  }
  if (!spikes_.slow.empty()) {
    for (const HostCause& cause : causes.causes) {
      add_cause(cause);
    }
    name_what_is_beyond_chance();
  }
  order();
  return std::move(spikes_);
}

}  // namespace

Spikes find_spikes(const Recording& recording) { return Finder(recording).find(); }

}  // namespace aaco
