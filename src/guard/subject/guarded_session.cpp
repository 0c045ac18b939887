// SPDX-License-Identifier: MIT
#include "guard/subject/guarded_session.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "kind/trace/trace_kind.h"
#include "kind/trace/trace_source.h"

namespace aaco {

namespace {

constexpr size_t kMostKernels = 20;  // of a device
// In the configuration of a trace's samples: with more steps each figure is larger, and nothing is slower.
constexpr const char* kTraceGroup = "trace";
constexpr const char* kStepsFact = "steps";

void add(const std::string& name, double ns, std::map<std::string, double>& figures) {
  if (ns > 0) {  // a sample holds durations
    figures[name] = ns;
  }
}

// Of the kernels that are among the longest of any device the time on all of them.
void add_kernels(const TraceSummary& summary, const StringTable& strings, std::map<std::string, double>& figures) {
  std::set<StringId> longest;
  for (const DeviceSummary& device : summary.devices) {
    for (size_t i = 0; i < std::min(device.kernels.size(), kMostKernels); ++i) {
      longest.insert(device.kernels[i].name);
    }
  }
  std::map<StringId, double> totals_ns;
  for (const DeviceSummary& device : summary.devices) {
    for (const KernelStatistics& kernel : device.kernels) {
      if (longest.contains(kernel.name)) {
        totals_ns[kernel.name] += static_cast<double>(kernel.total_ns);
      }
    }
  }
  for (const auto& [name, total_ns] : totals_ns) {
    add("kernel " + std::string(strings[name]), total_ns / static_cast<double>(summary.devices.size()), figures);
  }
}

Result<std::vector<NamedSample>> trace_samples(const ComparedSession& session) {
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace({{session.path.string()}, ""}));
  AACO_TRY(expect_analysis_memory(trace.events));
  const TraceSummary summary = summarise_trace(trace.events);
  const size_t steps = trace_steps(summary);
  const RunSample& recorded = session.samples.front().sample;
  std::vector<NamedSample> samples;
  for (const auto& [name, ns] : trace_figures(summary, trace.events.strings)) {
    NamedSample& named = samples.emplace_back(measured_sample(name, recorded.created_utc, {ns}));
    named.sample.status = recorded.status;
    named.sample.status_reason = recorded.status_reason;
    named.sample.configuration.model_name = "trace";
    named.sample.configuration.backend = "device";
    auto& facts = named.sample.configuration.work[kTraceGroup];
    if (steps > 0) {
      facts[kStepsFact].value = std::to_string(steps);
    }
    named.sample.device_kind = DeviceKind::kGpu;
    named.sample.environment = session.environment;
  }
  return samples;
}

}  // namespace

std::map<std::string, double> trace_figures(const TraceSummary& summary, const StringTable& strings) {
  std::map<std::string, double> figures;
  int64_t longest_ns = 0;
  for (const DeviceSummary& device : summary.devices) {
    longest_ns = std::max(longest_ns, device.budget.window_ns());
  }
  const auto mean_of = [&](int64_t TimeShares::* part) {
    double total_ns = 0;
    for (const DeviceSummary& device : summary.devices) {
      total_ns += static_cast<double>(device.budget.*part);
    }
    return summary.devices.empty() ? 0.0 : total_ns / static_cast<double>(summary.devices.size());
  };
  add("window", static_cast<double>(longest_ns), figures);
  add("computation", mean_of(&TimeShares::computation_ns), figures);
  add("exposed communication", mean_of(&TimeShares::exposed_communication_ns), figures);
  add("exposed copies", mean_of(&TimeShares::exposed_copy_ns), figures);
  add("idle", mean_of(&TimeShares::idle_ns), figures);
  add_kernels(summary, strings, figures);
  return figures;
}

size_t trace_steps(const TraceSummary& summary) {
  size_t most = 0;
  for (const CriticalPath& path : summary.critical_paths) {
    most = std::max(most, path.steps.size());
  }
  return most;
}

Result<GuardedSession> load_guarded_session(const std::string& sessions, const std::string& session) {
  GuardedSession guarded;
  AACO_ASSIGN(guarded.kind, kind_of_session(sessions, session));
  AACO_TRY(expect_compared(*guarded.kind));
  const SampleFunction read = sample_function(*guarded.kind);
  AACO_ASSIGN(guarded.session, load_session(read, sessions, session));
  guarded.is_run = read == nullptr;
  if (guarded.kind == &kTrace) {
    AACO_ASSIGN(std::vector<NamedSample> samples, trace_samples(guarded.session));
    if (!samples.empty()) {
      guarded.session.samples = std::move(samples);
      guarded.session.session.reset();  // it is kept by its samples
      guarded.is_run = false;
    }
  }
  return guarded;
}

}  // namespace aaco
