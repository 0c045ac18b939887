// SPDX-License-Identifier: MIT
#include "cli/trace/trace_arguments.h"

#include <system_error>

#include "base/files/new_file.h"
#include "base/side_note.h"
#include "report/sinks.h"
#include "report/trace/sections.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/catalog/catalog.h"

namespace aaco {

namespace fs = std::filesystem;

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

std::string trace_path(const std::string& word, const std::string& sessions) {
  std::error_code error;
  if (fs::exists(word, error)) {
    return word;
  }
  const Result<fs::path> session = find_session(sessions, word);
  return session ? session->string() : word;
}

imports::TraceRequest with_paths(imports::TraceRequest request) {
  for (std::string& path : request.paths) {
    path = trace_path(path);
  }
  return request;
}

void warn_of_shard(const imports::LoadedTrace& trace) {
  if (trace.origin.shard) {
    report::Outline coverage(report::Outline::Form::kSections);
    report::outline_coverage(trace.origin, trace.events, coverage);
    note("aaco: {}", report::render_lines({.sections = coverage.take_sections()}));
  }
}

std::vector<fs::path> inputs_of(const std::vector<std::string>& named, const imports::LoadedTrace& trace) {
  std::vector<fs::path> inputs;
  for (const TraceFile& file : trace.origin.files) {
    inputs.emplace_back(file.path);
  }
  std::error_code error;
  for (const std::string& path : named) {
    if (fs::exists(fs::path(path) / layout::kSession, error)) {
      const std::vector<fs::path> recorded = recorded_files(path);
      inputs.insert(inputs.end(), recorded.begin(), recorded.end());
    }
  }
  return inputs;
}

Result<void> expect_no_input_within(const fs::path& folder, const std::string& extension,
                                    const std::vector<fs::path>& inputs) {
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    if (entry->path().extension() == extension) {
      AACO_TRY(expect_no_input(entry->path(), inputs));
    }
  }
  return {};
}

}  // namespace aaco
