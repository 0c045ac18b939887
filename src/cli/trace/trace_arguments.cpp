// SPDX-License-Identifier: MIT
#include "cli/trace/trace_arguments.h"

#include <filesystem>
#include <vector>

#include "base/new_file.h"
#include "base/side_note.h"
#include "report/trace/job_coverage_section.h"

namespace aaco {

void add_trace_arguments(cli::Command command, imports::TraceRequest& into) {
  command
      .add_option(
          "FILE", into.paths,
          "Files, or folders of them, as one trace; formats are known by the content. Or the session of an import")
      .required();
  command
      .add_option("--rank-from", into.rank_from,
                  "Take ranks from the files' names: a regular expression whose first group is the number")
      .type_name("REGEX");
}

void add_roof_flags(cli::Command command, imports::RoofRequest& into) {
  command.add_option("--accelerator", into.accelerator,
                     "Roofs of this entry of configs/accelerators.yaml, whatever device the trace names");
  command.add_option("--roofs", into.file, "Measured roofs: JSON with flops_per_s by precision and bytes_per_s")
      .excludes("--accelerator");
}

void warn_of_shard(const imports::LoadedTrace& trace) {
  if (trace.origin.shard) {
    note("aaco: {}", report::job_coverage_text(trace.origin.shard, trace.events));
  }
}

Result<void> expect_no_input(const std::string& output, const imports::LoadedTrace& trace) {
  std::vector<std::filesystem::path> inputs;
  for (const TraceFile& file : trace.origin.files) {
    inputs.emplace_back(file.path);
  }
  return expect_no_input(std::filesystem::path(output), inputs);
}

}  // namespace aaco
