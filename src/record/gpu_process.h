// SPDX-License-Identifier: MIT
// A process that had a context on a GPU when a sampler looked. What the driver does not tell is null.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/table.h"

namespace aaco {

enum class GpuProcessKind : uint8_t { kUnknown, kCompute, kGraphics, kMps };
template <>
inline constexpr EnumWords<GpuProcessKind, 4> kWordsOf<GpuProcessKind>{{"", "compute", "graphics", "mps_client"}};

struct GpuProcessRow {
  int64_t t_ns = 0;
  std::string device;
  int64_t process_id = 0;
  GpuProcessKind kind = GpuProcessKind::kUnknown;
  std::optional<int64_t> memory_used_bytes;
  std::optional<std::string> name;
};

template <>
struct RowSchema<GpuProcessRow> {
  static constexpr const char* kName = "gpu_processes";
  static constexpr const char* kMeaning = "processes on a device, one row per process each time they are listed";
  template <class R = GpuProcessRow>
  static auto columns() {
    return std::tuple{
        row_column("t_ns", &R::t_ns, "ns", "when they were listed, session time"),
        row_column("device", &R::device, "", "as in gpu_samples: PCI address, MIG slice or partition"),
        row_column("process_id", &R::process_id, "1", "process, as the system numbers it"),
        row_column("kind", &R::kind, "", "compute, graphics or mps_client"),
        row_column("memory_used_bytes", &R::memory_used_bytes, "bytes", "its memory on the device"),
        row_column("name", &R::name, "", "its name as the kernel has it; null: it is gone, or in another container")};
  }
};

}  // namespace aaco
