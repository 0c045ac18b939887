// SPDX-License-Identifier: MIT
// aaco spikes: the slow iterations of a recorded run, and what came with them more than chance brings.
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"

#include "analysis/host/spikes.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "report/host/host_section.h"
#include "report/sections/document_report.h"
#include "report/sinks.h"
#include "session/catalog/catalog.h"
#include "session/session.h"

namespace aaco {

namespace {

struct SpikesFlags {
  std::string session = "latest";
  std::string sessions_folder = "sessions";
  size_t top = 10;
};

Result<int> show_spikes(const SpikesFlags& flags, bool json) {
  AACO_ASSIGN(const std::filesystem::path path, find_session(flags.sessions_folder, flags.session));
  AACO_ASSIGN(const OpenSession session, open_session(path));
  if (session.recording.iterations.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: has no iterations", printable(path.string())),
                 "aaco spikes is for sessions of aaco run; aaco report shows what this one holds"};
  }
  const Spikes spikes = find_spikes(session.recording);
  if (json) {
    Json document = report::spikes_json(spikes, flags.top);
    document["session"] = session.info.session_id;
    document["losses"] = session.losses;
    fmt::print("{}", indented_json_text(document));
    return 0;
  }
  report::Report page;
  page.sections.push_back(report::spikes_answer(spikes, flags.top, !session.losses.empty()));
  std::vector<report::Block>& blocks = page.sections.back().blocks;
  const std::vector<report::Block> remarks = report::status_remarks(session);
  blocks.insert(blocks.begin(), remarks.begin(), remarks.end());
  fmt::print("{}", report::render_lines(page));
  return 0;
}

}  // namespace

void add_spikes_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("spikes", "Slow iterations of a run, and what came with them");
  auto flags = std::make_shared<SpikesFlags>();
  command.add_option("--session,session", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  command.add_option("--top", flags->top, {0}, "Rows to show of each table").capture_default_str();
  add_sessions_folder(command, flags->sessions_folder);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco run --model resnet50 --kernel-plane --telemetry && aaco spikes\n"
               "  aaco spikes 20260101_1200 --top 3\n"
               "  aaco spikes sessions/latest --json");
  command.callback([flags, &invocation] { invocation.finish(show_spikes(*flags, invocation.json)); });
}

}  // namespace aaco
