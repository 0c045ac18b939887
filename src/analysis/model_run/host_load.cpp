// SPDX-License-Identifier: MIT
#include "analysis/model_run/host_load.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>

#include "analysis/host/steady_off_cpu.h"
#include "analysis/model_run/quota_load.h"
#include "base/format.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr double kBusyPercent = 50;  // of one processor: below it the frequency of an idle machine is seen
constexpr size_t kFewestSamples = 5;
// The kernel takes processors away, and accounts for running threads, at ticks of up to 10 ms. In a steady phase
// shorter than 20 of them a single one is more than 5 %, from where kept_off_cpu_share counts.
constexpr double kShortestSteadyNs = 20 * 10e6;

MetricValue of_median(const char* id, const std::vector<double>& values, const std::string& missing) {
  const auto middle = median(values);
  if (!middle) {
    return no_data(id, missing);
  }
  const auto estimate = estimate_over_processes(values);  // none where a value is zero
  return measured(id, *middle, estimate ? estimate->interval : std::nullopt);
}

using OfProcess = std::function<std::optional<double>(const ProcessFacts&)>;

double steady_ns(const ProcessFacts& process) { return static_cast<double>(process.t_end_ns - process.t_start_ns); }

// The steady time but for sleep until a request was due (--load): what scheduling is measured against.
double awake_ns(const ProcessFacts& process) {
  return steady_ns(process) - static_cast<double>(process.awaited_ns.value_or(0));
}

// With what the kernel's rows tell where the process's own counters do not. They call sleep until a request was due
// blocked.
std::vector<ProcessFacts> facts_of_processes(const Recording& recording) {
  std::vector<ProcessFacts> all = recording.facts.process_facts;
  for (ProcessFacts& process : all) {
    const auto off_cpu = process.run_delay_known ? std::nullopt : steady_off_cpu(recording.collected, process);
    if (off_cpu) {
      process.run_delay_known = true;
      process.run_delay_ns = off_cpu->run_queue_ns;
      process.off_cpu_ns = std::max<int64_t>(off_cpu->blocked_ns - process.awaited_ns.value_or(0), 0);
    }
  }
  return all;
}

std::vector<double> over_processes(const std::vector<ProcessFacts>& processes, const OfProcess& fact_of) {
  std::vector<double> values;
  for (const ProcessFacts& process : processes) {
    if (process.role == ProcessRole::kMeasure && is_plausible(process.t_start_ns, process.t_end_ns) &&
        process.t_start_ns < process.t_end_ns) {
      if (const auto value = fact_of(process)) {
        values.push_back(*value);
      }
    }
  }
  return values;
}

std::optional<double> when(bool known, double value) { return known ? std::optional(value) : std::nullopt; }

// Time that the process's threads ran or wanted to run, at least the time awake: threads that sleep do not dilute it.
double wanted_ns(const ProcessFacts& process) {
  return std::max(awake_ns(process),
                  static_cast<double>(process.cpu_time_ns) + static_cast<double>(process.run_delay_ns));
}

// Time of the steady phase in which no inference was under way: the harness's own, and waiting for requests. Of
// sequences a prompt's is one too.
MetricValue pause_share(const Context& context, const std::vector<ProcessFacts>& processes) {
  std::map<int64_t, double> inference_ns;
  for (const IterationRow& row : context.recording.iterations) {
    if (context.latency() != nullptr &&
        (row.phase == context.latency()->phase || row.phase == IterationPhase::kPrefill) &&
        is_plausible(row.t_start_ns, row.t_end_ns)) {
      inference_ns[row.process] += static_cast<double>(row.t_end_ns - row.t_start_ns);
    }
  }
  return of_median("pause_share",
                   over_processes(processes,
                                  [&](const ProcessFacts& process) {
                                    const auto busy = inference_ns.find(process.process);
                                    return busy == inference_ns.end()
                                               ? std::nullopt
                                               : std::optional(std::max(0.0, 1 - busy->second / steady_ns(process)));
                                  }),
                   "no steady phase was recorded");
}

