// SPDX-License-Identifier: MIT
#include "guard/subject/guarded_session.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/json/json.h"
#include "kind/trace/trace_kind.h"
#include "kind/trace/trace_source.h"

namespace aaco {

namespace {

constexpr size_t kMostKernels = 20;

// What is not there on a device is no time of it.
void add(const std::string& name, int64_t ns, std::map<std::string, std::vector<double>>& figures) {
  if (ns > 0) {
    figures[name].push_back(static_cast<double>(ns));
  }
}

Result<std::vector<NamedSample>> trace_samples(const ComparedSession& session) {
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace({{session.path.string()}, ""}));
  AACO_TRY(expect_analysis_memory(trace.events));
  const TraceSummary summary = summarise_trace(trace.events);
  std::map<std::string, std::vector<double>> figures;
  for (const DeviceSummary& device : summary.devices) {
    const TimeShares& budget = device.budget;
    add("window", budget.window_ns(), figures);
    add("computation", budget.computation_ns, figures);
    add("exposed communication", budget.exposed_communication_ns, figures);
    add("exposed copies", budget.exposed_copy_ns, figures);
    add("idle", budget.idle_ns, figures);
    for (size_t i = 0; i < std::min(device.kernels.size(), kMostKernels); ++i) {
      add("kernel " + std::string(trace.events.strings[device.kernels[i].name]), device.kernels[i].total_ns, figures);
    }
  }
  const RunSample& recorded = session.samples.front().sample;
  std::vector<NamedSample> samples;
  for (auto& [name, values] : figures) {
    NamedSample& named = samples.emplace_back(measured_sample(name, recorded.created_utc, std::move(values)));
    named.sample.status = recorded.status;
    named.sample.status_reason = recorded.status_reason;
    named.sample.configuration.model_name = "trace";
    named.sample.configuration.backend = "device";
    named.sample.device_kind = DeviceKind::kGpu;
    named.sample.environment = session.environment;
  }
  return samples;
}

}  // namespace

Result<GuardedSession> load_guarded_session(const std::string& sessions, const std::string& session) {
  GuardedSession guarded;
  AACO_ASSIGN(guarded.kind, kind_of_session(sessions, session));
  AACO_ASSIGN(const SampleFunction read, sample_function(*guarded.kind));
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
