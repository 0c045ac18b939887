// SPDX-License-Identifier: MIT
// Energy of the processor's packages, from the counters of Linux's powercap interface (RAPL).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "observe/host_files.h"

namespace aaco {

// Counts from start() on. Memory and the board are not in a package's energy; psys is left out, which has packages in
// it.
class PackageEnergy {
 public:
  // Errors: kUnavailable naming the file that is not there or cannot be read (it needs root on most systems).
  static Result<PackageEnergy> start(HostFiles host = {});
  // Joules since, of all packages. `seconds`: how long that is. Errors: as start(); kUnavailable after a time in which
  // a counter may have gone round more than once.
  Result<double> joules(double seconds) const;
  // As joules(), and counts from now on: called often, a counter may go round any number of times.
  Result<double> next(double seconds);

 private:
  struct Counter {
    std::string zone;  // "/sys/class/powercap/intel-rapl:0"
    int64_t range_uj = 0;
    int64_t start_uj = 0;
  };
  explicit PackageEnergy(HostFiles host) : host_(std::move(host)) {}

  HostFiles host_;
  std::vector<Counter> counters_;
};

}  // namespace aaco
