// SPDX-License-Identifier: MIT
// Memory of each device as the framework's allocator reported it: PyTorch's "[memory]" marks (profile_memory).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline/memory/most_over_time.h"
#include "record/events/event_table.h"
#include "record/events/loss_table.h"

namespace aaco {

struct AllocatorUse {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device_type = kNoId;  // PyTorch's number: 0 the host, 1 CUDA, 6 HIP
  int64_t device = kNoId;       // -1 the host
  uint64_t allocations = 0;
  uint64_t frees = 0;
  int64_t allocated_bytes = 0;  // all allocations together
  int64_t freed_bytes = 0;
  // Whether the marks say how much is allocated in all. Where they do not (2021) the figures below are what was
  // allocated since the recording began, less what was freed.
  bool totals = true;
  int64_t first_bytes = 0;  // before the first mark
  int64_t last_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t peak_at_ns = 0;
  std::optional<int64_t> peak_reserved_bytes;  // what the allocator held of the device, where the marks say it
  std::vector<MostInPart> timeline;            // bytes, from the first mark to the last
};

// Whether the event is such a mark, of memory that is not the host's.
bool is_device_memory(const EventTable& events, size_t event);

// By recording, rank, type and device. A mark without its size is a loss.
std::vector<AllocatorUse> allocator_use(const EventTable& events, LossTable& losses);

}  // namespace aaco
