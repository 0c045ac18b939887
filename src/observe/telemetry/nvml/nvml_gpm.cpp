// SPDX-License-Identifier: MIT
#include "observe/telemetry/nvml/nvml_gpm.h"

#include <array>
#include <cmath>
#include <memory>
#include <utility>

namespace aaco::nvml {

namespace {

struct WantedMetric {
  unsigned id;  // NVML_GPM_METRIC_*
  std::optional<double> GpmFigures::* member;
};
constexpr std::array kWanted{WantedMetric{2, &GpmFigures::sm_busy_pct}, WantedMetric{3, &GpmFigures::sm_occupancy_pct},
                             WantedMetric{5, &GpmFigures::tensor_busy_pct},
                             WantedMetric{10, &GpmFigures::memory_bandwidth_pct}};

Error unavailable(std::string why) { return {ErrorKind::kUnavailable, std::move(why), "the other figures are there"}; }

}  // namespace

Gpm::Gpm(const Library& library, Device device) : library_(&library), device_(device) {
  const Functions& call = library.call();
  if (call.gpm_support == nullptr || call.gpm_alloc == nullptr || call.gpm_free == nullptr ||
      call.gpm_sample == nullptr || call.gpm_metrics == nullptr) {
    unavailable_ = "the driver has no GPM (since 525)";
    return;
  }
  GpmSupport support;
  if (const int status = call.gpm_support(device, &support); status != kSuccess) {
    unavailable_ = library.words("nvmlGpmQueryDeviceSupport", status);
  } else if (support.is_supported == 0) {
    unavailable_ = "the device has no GPM metrics (Hopper and newer have)";
  } else if (const int first = call.gpm_alloc(&before_); first != kSuccess) {
    unavailable_ = library.words("nvmlGpmSampleAlloc", first);
  } else if (const int second = call.gpm_alloc(&after_); second != kSuccess) {
    unavailable_ = library.words("nvmlGpmSampleAlloc", second);
  }
}

Gpm::Gpm(Gpm&& other) noexcept
    : library_(other.library_),
      device_(other.device_),
      unavailable_(std::move(other.unavailable_)),
      before_(std::exchange(other.before_, nullptr)),
      after_(std::exchange(other.after_, nullptr)),
      sampled_(other.sampled_) {}

Gpm::~Gpm() {
  for (const GpmSample sample : {before_, after_}) {
    if (sample != nullptr) {
      library_->call().gpm_free(sample);
    }
  }
}

Result<GpmFigures> Gpm::next() {
  if (!unavailable_.empty()) {
    return unavailable(unavailable_);
  }
  if (const int status = library_->call().gpm_sample(device_, after_); status != kSuccess) {
    sampled_ = false;
    return unavailable(library_->words("nvmlGpmSampleGet", status));
  }
  std::swap(before_, after_);  // the newest is `before_` of the next call
  if (!std::exchange(sampled_, true)) {
    return GpmFigures();
  }
  const auto request = std::make_unique<GpmMetrics>();
  request->before = after_;
  request->after = before_;
  for (const WantedMetric& wanted : kWanted) {
    request->metrics[request->count++].id = wanted.id;
  }
  if (const int status = library_->call().gpm_metrics(request.get()); status != kSuccess) {
    return unavailable(library_->words("nvmlGpmMetricsGet", status));
  }
  GpmFigures figures;
  for (size_t i = 0; i < kWanted.size(); ++i) {
    const GpmMetric& metric = request->metrics[i];
    if (metric.status == kSuccess && std::isfinite(metric.value)) {
      figures.*kWanted[i].member = metric.value;
    }
  }
  return figures;
}

}  // namespace aaco::nvml
