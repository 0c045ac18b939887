// SPDX-License-Identifier: MIT
#include "cli/sessions_command.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/documents/queue_run_document.h"
#include "analysis/documents/training_run_document.h"
#include "base/format.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/text/characters.h"
#include "session/catalog/catalog.h"
#include "session/layout.h"
#include "session/manifest.h"
#include "session/session_info.h"
#include "session/verify_session.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct SessionsFlags {
  std::string folder = "sessions";
  std::string session = layout::kLatest;
  PruneRules rules;
};

void print_json(const Json& json) { fmt::print("{}", indented_json_text(json)); }

// Of an iteration of a queue run, where the host waited for each.
std::optional<double> queue_p50_ms(const fs::path& bundle) {
  const Result<Json> json = read_json(bundle / layout::kQueue);
  const Result<QueueRunDocument> run = json ? read_queue_run(*json, bundle.string()) : json.error();
  return run && run->figures.latency ? std::optional(run->figures.latency->p50_ns.value / 1e6) : std::nullopt;
}

// Of a step of a training: none where nothing may be said of its speed.
std::optional<double> training_p50_ms(const fs::path& bundle) {
  const Result<Json> json = read_json(bundle / layout::kTraining);
  const Result<TrainingRunDocument> run = json ? read_training_run(*json, bundle.string()) : json.error();
  return run && run->figures.median_ns && why_no_speed(*run).empty()
             ? std::optional(run->figures.median_ns->value / 1e6)
             : std::nullopt;
}

// Nothing where the session has no summary, or none of the phase that it is judged by.
std::optional<double> recorded_p50_ms(const fs::path& bundle) {
  const Result<Json> json = read_json(bundle / layout::kSummary);
  const Json p50 = json && json->is_object() ? json->value("p50_ms", Json()) : Json();
  if (p50.is_number()) {
    return p50.get<double>();
  }
  const std::optional<double> of_queue = queue_p50_ms(bundle);
  return of_queue ? of_queue : training_p50_ms(bundle);
}

// What a session was given, in one word or two: a model's batch, a workload's streams; else what kind it is.
std::string size_text(const SessionInfo& info) {
  const SessionKind& kind = info.kind;
  if (!kind.is_known()) {
    return "unknown kind " + kind.word();
  }
  const auto streams = info.facts.dims.find("streams");
  if (kind.traits().size == SessionSize::kStreams && streams != info.facts.dims.end()) {
    return counted(streams->second, "stream", "streams");
  }
  return kind.traits().size == SessionSize::kBatch ? fmt::format("batch {}", info.facts.batch) : kind.word();
}

// Of a kind that has neither a batch nor streams there is none to speak of.
Json batch_json(const SessionInfo& info) {
  return info.kind.traits().size == SessionSize::kNone ? Json() : Json(info.facts.batch);
}

Json entry_json(const SessionEntry& entry) {
  const bool known = entry.problem.empty();
  const auto text_or_null = [&](const std::string& text) { return known ? Json(text) : Json(); };
  return {{"session_id", entry.id},
          {"path", entry.path.string()},
          {"status", entry.status},
          {"status_reason", known ? entry.info.status_reason : entry.problem},
          {"kind", text_or_null(entry.info.kind.word())},
          {"created_utc", text_or_null(entry.info.created_utc)},
          {"model", text_or_null(subject_of(entry.info))},
          {"backend", text_or_null(entry.info.facts.backend)},
          {"batch", known ? batch_json(entry.info) : Json()},
          {"p50_ms", recorded_p50_ms(entry.path)}};
}

Result<int> list(const SessionsFlags& flags, bool json) {
  AACO_ASSIGN(const std::vector<SessionEntry> entries, list_sessions(flags.folder));
  if (json) {
    Json sessions = Json::array();
    for (const SessionEntry& entry : entries) {
      sessions.push_back(entry_json(entry));
    }
    print_json({{"sessions", sessions}});
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"session", "created (UTC)", "model", "backend", "size", "status", "p50"}};
  for (const SessionEntry& entry : entries) {
    if (!entry.problem.empty()) {
      rows.push_back({entry.id, "-", "-", "-", "-", session_status_name(entry.status), entry.problem});
      continue;
    }
    const std::optional<double> p50_ms = recorded_p50_ms(entry.path);
    const RunFacts& facts = entry.info.facts;
    rows.push_back({entry.id, entry.info.created_utc, subject_of(entry.info), facts.backend, size_text(entry.info),
                    session_status_name(entry.status), p50_ms ? format_duration_ns(*p50_ms * 1e6) : "no data"});
  }
  fmt::print("{}", entries.empty() ? fmt::format("no sessions in {}\n", flags.folder) : format_table(rows));
  return 0;
}

