// SPDX-License-Identifier: MIT
// Something that the kernel did with or beside the observed threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/table.h"

namespace aaco {

enum class HostEventKind : uint8_t {
  kUnknown,
  kMigration,
  kPageFault,
  kInterrupt,
  kSoftInterrupt,
  kBlockIo,
  kFork,
  kExec,
  kExit,
  kLaunch,       // a call that starts work of a device, where a probe on the vendor's library saw it
  kDeviceFence,  // dma_fence: the driver's own marks of work that it gave to a device
  kDeviceJob,    // drm_sched, amdgpu, amdkfd
};
template <>
inline constexpr EnumWords<HostEventKind, 12> kWordsOf<HostEventKind>{{"", "migration", "page_fault", "interrupt",
                                                                       "soft_interrupt", "block_io", "fork", "exec",
                                                                       "exit", "launch", "device_fence", "device_job"}};

struct HostEventRow {
  HostEventKind kind = HostEventKind::kUnknown;
  std::string name;
  int64_t t_start_ns = 0;
  std::optional<int64_t> t_end_ns;
  std::optional<int64_t> process_id;
  std::optional<int64_t> thread_id;
  std::optional<int64_t> cpu;
  std::optional<int64_t> value;
  std::optional<int64_t> stack;
};

template <>
struct RowSchema<HostEventRow> {
  static constexpr const char* kName = "host_events";
  static constexpr const char* kMeaning = "what the kernel did with or beside the observed threads, one row per event";
  template <class R = HostEventRow>
  static auto columns() {
    return std::tuple{
        row_column("kind", &R::kind, "",
                   "migration, page_fault, interrupt, soft_interrupt, block_io, fork, exec, exit, launch, "
                   "device_fence, device_job"),
        row_column("name", &R::name, "",
                   "interrupt's or device's name, called function, started program, read or write"),
        row_column("t_start_ns", &R::t_start_ns, "ns", "when, or when it started, session time"),
        row_column("t_end_ns", &R::t_end_ns, "ns", "when it ended; null: a moment"),
        row_column("process_id", &R::process_id, "1",
                   "process, as the system numbers it; of an interrupt, the one that it stopped"),
        row_column("thread_id", &R::thread_id, "1", "thread, likewise"),
        row_column("cpu", &R::cpu, "1", "processor; of a migration, the new one"),
        row_column("value", &R::value, "",
                   "migration: the old processor; page_fault: the address; interrupt: its number; block_io: bytes; "
                   "fork: the child; exit: the code"),
        row_column("stack", &R::stack, "1", "row of stacks")};
  }
};

}  // namespace aaco
