// SPDX-License-Identifier: MIT
// Files: the kernel's Documentation/admin-guide/pm/cpufreq.rst, arch/x86/kernel/cpu/mce/therm_throt.c and hwmon's
// coretemp and k10temp.
#include "observe/telemetry/processor_state.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProcessors = "sys/devices/system/cpu";
constexpr const char* kMonitors = "sys/class/hwmon";

void open_into(std::vector<ProcFile>& files, const fs::path& path) {
  if (ProcFile file(path); file.is_open()) {
    files.push_back(std::move(file));
  }
}

// Of all files; none where one cannot be read.
std::optional<std::vector<int64_t>> numbers_in(const std::vector<ProcFile>& files, ReadBuffer& buffer) {
  std::vector<int64_t> numbers;
  for (const ProcFile& file : files) {
    const auto text = file.read(buffer);
    const auto number = text ? NumberReader(*text).integer() : std::nullopt;
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers.empty() ? std::nullopt : std::optional(std::move(numbers));
}

double sum_of(const std::vector<int64_t>& numbers) {
  double sum = 0;
  for (const int64_t number : numbers) {
    sum += static_cast<double>(number);
  }
  return sum;
}

}  // namespace

ProcessorState::ProcessorState(const fs::path& root, const std::vector<int>& processors) {
  const HostFiles host(root);
  std::set<std::string> cores, packages;  // siblings and processors of a package show one counter
  for (const int processor : processors) {
    const std::string folder = fmt::format("{}/cpu{}", kProcessors, processor);
    open_into(frequency_limits_, host.path(folder + "/cpufreq/scaling_max_freq"));
    const std::string package = host.text(folder + "/topology/physical_package_id").value_or("");
    const std::string core =
        package + ":" + host.text(folder + "/topology/core_id").value_or(std::to_string(processor));
    if (cores.insert(core).second) {
      open_into(throttle_counts_, host.path(folder + "/thermal_throttle/core_throttle_count"));
    }
    if (packages.insert(package).second) {
      open_into(throttle_counts_, host.path(folder + "/thermal_throttle/package_throttle_count"));
    }
  }
  for (const std::string& monitor : host.names(kMonitors)) {
    for (int i = 1; i <= 4; ++i) {
      const std::string sensor = fmt::format("{}/{}/temp{}", kMonitors, monitor, i);
      const std::string label = host.text(sensor + "_label").value_or("");
      if (label.starts_with("Package id") || label == "Tctl") {
        open_into(package_temperatures_, host.path(sensor + "_input"));
      }
    }
  }
  if (Result<PackageEnergy> energy = PackageEnergy::start(host)) {
    energy_ = std::move(*energy);
  } else {
    no_energy_ = energy.error().message;
  }
}

void ProcessorState::sample(SystemRow& row, ReadBuffer& buffer) {
  if (const auto khz = numbers_in(frequency_limits_, buffer)) {
    row.cpu_frequency_max_mhz = sum_of(*khz) / static_cast<double>(khz->size()) / 1000;
  }
  if (const auto counts = numbers_in(throttle_counts_, buffer)) {
    const auto now = static_cast<int64_t>(sum_of(*counts));
    if (const auto before = std::exchange(throttles_, now); before && now >= *before) {
      row.cpu_throttles = now - *before;
    }
  } else {
    throttles_.reset();
  }
  if (const auto millidegrees = numbers_in(package_temperatures_, buffer)) {
    row.package_temperature_c = static_cast<double>(std::ranges::max(*millidegrees)) / 1000;
  }
  if (!energy_) {
    return;
  }
  if (const Result<double> joules = energy_->next(static_cast<double>(row.interval_ns) / 1e9)) {
    joules_ += *joules;
    row.package_energy_j = joules_;
  } else {
    no_energy_ = joules.error().message;
    energy_.reset();  // a sum with a hole is none
  }
}

void ProcessorState::tell_unread(PlaneAccount<SystemRow>& account) const {
  if (frequency_limits_.empty()) {
    account.unread("cpu_frequency_max_mhz", "the kernel shows no cpufreq/scaling_max_freq");
  }
  if (throttle_counts_.empty()) {
    account.unread("cpu_throttles", "the kernel shows no thermal_throttle (a virtual machine, or no Intel processor)");
  }
  if (package_temperatures_.empty()) {
    account.unread("package_temperature_c", "the kernel shows no sensor of a processor package below /sys/class/hwmon");
  }
  if (!no_energy_.empty()) {
    account.unread("package_energy_j", no_energy_);
  }
}

}  // namespace aaco
