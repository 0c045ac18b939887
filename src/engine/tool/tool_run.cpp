// SPDX-License-Identifier: MIT
#include "engine/tool/tool_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/process/process.h"
#include "base/text/characters.h"
#include "engine/worker_role.h"
#include "ingest/trace_format.h"
#include "observe/host_files.h"
#include "session/bundle/layout.h"
#include "session/trace_tables.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLog = size_t{1} << 20;  // of what is searched for the tool's own error
constexpr std::string_view kErrorMark = "==ERROR==";

std::string last_line(std::string_view text) {
  std::string last;
  for (const std::string_view line : split(text, '\n')) {
    if (!trimmed(line).empty()) {
      last = trimmed(line);
    }
  }
  return last;
}

// ncu says what failed where it writes its table.
std::string error_in_files(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const auto text = entry.path().extension() == ".csv" ? read_file(entry.path(), kMostLog) : Result<std::string>("");
    const size_t at = text ? text->find(kErrorMark) : std::string::npos;
    if (at != std::string::npos) {
      return std::string(trimmed(
          std::string_view(*text).substr(at + kErrorMark.size(), text->find('\n', at) - at - kErrorMark.size())));
    }
  }
  return "";
}

Error failure(const ToolProgram& tool, const ProcessEnd& end, const fs::path& folder, const char* what) {
  const std::string in_files = error_in_files(folder);
  const std::string said = in_files.empty() ? last_line(end.error_text) : in_files;
  const std::string how =
      end.signal != 0 ? fmt::format("signal {}", end.signal) : fmt::format("code {}", end.exit_code);
  return {ErrorKind::kUnavailable,
          fmt::format("{} {} with {}{}", tool.tool->name, what, how, said.empty() ? "" : ": " + printable(said)),
          fmt::format("{} keeps what it wrote; the measured figures are from processes without it", folder.string())};
}

Result<ProcessEnd> run_tool_process(const CommandLine& command, const ToolProgram& tool, const fs::path& folder,
                                    const SpawnOptions& spawn) {
  ProcessOptions child;
  if (tool.tool->environment != nullptr) {
    child.environment = tool.tool->environment(folder);
  }
  child.arguments = command;
  child.processors = spawn.processors;
  AACO_ASSIGN(ProcessEnd end, run_process(child));
  if (interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  return end;
}

Result<ReadTrace> read_output(const ToolProgram& tool, const fs::path& folder) {
  const std::vector<fs::path> folders{folder};
  auto read = read_trace(folders);
  const std::string name = tool.tool->name;
  if (!read) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("{} wrote nothing that can be read: {}", name, read.error().message),
                 "does the workload run on a device of that vendor?"};
  }
  if (read->events.size() == 0) {
    return Error{ErrorKind::kUnavailable, name + " recorded no event",
                 "does the workload run on a device of that vendor?"};
  }
  return read;
}

void list_files(const ReadTrace& read, const fs::path& bundle, ToolOutcome& outcome) {
  for (const ReadTrace::File& file : read.files) {
    outcome.files.push_back({file.path.lexically_relative(bundle).string(), file.format, file.bytes});
  }
  for (const fs::path& path : read.unknown) {
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    outcome.files.push_back({path.lexically_relative(bundle).string(), "", error ? 0 : bytes});
  }
}

}  // namespace

Result<ToolOutcome> run_under_tool(const ToolProgram& tool, const SpawnOptions& spawn, const std::string& worker_role,
                                   int64_t process, const fs::path& bundle) {
  ToolOutcome outcome;
  outcome.tool = tool.tool->name;
  outcome.version = tool.version;
  outcome.folder = fmt::format("{}/{}", layout::kToolOutput, tool.tool->name);
  const fs::path folder = bundle / outcome.folder;
  AACO_TRY(make_folders(folder));
  AACO_ASSIGN(const CommandLine worker, worker_command(spawn, worker_role, process));
  outcome.command = tool.tool->command(tool.program, folder, worker);
  AACO_ASSIGN(const ProcessEnd end, run_tool_process(outcome.command, tool, folder, spawn));
  if (end.exit_code != 0) {
    return failure(tool, end, folder, "ended");
  }
  std::error_code error;
  if (!fs::exists(result_path(spawn.folder, worker_role, process), error)) {
    return failure(tool, end, folder, "did not run the process to its end, and ended");
  }
  if (tool.tool->convert != nullptr) {
    AACO_ASSIGN(const ProcessEnd converted,
                run_tool_process(tool.tool->convert(tool.program, folder), tool, folder, spawn));
    if (converted.exit_code != 0) {
      return failure(tool, converted, folder, "could not export what it recorded, and ended");
    }
  }
  AACO_ASSIGN(const ReadTrace read, read_output(tool, folder));
  list_files(read, bundle, outcome);
  outcome.events = read.events.size();
  return outcome;
}

Result<void> write_trace_of_tools(const std::vector<ToolOutcome>& outcomes, const fs::path& bundle) {
  std::vector<fs::path> folders;
  std::transform(outcomes.begin(), outcomes.end(), std::back_inserter(folders),
                 [&](const ToolOutcome& outcome) { return bundle / outcome.folder; });
  AACO_ASSIGN(const ReadTrace read, read_trace(folders));
  return write_trace_tables(bundle, read.events);
}

}  // namespace aaco
