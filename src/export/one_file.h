// SPDX-License-Identifier: MIT
// What formats that show a trace in one file have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/output_file.h"
#include "export/export_format.h"
#include "export/layout.h"
#include "trace/event_table.h"

namespace aaco {

inline constexpr size_t kEventsPerLook = size_t{1} << 14;  // for an interrupt

OutputFile::Form form_of(const std::filesystem::path& path);

// Whether a counter's row has a value that a viewer can draw.
bool has_number(const EventTable& events, size_t event);

void remark_what_all_files_change(const EventTable& events, const Layout& layout, uint64_t mended_texts,
                                  ExportCounts& counts);

}  // namespace aaco
