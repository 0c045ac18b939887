// SPDX-License-Identifier: MIT
// AMD's management library, which comes with ROCm, opened at run time. Declarations after amdsmi.h of amd-smi 24 to 27;
// only what the sampler calls.
//
// Structs of that library grow under one version number, and it writes as much as its own header has: each is read from
// a buffer that is larger than any of them, and only fields of the part that all versions share are taken.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace aaco::amdsmi {

using Handle = void*;

enum Status : uint32_t { kSuccess = 0, kNotSupported = 2, kBusy = 30, kNotFound = 31 };
inline constexpr uint64_t kInitGpus = 2;

// Room for one of the library's structs; all ones before a call, which is also how the library marks what it has not.
struct Buffer {
  alignas(16) std::array<char, 65'536> bytes;
};

// The part of amdsmi_gpu_metrics_t that all versions share; lists of what newer tables have follow it.
struct Metrics {
  uint16_t table_bytes;
  uint8_t format, content;
  uint16_t edge, hotspot, memory, vr_gfx, vr_soc, vr_memory;  // C
  uint16_t busy, memory_busy, media_busy;                     // %
  uint16_t average_power;                                     // W
  uint64_t energy;
  uint64_t boot_ns;
  uint16_t average_clocks[7];
  uint16_t core_clock, soc_clock, memory_clock, other_clocks[4];  // MHz
  uint32_t throttle_status;
  uint16_t fan, pcie_width, pcie_speed;
  uint32_t busy_sum, memory_busy_sum;
  uint16_t hbm[4];
  uint64_t firmware_time;
  uint16_t voltages[3];
  uint64_t independent_throttle_status;
  uint16_t current_power;  // W, of MI300 and newer
};
struct MemoryUse {
  uint32_t total_mib, used_mib;
};
struct PowerCap {
  uint64_t cap_uw;
};
struct ErrorCount {
  uint64_t corrected, uncorrected, deferred;
};

struct Functions {
  uint32_t (*init)(uint64_t);
  uint32_t (*shut_down)();
  uint32_t (*status_text)(uint32_t, const char**);
  uint32_t (*sockets)(uint32_t*, Handle*);
  uint32_t (*processors)(Handle, uint32_t*, Handle*);
  uint32_t (*bdf)(Handle, uint64_t*);
  uint32_t (*metrics)(Handle, void*);

  // Null where the library has no such function.
  uint32_t (*memory_use)(Handle, void*);
  uint32_t (*power_cap)(Handle, uint32_t, void*);
  uint32_t (*energy)(Handle, uint64_t*, float*, uint64_t*);
  uint32_t (*errors)(Handle, void*);
};

// Initialised as long as this lives.
class Library {
 public:
  // Errors: kUnavailable: no library, one that lacks a function, or that does not start, with its own words.
  static Result<Library> open(const std::string& file);
  Library(Library&& other) noexcept;
  Library& operator=(Library&&) = delete;
  ~Library();

  const Functions& call() const { return functions_; }
  // "amdsmi_get_gpu_metrics_info failed: Busy (30)".
  std::string words(const std::string& what, uint32_t status) const;
  // By PCI address; no address: all. Errors: kUnavailable.
  Result<std::vector<std::pair<std::string, Handle>>> devices(const std::vector<std::string>& addresses) const;

 private:
  Library() = default;
  Error failure(const std::string& what, uint32_t status) const;

  void* handle_ = nullptr;
  bool started_ = false;
  Functions functions_{};
};

}  // namespace aaco::amdsmi
