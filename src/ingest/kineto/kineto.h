// SPDX-License-Identifier: MIT
// PyTorch's profiler traces (Kineto) as an event table: both dialects, that of 2021 (categories Kernel, Runtime,
// Operator) and today's (kernel, cuda_runtime or hip_runtime, cpu_op), and traces merged from several ranks.
// Format: pytorch/kineto, output_json.cpp; the trace event format of Chrome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/raw_event.h"
#include "record/events/event_table.h"

namespace aaco {

// JSON that begins with an object or an array of objects.
bool is_kineto(std::string_view head);

// What another writer of Chrome's format does in its own way.
class EventDialect {
 public:
  virtual ~EventDialect() = default;
  // Makes of its event one as PyTorch writes it; texts that it adds hold until the next call. False: it is no event.
  virtual bool mend(chrome::RawEvent& event) = 0;
};

struct KinetoOptions {
  size_t window_bytes = size_t{1} << 20;  // as of chrome::read_events
  EventDialect* dialect = nullptr;
};

// Adds everything that the file holds, in its order, to the events of `recording`, and what could not be read to the
// losses. Errors: kUsage where it is no trace in Chrome's format.
Result<void> read_kineto(ByteSource& source, const std::string& name, uint32_t recording, EventTable& into,
                         const KinetoOptions& options = {});

}  // namespace aaco
