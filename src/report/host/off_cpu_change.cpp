// SPDX-License-Identifier: MIT
#include "report/host/off_cpu_change.h"

#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kNoRows = "recorded without --kernel-plane";

Cell side_cell(const std::optional<OffCpuMeans>& side, const std::optional<double>& ns) {
  return side ? duration_cell(ns) : missing_cell(kNoRows);
}

}  // namespace

std::optional<Section> off_cpu_change_section(const std::optional<OffCpuMeans>& baseline,
                                              const std::optional<OffCpuMeans>& test) {
  if (!baseline && !test) {
    return std::nullopt;
  }
  TableBlock table{.id = "off_cpu",
                   .title = "Time off a processor in an iteration, of all its threads (mean)",
                   .columns = {{"reason"}, {"baseline", true}, {"test", true}, {"change", true}}};
  const auto add = [&](const char* reason, const auto& part) {
    const std::optional<double> before = baseline ? part(*baseline) : std::nullopt;
    const std::optional<double> after = test ? part(*test) : std::nullopt;
    const std::optional<double> change = before && after ? std::optional(*after - *before) : std::nullopt;
    table.rows.push_back(
        {text_cell(reason), side_cell(baseline, before), side_cell(test, after), duration_cell(change)});
  };
  using Part = std::optional<double>;
  add("preempted", [](const OffCpuMeans& means) { return Part(means.preempted_ns); });
  add("waited (sleep)", [](const OffCpuMeans& means) { return Part(means.sleep_ns); });
  add("waited for storage (uninterruptible)", [](const OffCpuMeans& means) { return Part(means.uninterruptible_ns); });
  add("other", [](const OffCpuMeans& means) { return Part(means.other_ns); });
  add("of these: could run, waited for a processor", [](const OffCpuMeans& means) { return means.run_queue_ns; });
  return Section{"off_cpu", "Off a processor", {}, {std::move(table)}};
}

}  // namespace aaco::report