void add_process_metrics(const Context& context, std::vector<MetricValue>& metrics) {
  const RunFacts& facts = context.recording.facts;
  const auto threads = worker_threads(facts);
  const std::vector<ProcessFacts> processes = facts_of_processes(context.recording);
  const auto add = [&](const char* id, const std::string& missing, const OfProcess& fact_of) {
    metrics.push_back(of_median(id, over_processes(processes, fact_of), missing));
  };
  const auto add_scheduling = [&](const char* id, const std::string& missing, const OfProcess& fact_of) {
    const OfProcess of_long = [&](const ProcessFacts& process) {
      return awake_ns(process) < kShortestSteadyNs ? std::nullopt : fact_of(process);
    };
    const bool too_short = over_processes(processes, of_long).empty() && !over_processes(processes, fact_of).empty();
    add(id,
        too_short ? fmt::format("no steady phase {} {}", processes.front().awaited_ns ? "was awake for" : "lasted",
                                format_duration_ns(kShortestSteadyNs))
                  : missing,
        of_long);
  };
  const std::string no_counters = "no measuring process recorded its processor time";
  const std::string no_schedstat = "the kernel does not expose run delay (schedstat)";
  add("cpu_utilisation", threads ? no_counters : "the number of threads is unknown", [&](const ProcessFacts& process) {
    return when(process.cpu_time_ns > 0 && threads,
                static_cast<double>(process.cpu_time_ns) / (steady_ns(process) * threads.value_or(1)));
  });
  const auto delay = [&](const ProcessFacts& process) {
    return when(process.run_delay_known, static_cast<double>(process.run_delay_ns) / wanted_ns(process));
  };
  const bool host_waits = facts.device_kind == DeviceKind::kGpu;
  const auto blocked = [&](const ProcessFacts& process) {
    return when(process.run_delay_known && !host_waits, static_cast<double>(process.off_cpu_ns) / awake_ns(process));
  };
  const auto kept_off = [&](const ProcessFacts& process) {
    const auto share = delay(process);
    return share ? std::optional(std::min(1.0, *share + blocked(process).value_or(0))) : std::nullopt;
  };
  add_scheduling("run_delay_share", no_schedstat, delay);
  add_scheduling("off_cpu_share",
                 host_waits ? "on a GPU the host waits for the device, which is no sign of a busy CPU" : no_schedstat,
                 blocked);
  add_scheduling("kept_off_cpu_share", no_schedstat, kept_off);
  add_scheduling("processors_granted", no_schedstat, [&](const ProcessFacts& process) {
    const auto share = kept_off(process);
    return share ? std::optional(1 - *share) : std::nullopt;
  });
  // What a quota kept off is nobody's competition. Where it was not recorded nothing is known to be the quota's.
  add_scheduling("crowded_out_share", no_schedstat, [&](const ProcessFacts& process) {
    const auto share = kept_off(process);
    return share ? std::optional(std::max(0.0, *share - quota_share(facts, process).value_or(0))) : std::nullopt;
  });
  add_scheduling("involuntary_switch_rate", no_counters, [&](const ProcessFacts& process) {
    return when(process.cpu_time_ns > 0, static_cast<double>(process.involuntary_switches) * 1e9 / wanted_ns(process));
  });
  metrics.push_back(pause_share(context, processes));
  metrics.push_back(facts.intra_op_threads > 0 && facts.processors > 0
                        ? measured("threads_per_processor",
                                   static_cast<double>(facts.intra_op_threads) / static_cast<double>(facts.processors))
                        : no_data("threads_per_processor", "the runtime chose the number of threads"));
}

// Samples taken while a measuring process was in its steady phase, by time.
std::vector<const SystemRow*> steady_samples(const Recording& recording) {
  std::vector<Span> phases;
  for (const ProcessFacts& process : recording.facts.process_facts) {
    if (process.role == ProcessRole::kMeasure && is_plausible(process.t_start_ns, process.t_end_ns)) {
      phases.push_back({process.t_start_ns, process.t_end_ns});
    }
  }
  const SpanSet steady = union_of(phases);
  std::vector<const SystemRow*> samples;
  for (const SystemRow& row : recording.collected.rows<SystemRow>()) {
    if (!is_plausible(row.interval_ns, row.t_ns)) {
      continue;
    }
    const auto after = std::upper_bound(steady.begin(), steady.end(), row.t_ns - row.interval_ns,
                                        [](int64_t t, const Span& span) { return t < span.start_ns; });
    if (after != steady.begin() && row.t_ns <= std::prev(after)->end_ns) {
      samples.push_back(&row);
    }
  }
  std::sort(samples.begin(), samples.end(), [](const SystemRow* a, const SystemRow* b) { return a->t_ns < b->t_ns; });
  return samples;
}

template <class Member>
std::vector<double> column(const std::vector<const SystemRow*>& samples, Member member) {
  std::vector<double> values;
  for (const SystemRow* row : samples) {
    if (row->*member && std::isfinite(static_cast<double>(*(row->*member)))) {
      values.push_back(static_cast<double>(*(row->*member)));
    }
  }
  return values;
}

// Pearson's r; none where either side does not vary.
std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto sigma_x = standard_deviation(x);
  const auto sigma_y = standard_deviation(y);
  if (x.size() < kFewestSamples || !sigma_x || !sigma_y || !(*sigma_x > 0) || !(*sigma_y > 0)) {
    return std::nullopt;
  }
  const double mean_x = *mean(x);
  const double mean_y = *mean(y);
  double products = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return products / (static_cast<double>(x.size() - 1) * *sigma_x * *sigma_y);
}

