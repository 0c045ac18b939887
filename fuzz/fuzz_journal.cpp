// SPDX-License-Identifier: MIT
// Any bytes are either refused, or give rows that are all there: never more than the file could hold.
#include <cstddef>
#include <cstdint>

#include "input_file.h"
#include "record/gpu_sample.h"
#include "record/journal/event_journal.h"
#include "record/journal/journal.h"
#include "record/journal/row_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const aaco::fuzz::InputFile file(data, size);
  const auto content = aaco::read_journal(file.path());
  if (!content) {
    aaco::fuzz::require(!content.error().message.empty() && !content.error().hint.empty());
    return 0;
  }
  aaco::fuzz::require(content->rows.size() == content->row_count * content->row_bytes);
  aaco::fuzz::require(content->rows.size() <= size);
  const auto samples = aaco::read_row_journal<aaco::GpuSampleRow>(file.path());
  aaco::fuzz::require(samples ? samples->size() <= content->row_count : !samples.error().message.empty());
  const auto events = aaco::read_event_journal(file.path());
  aaco::fuzz::require(events ? events->size() <= content->row_count : !events.error().message.empty());
  return 0;
}