// File and size, for people and machines.
Result<std::vector<std::pair<std::string, int64_t>>> sized_files(const fs::path& bundle) {
  AACO_ASSIGN(const std::vector<std::string> files, files_of(bundle));
  std::vector<std::pair<std::string, int64_t>> result;
  for (const std::string& file : files) {
    std::error_code error;
    const auto bytes = fs::file_size(bundle / file, error);
    result.emplace_back(file, error ? 0 : static_cast<int64_t>(bytes));
  }
  return result;
}

// Of the tables that the session has; a table that was not recorded has no count, not even 0.
std::vector<std::pair<const char*, size_t>> row_counts(const OpenSession& session) {
  const Recording& recording = session.recording;
  std::vector<std::pair<const char*, size_t>> counts;
  for (const auto& [name, file, rows] :
       {std::tuple{"iterations", layout::kIterations, recording.iterations.size()},
        {"kernels", layout::kKernels, recording.kernels.size()},
        {"telemetry samples", layout::kSystemEvents, recording.collected.of<SystemRow>().size()},
        {"graph nodes", layout::kGraphNodes, recording.nodes.size()},
        {"graph edges", layout::kGraphEdges, recording.edges.size()}}) {
    std::error_code error;
    if (rows > 0 || fs::exists(session.path / file, error)) {
      counts.emplace_back(name, rows);
    }
  }
  return counts;
}

void print_session(const OpenSession& session, const std::vector<std::pair<std::string, int64_t>>& files) {
  const SessionInfo& info = session.info;
  fmt::print("session {}\n", printable(info.session_id));
  const std::string reason = info.status_reason.empty() ? "" : ": " + info.status_reason;
  fmt::print("  status   {}{}\n", session_status_name(session.status), printable(reason));
  fmt::print("  created  {} by aaco {}, {}\n", printable(info.created_utc), printable(info.aaco_version),
             printable(info.kind.word()));
  if (const std::string subject = subject_of(info); !subject.empty() || info.kind.traits().size != SessionSize::kNone) {
    fmt::print("  model    {}, {}, on {}\n", printable(subject), printable(size_text(info)),
               printable(info.facts.backend));
  }
  fmt::print("  folder   {}\n", session.path.string());
  if (!info.planes.empty()) {
    std::vector<std::vector<std::string>> planes{{"  plane", "state", ""}};
    for (const auto& [name, plane] : info.planes) {
      planes.push_back({"  " + name, plane_status_name(plane.state), plane.reason});
    }
    fmt::print("\n{}", format_table(planes));
  }
  std::vector<std::vector<std::string>> counts{{"  table", "rows"}};
  for (const auto& [name, count] : row_counts(session)) {
    counts.push_back({fmt::format("  {}", name), std::to_string(count)});
  }
  fmt::print("\n{}", format_table(counts));
  std::vector<std::vector<std::string>> listed{{"  file", "size"}};
  for (const auto& [file, bytes] : files) {
    listed.push_back({"  " + file, format_si(static_cast<double>(bytes), "B")});
  }
  fmt::print("\n{}", format_table(listed));
  fmt::print("\n  losses: {}\n", session.losses.empty() ? "none" : "");
  for (const std::string& loss : session.losses) {
    fmt::print("    {}\n", printable(loss));
  }
}

Result<int> show(const SessionsFlags& flags, bool json) {
  AACO_ASSIGN(const fs::path path, find_session(flags.folder, flags.session));
  AACO_ASSIGN(const OpenSession session, open_session(path));
  AACO_ASSIGN(const auto files, sized_files(path));
  if (!json) {
    print_session(session, files);
    return 0;
  }
  Json rows = Json::object();
  for (const auto& [name, count] : row_counts(session)) {
    rows[name] = count;
  }
  Json bytes = Json::object();
  for (const auto& [file, size] : files) {
    bytes[file] = size;
  }
  Json last_end;  // null where nothing was recorded
  for (const IterationRow& row : session.recording.iterations) {
    last_end = last_end.is_null() ? row.t_end_ns : std::max(last_end.get<int64_t>(), row.t_end_ns);
  }
  print_json({{"path", path.string()},
              {"status", session.status},
              {"session", session.info},
              {"rows", rows},
              {"last_iteration_end_ns", last_end},
              {"file_bytes", bytes},
              {"losses", session.losses}});
  return 0;
}

