// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/command/with_flag.h"
#include "cli/queue/queue_flags.h"
#include "cli/queue/queue_subcommands.h"

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "export/export_format.h"
#include "kind/queue_run/queue_run.h"
#include "kind/queue_run/report/queue_report.h"
#include "report/sinks.h"
#include "session/trace_tables.h"
#include "workload/workload.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct ProfileFlags {
  QueueFlags queue;
  std::string output = "profiles";
};

// Whether anything has a place in time.
bool has_slices(const EventTable& events) {
  for (size_t event = 0; event < events.size(); ++event) {
    if (events.shape[event] == EventShape::kSlice) {
      return true;
    }
  }
  return false;
}

Result<int> profile(const ProfileFlags& flags, const Invocation& invocation) {
  AACO_ASSIGN(QueueRequest request, to_request(flags.queue, invocation));
  request.profile = request.with.empty();
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const QueueRunDocument document, run_queue(request, progress.callback()));
  AACO_ASSIGN(const EventTable events, read_trace_tables(document.bundle));
  const bool timed = has_slices(events);
  const fs::path file =
      fs::path(flags.output) / fmt::format("{}_{}_streams.pftrace", request.workload, request.streams);
  ExportCounts counts;
  if (timed) {
    AACO_TRY(make_folders(flags.output));
    AACO_ASSIGN(counts, write_perfetto(events, file));
  }
  AACO_ASSIGN(const fs::path page, write_session_page(document.bundle));
  progress.wipe();
  const uint64_t dropped = events.losses.count(Loss::kDropped);
  if (invocation.json) {
    Json json = Json(document);
    json["trace"] = timed ? Json{{"path", file.string()}, {"events", counts.events}, {"dropped", dropped}} : Json();
    fmt::print("{}", indented_json_text(json));
  } else {
    fmt::print("{}trace   {}\n{}", report::render_text(report::build_queue_run_summary(document)),
               timed
                   ? fmt::format("{} ({} events; open it at ui.perfetto.dev)", printable(file.string()), counts.events)
                   : "none to draw: " + request.with + " records no times; aaco trace report shows its figures",
               page_line(page));
  }
  if (dropped > 0) {
    return Error{ErrorKind::kInvalid,
                 fmt::format("the activity collector dropped {} records: the trace has gaps", dropped),
                 "fewer --iterations, or fewer kernels in one"};
  }
  return 0;
}

}  // namespace

void add_queue_profile(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("profile", "Run one workload under the device's activity collector");
  auto flags = std::make_shared<ProfileFlags>();
  flags->queue.request.iterations = 10;
  flags->queue.request.processes = 1;
  command.add_option("workload", flags->queue.request.workload, "Name: aaco queue list").required();
  command
      .add_option("-s,--streams", flags->queue.request.streams, {1, kMostStreams}, "Streams of each device, 1 to 128")
      .capture_default_str();
  add_queue_flags(command, flags->queue);
  add_tag_flag(command, invocation);
  command.add_option("-o,--output", flags->output, "Folder for the trace, which Perfetto opens: a track per stream")
      .capture_default_str()
      .type_name("DIR");
  add_with_flag(command, flags->queue.request.with);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco queue profile hetero_kernels --streams 8\n"
               "  aaco queue profile moe --streams 8 --with nsys");
  command.callback([flags, &invocation] { invocation.finish(profile(*flags, invocation)); });
}

}  // namespace aaco
