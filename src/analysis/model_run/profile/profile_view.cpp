// SPDX-License-Identifier: MIT
#include "analysis/model_run/profile/profile_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace aaco {

namespace {

bool has_activity(const Recording& recording, NodeActivity wanted) {
  return std::any_of(recording.kernels.begin(), recording.kernels.end(),
                     [&](const KernelRow& row) { return row.activity == wanted; });
}

// Beside enqueued nodes, a GPU session has nodes that fell back to the CPU: both are executions of nodes.
bool belongs(const KernelRow& row, NodeActivity activity) {
  return row.activity == activity ||
         (activity == NodeActivity::kHostEnqueue && row.activity == NodeActivity::kHostKernel);
}

}  // namespace

bool is_plausible(int64_t start_ns, int64_t end_ns) {
  constexpr int64_t kLatest = int64_t{1} << 60;  // 36 years
  return start_ns >= 0 && start_ns <= end_ns && end_ns < kLatest;
}

bool lacks_device_activity(const Recording& recording) {
  return recording.facts.device_kind == DeviceKind::kGpu && !has_activity(recording, NodeActivity::kDeviceKernel);
}

ProfileView profile_view(const Recording& recording) {
  ProfileView view;
  for (const NodeActivity candidate :
       {NodeActivity::kHostKernel, NodeActivity::kHostEnqueue, NodeActivity::kDeviceKernel}) {
    if (has_activity(recording, candidate)) {
      view.activity = candidate;
    }
  }
  std::set<std::pair<int64_t, int64_t>> profiled;
  for (const IterationRow& row : recording.iterations) {
    if (row.phase == IterationPhase::kProfile) {
      profiled.emplace(row.process, row.iter_idx);
    }
  }
  std::map<std::pair<int64_t, int64_t>, ProfiledInference> inferences;
  for (const KernelRow& row : recording.kernels) {
    if (!belongs(row, view.activity)) {
      continue;
    }
    const std::pair key{row.process, row.iter_idx};
    if (!profiled.contains(key) || !is_plausible(row.t_start_ns, row.t_end_ns) || !is_plausible(0, row.dur_ns)) {
      ++view.stray_rows;
      continue;
    }
    ProfiledInference& inference = inferences[key];
    inference.process = row.process;
    inference.iter_idx = row.iter_idx;
    inference.rows.push_back(&row);
  }
  for (auto& [key, inference] : inferences) {
    view.inferences.push_back(std::move(inference));
  }
  return view;
}

}  // namespace aaco
