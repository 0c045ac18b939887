// SPDX-License-Identifier: MIT
#include "cli/trace/trace_export.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/trace/trace_arguments.h"

#include "base/clock.h"
#include "base/files/new_file.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "export/export_format.h"
#include "kind/trace/session_planes.h"
#include "kind/trace/trace_source.h"
#include "report/trace/losses.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct ExportFlags {
  imports::TraceRequest trace;
  std::string format;
  std::string output;
  bool force = false;
};

std::string known_formats() {
  std::string known;
  for (const ExportFormat& format : all_export_formats()) {
    known += fmt::format("{}{}: {}", known.empty() ? "" : "; ", format.id, format.what);
  }
  return known;
}

Result<const ExportFormat*> find_format(const std::string& id) {
  const std::span<const ExportFormat> formats = all_export_formats();
  const auto position =
      std::find_if(formats.begin(), formats.end(), [&](const auto& format) { return format.id == id; });
  if (position == formats.end()) {
    return Error{ErrorKind::kUsage, fmt::format("--format {}: is not known", id), known_formats()};
  }
  return &*position;
}

// What lies there already stays; a pipe or a device is there to be written to.
Result<void> check_output(const ExportFlags& flags) {
  std::error_code error;
  const fs::file_status status = fs::status(flags.output, error);
  const bool something =
      fs::is_regular_file(status) || (fs::is_directory(status) && !fs::is_empty(flags.output, error));
  if (something && !flags.force) {
    return Error{ErrorKind::kUsage, fmt::format("{}: is there already", flags.output),
                 "choose another --output, or --force to write over it"};
  }
  return {};
}

Json remarks_json(const ExportCounts& counts, bool left_out) {
  Json remarks = Json::array();
  for (const ExportRemark& remark : counts.remarks) {
    if (remark.left_out == left_out) {
      remarks.push_back({{"what", remark.what}, {"count", remark.count}, {"why", remark.why}});
    }
  }
  return remarks;
}

std::string text_of(const ExportCounts& counts) {
  std::string text;
  for (const ExportRemark& remark : counts.remarks) {
    text += fmt::format("{} {}{}: {}\n", remark.count, remark.what, remark.left_out ? " are not in the file" : "",
                        remark.why);
  }
  return text;
}

Result<int> export_trace(const ExportFlags& flags, bool json) {
  AACO_ASSIGN(const ExportFormat* const format, find_format(flags.format));
  AACO_TRY(check_output(flags));
  // The other formats are tables: what lies beside the trace in its session is a table already.
  const std::string_view id = format->id;
  const bool for_viewer = id == "perfetto" || id == "chrome";
  AACO_ASSIGN(const imports::LoadedTrace trace, for_viewer ? imports::load_trace_with_planes(with_paths(flags.trace))
                                                           : imports::load_trace(with_paths(flags.trace)));
  const std::vector<fs::path> inputs = inputs_of(flags.trace.paths, trace);
  AACO_TRY(expect_no_input(flags.output, inputs));
  AACO_TRY(expect_no_input_within(flags.output, ".parquet", inputs));
  warn_of_shard(trace);
  const int64_t began_ns = monotonic_ns();
  AACO_ASSIGN(const ExportCounts counts, format->write(trace.events, flags.output));
  const int64_t took_ns = monotonic_ns() - began_ns;
  if (json) {
    const Json result = {{"path", flags.output},
                         {"format", format->id},
                         {"events", trace.events.size()},
                         {"written", counts.events},
                         {"bytes", counts.bytes},
                         {"write_ns", took_ns},
                         {"left_out", remarks_json(counts, true)},
                         {"changed", remarks_json(counts, false)},
                         {"losses", report::loss_rows(trace.events.losses)}};
    fmt::print("{}", indented_json_text(result));
  } else {
    fmt::print("{}\n{} of {} written in {}, {} bytes\n{}{}", printable(flags.output), counts.events,
               counted(trace.events.size(), "event", "events"), format_duration_ns(static_cast<double>(took_ns)),
               counts.bytes, text_of(counts), report::loss_lines(trace.events.losses));
  }
  return trace.events.losses.in_part() ? static_cast<int>(ErrorKind::kPartial) : 0;
}

}  // namespace

void add_trace_export(cli::Command trace, Invocation& invocation) {
  auto flags = std::make_shared<ExportFlags>();
  cli::Command command = trace.add_subcommand(
      "export", "Write a trace for Perfetto, for analysers of PyTorch's traces, or as tables (Excel, Parquet)");
  add_trace_arguments(command, flags->trace);
  command.add_option("--format", flags->format, "perfetto, chrome, xlsx (the report's tables) or parquet")
      .required()
      .type_name("WORD");
  command.add_option("--output", flags->output, "File to write, with .gz at its end compressed; of parquet a folder")
      .required()
      .type_name("PATH")
      .written();
  command.add_flag("--force", flags->force, "Write over what is there");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco trace export results.db --format perfetto --output results.pftrace\n"
               "  aaco trace export rank0.json.gz rank1.json.gz --format chrome --output both.json.gz\n"
               "  aaco trace export rank0.json.gz --format xlsx --output tables.xlsx\n"
               "  aaco trace export sessions/latest --format parquet --output tables/\n"
               "  aaco trace export latest --format perfetto --output run.pftrace   # a run's planes");
  command.callback([flags, &invocation] { invocation.finish(export_trace(*flags, invocation.json)); });
}

}  // namespace aaco
