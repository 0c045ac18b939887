// SPDX-License-Identifier: MIT
// Any bytes are either refused, or give rows that are all there: never more than the file could hold.
#include <cstddef>
#include <cstdint>

#include "input_file.h"
#include "session/journal/journal.h"
#include "session/journal/row_journal.h"
#include "trace/gpu_sample.h"

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
  return 0;
}
