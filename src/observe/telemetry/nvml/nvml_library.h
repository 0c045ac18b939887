// SPDX-License-Identifier: MIT
// NVIDIA's management library, which comes with the driver, opened at run time. Declarations after NVIDIA's NVML API
// reference; only what the sampler calls.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace aaco::nvml {

using Device = struct nvmlDevice_st*;

enum Status : int {
  kSuccess = 0,
  kNotSupported = 3,
  kNotFound = 6,
};

enum ClockType : int { kClockSm = 1, kClockMemory = 2 };
inline constexpr int kTemperatureOfChip = 0;

struct Utilization {
  unsigned gpu;  // percent of the driver's last window in which a kernel ran
  unsigned memory;
};

struct PciInfo {
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
};

struct Functions {
  int (*init)();
  int (*shutdown)();
  const char* (*error_string)(int);
  int (*device_count)(unsigned*);
  int (*device_by_index)(unsigned, Device*);
  int (*device_by_pci)(const char*, Device*);
  int (*pci_info)(Device, PciInfo*);
  int (*clock)(Device, int, unsigned*);
  int (*power_mw)(Device, unsigned*);
  int (*temperature)(Device, int, unsigned*);
  int (*utilization)(Device, Utilization*);
  int (*clock_events)(Device, unsigned long long*);  // null: a driver that has no such function
};

// Initialised as long as this lives.
class Library {
 public:
  // Errors: kUnavailable: no driver, a library that lacks a function, or that does not start, with its own words.
  static Result<Library> open(const std::string& file);
  Library(Library&& other) noexcept;
  Library& operator=(Library&&) = delete;
  ~Library();

  const Functions& call() const { return functions_; }
  // "nvmlDeviceGetPowerUsage failed: Not Supported (3)".
  std::string words(const std::string& what, int status) const;
  // By PCI address ("0000:1b:00.0"); no address: all. Errors: kUnavailable naming the device and the library's words.
  Result<std::vector<std::pair<std::string, Device>>> devices(const std::vector<std::string>& addresses) const;

 private:
  Library() = default;
  Error failure(const std::string& what, int status) const;

  void* handle_ = nullptr;
  bool started_ = false;
  Functions functions_{};
};

}  // namespace aaco::nvml
