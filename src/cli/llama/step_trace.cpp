// SPDX-License-Identifier: MIT
#include "cli/llama/step_trace.h"

#include "base/files/file.h"
#include "export/export_format.h"
#include "session/bundle/layout.h"
#include "session/trace_tables.h"

namespace aaco {

namespace fs = std::filesystem;

Result<fs::path> write_step_trace(const std::string& bundle) {
  AACO_ASSIGN(const EventTable events, read_trace_tables(fs::path(bundle) / layout::kStep));
  const fs::path file = fs::path(bundle) / layout::kStepFile;
  AACO_TRY(make_folders(file.parent_path()));
  AACO_TRY(write_chrome(events, file));
  return file;
}

}  // namespace aaco
