// SPDX-License-Identifier: MIT
#include "analysis/model_run/link/token_kernels.h"

#include <map>
#include <utility>

#include "record/intervals.h"

namespace aaco {

std::vector<TokenWork> token_works(const Recording& recording) {
  using Key = std::pair<int64_t, int64_t>;  // process, iteration
  std::map<Key, std::vector<Span>> kernels;
  for (const KernelRow& row : recording.kernels) {
    if (row.activity == NodeActivity::kDeviceKernel && is_plausible(row.t_start_ns, row.t_end_ns)) {
      kernels[{row.process, row.iter_idx}].push_back({row.t_start_ns, row.t_end_ns});
    }
  }
  std::map<Key, int64_t> ends_ns;
  for (const IterationRow& row : recording.iterations) {
    ends_ns[{row.process, row.iter_idx}] = row.t_end_ns;
  }
  std::vector<TokenWork> works;
  for (const IterationRow& row : recording.iterations) {
    const auto before = ends_ns.find({row.process, row.iter_idx - 1});
    const auto spans = kernels.find({row.process, row.iter_idx});
    if (row.phase != IterationPhase::kProfile || !row.token_idx || before == ends_ns.end() || spans == kernels.end() ||
        before->second >= row.t_end_ns) {
      continue;
    }
    const Span window{before->second, row.t_end_ns};
    works.push_back({static_cast<int64_t>(spans->second.size()),
                     length_ns(intersect(union_of(spans->second), SpanSet{window})), window.end_ns - window.start_ns});
  }
  return works;
}

std::vector<MetricValue> token_kernel_metrics(const Context& context) {
  constexpr const char* kKernels = "token_kernels";
  constexpr const char* kActive = "token_gpu_active_ratio";
  const RunFacts& facts = context.recording.facts;
  if (facts.device_kind != DeviceKind::kGpu || facts.prompt_tokens == 0) {
    return {};
  }
  const std::vector<TokenWork> works = context.lacks_device ? std::vector<TokenWork>() : token_works(context.recording);
  if (works.empty()) {
    return {no_data(kKernels, kNeedsDeviceActivity), no_data(kActive, kNeedsDeviceActivity)};
  }
  std::vector<double> kernels;
  double active_ns = 0;
  double wall_ns = 0;
  for (const TokenWork& work : works) {
    kernels.push_back(static_cast<double>(work.kernels));
    active_ns += static_cast<double>(work.active_ns);
    wall_ns += static_cast<double>(work.wall_ns);
  }
  return {measured(kKernels, *median(kernels)), measured(kActive, active_ns / wall_ns)};
}

}  // namespace aaco
