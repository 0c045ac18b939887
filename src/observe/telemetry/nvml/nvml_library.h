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
  kInsufficientSize = 7,
  kFunctionNotFound = 13,
  kVersionMismatch = 25,
};

// What the library writes where it has no value, although the call worked.
inline constexpr unsigned kNoInt = ~0U;
inline constexpr unsigned long long kNoLong = ~0ULL;

enum ClockType : int { kClockSm = 1, kClockMemory = 2 };
inline constexpr int kTemperatureOfChip = 0;
inline constexpr unsigned kTemperatureOfHotspot = 1;  // drivers since 615

// Versions of structs: size, and in the upper byte the number of the layout.
struct TemperatureV1 {
  unsigned version = 0x100000C;
  unsigned sensor = 0;
  int celsius = 0;
};
struct MemoryV1 {
  unsigned long long total = kNoLong, free = kNoLong, used = kNoLong;
};
struct MemoryV2 {
  unsigned version = 0x2000028;
  unsigned long long total = kNoLong, reserved = kNoLong, free = kNoLong, used = kNoLong;
};
static_assert(sizeof(MemoryV2) == 0x28 && sizeof(TemperatureV1) == 0xC);

enum Field : unsigned {
  kFieldMemoryTemperature = 82,
  kFieldNvlinkSendKib = 138,  // data, without the protocol's own bytes; scope kAllLinks: of all links
  kFieldNvlinkReceiveKib = 139,
  kFieldPowerInstant = 186,
  kFieldPcieSendBytes = 197,
  kFieldPcieReceiveBytes = 198,
};
inline constexpr unsigned kAllLinks = ~0U;
enum ValueType : int { kDouble, kUint, kUlong, kUlonglong, kLonglong, kInt, kUshort };
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp_us = 0;  // since 1970, of the value
  long long latency_us = 0;
  int type = kUint;
  int status = kNotSupported;
  union {
    double real;
    unsigned uint;
    unsigned long ulong_value;
    unsigned long long ulonglong;
    long long longlong;
    int int_value;
    unsigned short ushort_value;
  } value{};
};
static_assert(sizeof(FieldValue) == 40);

struct ProcessInfo {
  unsigned pid = 0;
  unsigned long long memory = kNoLong;
  unsigned gpu_instance = kNoInt;
  unsigned compute_instance = kNoInt;
};
static_assert(sizeof(ProcessInfo) == 24);

using GpmSample = struct nvmlGpmSample_st*;
struct GpmSupport {
  unsigned version = 1;
  unsigned is_supported = 0;
};
struct GpmMetric {
  unsigned id = 0;
  int status = kNotSupported;
  double value = 0;
  const char *short_name = nullptr, *long_name = nullptr, *unit = nullptr;
};
// Each driver's header has a longer array; the library goes by `count`, and writes no further.
struct GpmMetrics {
  unsigned version = 1;
  unsigned count = 0;
  GpmSample before = nullptr, after = nullptr;
  GpmMetric metrics[512];
};

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

  // Null where the driver has no such function.
  int (*clock_events)(Device, unsigned long long*);
  int (*max_clock)(Device, int, unsigned*);
  int (*target_clock)(Device, int, unsigned*);
  int (*power_limit_mw)(Device, unsigned*);
  int (*energy_mj)(Device, unsigned long long*);
  int (*temperature_v1)(Device, TemperatureV1*);
  int (*memory_v1)(Device, MemoryV1*);
  int (*memory_v2)(Device, MemoryV2*);
  int (*ecc_errors)(Device, int, int, unsigned long long*);
  int (*fields)(Device, int, FieldValue*);
  int (*compute_processes)(Device, unsigned*, ProcessInfo*);
  int (*graphics_processes)(Device, unsigned*, ProcessInfo*);
  int (*mps_processes)(Device, unsigned*, ProcessInfo*);
  int (*mig_mode)(Device, unsigned*, unsigned*);
  int (*mig_count)(Device, unsigned*);
  int (*mig_device)(Device, unsigned, Device*);
  int (*gpu_instance)(Device, unsigned*);
  int (*compute_instance)(Device, unsigned*);
  int (*gpm_support)(Device, GpmSupport*);
  int (*gpm_alloc)(GpmSample*);
  int (*gpm_free)(GpmSample);
  int (*gpm_sample)(Device, GpmSample);
  int (*gpm_metrics)(GpmMetrics*);
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
