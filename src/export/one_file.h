// SPDX-License-Identifier: MIT
// What formats that show a trace in one file have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/files/output_file.h"
#include "base/interrupt.h"
#include "export/export_format.h"
#include "export/layout.h"
#include "record/events/event_table.h"

namespace aaco {

inline constexpr size_t kEventsPerLook = size_t{1} << 14;  // for an interrupt

OutputFile::Form form_of(const std::filesystem::path& path);

// Whether a counter's row has a value that a viewer can draw.
bool has_number(const EventTable& events, size_t event);

void remark_what_all_files_change(const EventTable& events, const Layout& layout, uint64_t mended_texts,
                                  ExportCounts& counts);

// Writes by a Writer(events, file): write(), false where it was interrupted or the file is bad, and counts().
template <class Writer>
Result<ExportCounts> write_one_file(const EventTable& events, const std::filesystem::path& path) {
  AACO_ASSIGN(const std::unique_ptr<OutputFile> file, OutputFile::create(path, form_of(path)));
  Writer writer(events, *file);
  if (!writer.write() && interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  AACO_ASSIGN(const uint64_t bytes, file->finish());
  ExportCounts counts = writer.counts();
  counts.bytes = bytes;
  return counts;
}

}  // namespace aaco
