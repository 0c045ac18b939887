// SPDX-License-Identifier: MIT
#include "observe/telemetry/package_energy.h"

#include <fmt/format.h>
#include <utility>

namespace aaco {

namespace {

constexpr const char* kZones = "/sys/class/powercap";
constexpr double kMostWatts = 1500;  // of a package: a counter that this would turn round cannot be told

Result<int64_t> number_of(const HostFiles& host, const std::string& file) {
  if (const auto value = host.number(file)) {
    return *value;
  }
  return Error{ErrorKind::kUnavailable, fmt::format("{} cannot be read", file),
               "energy counters of processors need root on most systems"};
}

}  // namespace

Result<PackageEnergy> PackageEnergy::start(HostFiles host) {
  PackageEnergy energy(std::move(host));
  for (const std::string& name : energy.host_.names(kZones)) {
    const std::string zone = fmt::format("{}/{}", kZones, name);
    if (!energy.host_.text(zone + "/name").value_or("").starts_with("package")) {
      continue;
    }
    Counter counter{.zone = zone};
    AACO_ASSIGN(counter.range_uj, number_of(energy.host_, zone + "/max_energy_range_uj"));
    AACO_ASSIGN(counter.start_uj, number_of(energy.host_, zone + "/energy_uj"));
    energy.counters_.push_back(std::move(counter));
  }
  if (energy.counters_.empty()) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("there is no energy counter of a processor below {}", energy.host_.path(kZones).string()),
                 "virtual machines have none; on a host, load intel_rapl_msr"};
  }
  return energy;
}

Result<double> PackageEnergy::joules(double seconds) const { return PackageEnergy(*this).next(seconds); }

Result<double> PackageEnergy::next(double seconds) {
  double sum = 0;
  for (Counter& counter : counters_) {
    AACO_ASSIGN(const int64_t now, number_of(host_, counter.zone + "/energy_uj"));
    const int64_t used = now - std::exchange(counter.start_uj, now);
    if (static_cast<double>(counter.range_uj) / 1e6 < seconds * kMostWatts) {
      return Error{
          ErrorKind::kUnavailable,
          fmt::format("in {:.0f} s the counter of {} may have gone round more than once", seconds, counter.zone), ""};
    }
    sum += static_cast<double>(used < 0 ? used + counter.range_uj : used) / 1e6;
  }
  return sum;
}

}  // namespace aaco
