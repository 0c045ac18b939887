// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/profiler_calibration.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/statistics.h"
#include "ingest/ort_profile.h"
#include "model/inputs/input_values.h"

namespace aaco {

namespace {

constexpr int kRounds = 4;
constexpr int kWarmUpRuns = 5;
constexpr int kRunsPerRound = 10;
constexpr double kProfilerResolutionNs = 1000;  // ONNX Runtime's profiler writes whole microseconds

Result<void> run_times(InferenceSession& session, int runs, std::vector<double>* latencies_ns) {
  for (int i = 0; i < runs; ++i) {
    const int64_t start = monotonic_ns();
    if (!session.run()) {
      return session.failure();
    }
    if (latencies_ns != nullptr) {
      latencies_ns->push_back(static_cast<double>(monotonic_ns() - start));
    }
  }
  return {};
}

}  // namespace

Result<ProfilerCost> calibrate_profiler(const SessionRequest& request, int64_t nodes,
                                        const std::filesystem::path& folder) {
  AACO_ASSIGN(InferenceSession plain, InferenceSession::open(request));
  SessionRequest profiled_request = request;
  profiled_request.profile_prefix = folder / "calibration";
  AACO_ASSIGN(InferenceSession profiled, InferenceSession::open(profiled_request));
  AACO_ASSIGN(const InputSet inputs, make_inputs(plain.inputs(), {}));
  AACO_TRY(plain.bind(inputs.tensors));
  AACO_TRY(profiled.bind(inputs.tensors));
  AACO_TRY(run_times(plain, kWarmUpRuns, nullptr));
  AACO_TRY(run_times(profiled, kWarmUpRuns, nullptr));
  std::vector<double> unprofiled_ns;
  for (int round = 0; round < kRounds; ++round) {
    AACO_TRY(run_times(plain, kRunsPerRound, &unprofiled_ns));
    AACO_TRY(run_times(profiled, kRunsPerRound, nullptr));
  }
  AACO_ASSIGN(const ProfileFile file, profiled.end_profile());
  OrtProfileOptions options;
  options.skip_runs = kWarmUpRuns;
  const auto profile = read_ort_profile(file.path, options);
  std::error_code error;
  // ONNX Runtime does not say that it could not write.
  const std::filesystem::space_info disk = std::filesystem::space(file.path.parent_path(), error);
  const bool disk_is_full = !error && disk.available == 0;
  std::filesystem::remove(file.path, error);
  if (!profile) {
    return profile.error();
  }
  std::map<std::string, std::vector<double>> durations;
  for (const KernelRow& kernel : profile->kernels) {
    durations[kernel.node_name].push_back(static_cast<double>(kernel.dur_ns));
  }
  const double own_ns = *median(unprofiled_ns) / static_cast<double>(nodes);
  std::vector<double> costs;
  for (const auto& [node, recorded] : durations) {
    costs.push_back(*mean(recorded) - own_ns);
  }
  if (costs.empty() && disk_is_full) {
    return file_error(file.path, "write", ENOSPC);
  }
  if (costs.empty()) {
    return Error{ErrorKind::kInvalid, "the profiler recorded no node of the calibration graph",
                 "run without --profile"};
  }
  ProfilerCost cost;
  cost.per_node_ns = *median(costs);
  for (double& one : costs) {
    one = std::abs(one - cost.per_node_ns);
  }
  cost.bound_ns = *quantile(costs, 0.95);
  cost.resolution_ns = kProfilerResolutionNs;
  cost.dispatch_ns = own_ns;
  return cost;
}

std::optional<ProfilerCost> over_processes(const std::vector<ProfilerCost>& costs) {
  if (costs.empty()) {
    return std::nullopt;
  }
  const auto each = [&](const auto& of) {
    std::vector<double> values(costs.size());
    std::transform(costs.begin(), costs.end(), values.begin(), of);
    return values;
  };
  ProfilerCost all = costs.front();
  all.per_node_ns = *median(each([](const ProfilerCost& cost) { return cost.per_node_ns; }));
  std::vector<double> bounds =
      each([&](const ProfilerCost& cost) { return std::abs(cost.per_node_ns - all.per_node_ns) + cost.bound_ns; });
  std::sort(bounds.begin(), bounds.end());
  all.bound_ns = bounds[bounds.size() / 2];
  std::vector<double> dispatches;
  all.events_lost = 0;
  for (const ProfilerCost& cost : costs) {
    all.resolution_ns = std::max(all.resolution_ns, cost.resolution_ns);
    all.events_lost += cost.events_lost;
    all.event_limit_hit = all.event_limit_hit || cost.event_limit_hit;
    all.iterations = std::min(all.iterations, cost.iterations);
    if (cost.dispatch_ns) {
      dispatches.push_back(*cost.dispatch_ns);
    }
  }
  all.dispatch_ns = median(dispatches);
  return all;
}

}  // namespace aaco