Result<int> verify(const SessionsFlags& flags, bool json) {
  AACO_ASSIGN(const fs::path path, find_session(flags.folder, flags.session));
  AACO_ASSIGN(const SessionCheck check, verify_session(path));
  const int exit_code = check.passed ? 0 : 1;
  if (json) {
    print_json(check);
    return exit_code;
  }
  std::vector<std::vector<std::string>> rows{{"file", "state", "rows", ""}};
  for (const FileCheck& file : check.files) {
    rows.push_back({file.file, file_state_name(file.state), file.rows ? std::to_string(*file.rows) : "-", file.detail});
  }
  fmt::print("{}", format_table(rows));
  for (const std::string& note : check.notes) {
    fmt::print("note: {}\n", printable(note));
  }
  fmt::print("{} ({}): {}\n", printable(check.session_id), session_status_name(check.status),
             check.passed ? "passed" : "failed");
  return exit_code;
}

Result<int> prune(const SessionsFlags& flags, bool json) {
  AACO_ASSIGN(const PruneResult result, prune_sessions(flags.folder, flags.rules));
  const int exit_code = result.failed ? 1 : 0;
  if (json) {
    Json removed = Json::array();
    for (const fs::path& path : result.removed) {
      removed.push_back(path.string());
    }
    print_json({{"dry_run", flags.rules.dry_run},
                {"removed", removed},
                {"kept", result.kept},
                {"freed_bytes", result.freed_bytes}});
    return exit_code;
  }
  for (const fs::path& path : result.removed) {
    fmt::print("{} {}\n", flags.rules.dry_run ? "would remove" : "removed", path.string());
  }
  for (const std::string& kept : result.kept) {
    fmt::print("kept {}\n", printable(kept));
  }
  fmt::print("{}, {}\n", counted(result.removed.size(), "session", "sessions"),
             format_si(static_cast<double>(result.freed_bytes), "B"));
  return exit_code;
}

// One of the four, with what they have in common.
cli::Command add_action(cli::Command parent, const char* name, const char* what,
                        const std::shared_ptr<SessionsFlags>& flags, Invocation& invocation,
                        Result<int> (*action)(const SessionsFlags&, bool)) {
  cli::Command command = parent.add_subcommand(name, what);
  add_sessions_folder(command, flags->folder);
  add_json_flag(command, invocation);
  command.callback([flags, &invocation, action] { invocation.finish(action(*flags, invocation.json)); });
  return command;
}

void add_session_argument(cli::Command command, SessionsFlags& flags) {
  command.add_option("SESSION", flags.session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
}

}  // namespace

void add_sessions_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("sessions", "List, show, verify and prune recorded sessions");
  command.require_subcommand();
  set_examples(command,
               "  aaco sessions list\n"
               "  aaco sessions show latest\n"
               "  aaco sessions verify 20260101_1200\n"
               "  aaco sessions prune --keep 20 --older-than 30 --dry-run");
  const auto flags = std::make_shared<SessionsFlags>();
  cli::Command listing = add_action(command, "list", "One line a session, oldest first", flags, invocation, list);
  set_examples(listing, "  aaco sessions list --sessions /data/sessions --json");

  cli::Command showing =
      add_action(command, "show", "Planes, rows, files and losses of one session", flags, invocation, show);
  add_session_argument(showing, *flags);
  set_examples(showing, "  aaco sessions show\n  aaco sessions show 20260101_1200");

  cli::Command verifying =
      add_action(command, "verify",
                 "Open every file and compare it with the manifest; exit code 1 if one is changed, "
                 "missing or damaged",
                 flags, invocation, verify);
  add_session_argument(verifying, *flags);
  set_examples(verifying, "  aaco sessions verify latest");

  cli::Command pruning =
      add_action(command, "prune", "Remove sessions that every given rule lets go; never one that is running", flags,
                 invocation, prune);
  pruning.add_option("--keep", flags->rules.keep, "Keep the newest so many").type_name("N");
  pruning.add_option("--older-than", flags->rules.older_than_days, "Remove only what is older").type_name("DAYS");
  pruning.add_flag("--dry-run", flags->rules.dry_run, "Only say what would go");
  set_examples(pruning, "  aaco sessions prune --keep 20\n  aaco sessions prune --older-than 30 --dry-run");
}

}  // namespace aaco
