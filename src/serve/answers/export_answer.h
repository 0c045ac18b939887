// SPDX-License-Identifier: MIT
// A session's events as a file for another program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

struct PageExport {
  const char* format;     // of export/export_format.h: "perfetto"
  const char* extension;  // ".pftrace"
  const char* content_type;
};

// Null for a format that pages do not offer.
const PageExport* find_page_export(std::string_view format);
// ["chrome", "perfetto"]
JsonValue page_exports();

// Writes `file`, as `aaco trace export` does for a viewer: {"events", "left_out"}. Errors: as load_trace_with_planes()
// and of writing.
Result<JsonValue> export_answer(const std::string& session, const std::string& format,
                                const std::filesystem::path& file);

}  // namespace aaco::serve