// Frequency against the median latency of the unprofiled iterations that ended within each sample.
std::optional<double> frequency_latency_correlation(const Context& context, const std::vector<const SystemRow*>& busy) {
  std::vector<std::pair<int64_t, double>> latencies;
  for (const IterationRow& row : context.recording.iterations) {
    if (context.latency() != nullptr && row.phase == context.latency()->phase &&
        is_plausible(row.t_start_ns, row.t_end_ns)) {
      latencies.emplace_back(row.t_end_ns, static_cast<double>(row.t_end_ns - row.t_start_ns));
    }
  }
  std::sort(latencies.begin(), latencies.end());
  std::vector<double> frequencies;
  std::vector<double> medians;
  auto at = latencies.begin();
  for (const SystemRow* row : busy) {
    std::vector<double> within;
    for (; at != latencies.end() && at->first <= row->t_ns; ++at) {
      if (at->first > row->t_ns - row->interval_ns) {
        within.push_back(at->second);
      }
    }
    if (!within.empty()) {
      frequencies.push_back(*row->cpu_frequency_mhz);
      medians.push_back(*median(within));
    }
  }
  return correlation(frequencies, medians);
}

void add_frequency_metrics(const Context& context, const std::vector<const SystemRow*>& samples,
                           const std::string& no_telemetry, std::vector<MetricValue>& metrics) {
  std::vector<const SystemRow*> busy;
  for (const SystemRow* row : samples) {
    if (row->cpu_frequency_mhz.value_or(0) > 0 && std::isfinite(*row->cpu_frequency_mhz) &&
        row->process_cpu_pct.value_or(0) >= kBusyPercent) {
      busy.push_back(row);
    }
  }
  const std::vector<double> frequencies = column(busy, &SystemRow::cpu_frequency_mhz);
  if (frequencies.size() < kFewestSamples) {
    const std::string reason =
        samples.empty() ? no_telemetry : "this machine does not expose the frequency while the process is busy";
    for (const char* id :
         {"cpu_frequency", "frequency_drop", "frequency_held", "frequency_cv", "frequency_latency_correlation"}) {
      metrics.push_back(no_data(id, reason));
    }
    return;
  }
  const double highest = *std::max_element(frequencies.begin(), frequencies.end());
  metrics.push_back(measured("cpu_frequency", *median(frequencies) * 1e6));
  const double held = *quantile(frequencies, 0.1) / highest;
  metrics.push_back(measured("frequency_drop", 1 - held));
  metrics.push_back(measured("frequency_held", held));
  metrics.push_back(measured("frequency_cv", *coefficient_of_variation(frequencies)));
  const auto correlated = frequency_latency_correlation(context, busy);
  metrics.push_back(correlated ? measured("frequency_latency_correlation", *correlated)
                               : no_data("frequency_latency_correlation", "frequency or latency did not vary"));
}

MetricValue fault_rate(const char* id, std::optional<int64_t> SystemRow::* count,
                       const std::vector<const SystemRow*>& samples, const std::string& no_telemetry) {
  double faults = 0;
  double seconds = 0;
  for (const SystemRow* row : samples) {
    if (row->*count && row->interval_ns > 0) {
      faults += static_cast<double>(*(row->*count));
      seconds += static_cast<double>(row->interval_ns) / 1e9;
    }
  }
  return seconds > 0 ? measured(id, faults / seconds) : no_data(id, no_telemetry);
}

void add_telemetry_metrics(const Context& context, std::vector<MetricValue>& metrics) {
  const std::vector<const SystemRow*> samples = steady_samples(context.recording);
  const std::string no_telemetry = context.recording.collected.rows<SystemRow>().empty()
                                       ? "needs --telemetry"
                                       : "no sample fell into a steady phase, or this machine does not tell";
  std::vector<double> pressure = column(samples, &SystemRow::psi_cpu_some_pct);
  for (double& value : pressure) {
    value /= 100;
  }
  metrics.push_back(of_median("psi_cpu", pressure, no_telemetry));
  metrics.back().interval.reset();  // samples are no replicates
  const auto runnable = median(column(samples, &SystemRow::runnable_tasks));
  const auto processors = static_cast<double>(context.recording.facts.processors);
  metrics.push_back(runnable && processors > 0 ? measured("runnable_per_processor", *runnable / processors)
                                               : no_data("runnable_per_processor", no_telemetry));
  add_frequency_metrics(context, samples, no_telemetry, metrics);
  metrics.push_back(fault_rate("major_fault_rate", &SystemRow::process_major_faults, samples, no_telemetry));
  metrics.push_back(fault_rate("minor_fault_rate", &SystemRow::process_minor_faults, samples, no_telemetry));
  const std::vector<double> resident = column(samples, &SystemRow::process_rss_bytes);
  metrics.push_back(resident.empty() ? no_data("peak_memory", no_telemetry)
                                     : measured("peak_memory", *std::max_element(resident.begin(), resident.end())));
}

}  // namespace

std::optional<double> worker_threads(const RunFacts& facts) {
  const auto processors = when(facts.processors > 0, static_cast<double>(facts.processors));
  if (facts.intra_op_threads <= 0) {
    return processors;
  }
  return std::min(static_cast<double>(facts.intra_op_threads), processors.value_or(HUGE_VAL));
}

std::vector<MetricValue> host_metrics(const Context& context) {
  std::vector<MetricValue> metrics;
  add_process_metrics(context, metrics);
  add_telemetry_metrics(context, metrics);
  return metrics;
}

}  // namespace aaco
