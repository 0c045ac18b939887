// SPDX-License-Identifier: MIT
// aaco sessions list | show | tag | verify | prune: the bundles of a folder.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "cli/sessions/tag.h"

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "kind/all_kinds.h"
#include "kind/recorded_p50.h"
#include "report/values.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/catalog/catalog.h"
#include "session/session_info.h"
#include "session/verify_session.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct SessionsFlags {
  std::string folder = "sessions";
  std::string session = layout::kLatest;
  PruneRules rules;
  bool all = false;               // those that are members of another too
  std::vector<std::string> tags;  // of each that is listed
};

void print_json(const Json& json) { fmt::print("{}", indented_json_text(json)); }

// What a session was given, in one word or two: a model's batch, a workload's streams; "" of another kind.
std::string size_text(const SessionInfo& info) {
  const SessionKind& kind = info.kind;
  if (!kind.is_known()) {
    return "unknown kind " + kind.word();
  }
  const auto streams = info.facts.dims.find("streams");
  if (kind.traits().size == SessionSize::kStreams && streams != info.facts.dims.end()) {
    return counted(streams->second, "stream", "streams");
  }
  return kind.traits().size == SessionSize::kBatch ? fmt::format("batch {}", info.facts.batch) : "";
}

// Ids of the sessions that a document names as its members, at whatever depth.
void add_member_ids(const Json& document, std::vector<std::string>& ids) {
  for (const auto& [key, value] : document.items()) {
    if (document.is_object() && key == "bundle" && value.is_string()) {
      ids.push_back(fs::path(value.get<std::string>()).filename());
    } else if (value.is_structured()) {
      add_member_ids(value, ids);
    }
  }
}

// Of a sweep or a study; none of another session.
std::vector<std::string> member_ids(const SessionEntry& entry) {
  std::vector<std::string> ids;
  const Kind* const kind = entry.problem.empty() ? find_kind(entry.info.kind) : nullptr;
  if (kind == nullptr || !kind->has_members) {
    return ids;
  }
  if (const Result<Json> document = read_json(entry.path / kind->traits.document); document) {
    add_member_ids(*document, ids);
    std::erase(ids, entry.id);  // a document names its own session too
  }
  return ids;
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
          {"tags", known ? Json(entry.info.tags) : Json()},
          {"p50_ms", recorded_p50_ms(entry.path, entry.info.kind)}};
}

// Those that have all of the tags.
Result<std::vector<SessionEntry>> listed_entries(const SessionsFlags& flags) {
  AACO_ASSIGN(std::vector<SessionEntry> entries, list_sessions(flags.folder));
  std::erase_if(entries, [&](const SessionEntry& entry) {
    return std::ranges::any_of(flags.tags, [&](const std::string& tag) {
      return std::ranges::find(entry.info.tags, tag) == entry.info.tags.end();
    });
  });
  return entries;
}

std::string no_sessions_text(const SessionsFlags& flags) {
  const std::string where = printable(flags.folder);
  return flags.tags.empty() ? fmt::format("no sessions in {}\n", where)
                            : fmt::format("no sessions in {} with the tag{} {}\n", where,
                                          flags.tags.size() == 1 ? "" : "s", fmt::join(flags.tags, ", "));
}

std::string tags_text(const SessionInfo& info) { return fmt::format("{}", fmt::join(info.tags, ", ")); }

std::vector<std::string> table_row(const SessionEntry& entry, size_t own_members) {
  if (!entry.problem.empty()) {
    return {entry.id, "-", "-", "-", "-", "-", session_status_name(entry.status), entry.problem};
  }
  constexpr size_t kMostOfDevices = 32;  // characters: a rank of a large launch has one each
  const SessionInfo& info = entry.info;
  const std::optional<double> p50_ms = recorded_p50_ms(entry.path, info.kind);
  return {entry.id,
          info.created_utc,
          info.kind.word(),
          subject_of(info),
          shorten(info.facts.backend, kMostOfDevices),
          own_members > 0 ? counted(own_members, "member", "members") : size_text(info),
          session_status_name(entry.status),
          p50_ms ? report::shown_text(report::number_cell(*p50_ms, "ms")) : ""};
}

Result<int> list(const SessionsFlags& flags, bool json) {
  AACO_ASSIGN(const std::vector<SessionEntry> entries, listed_entries(flags));
  if (json) {
    Json sessions = Json::array();
    for (const SessionEntry& entry : entries) {
      sessions.push_back(entry_json(entry));
    }
    print_json({{"sessions", sessions}});
    return 0;
  }
  std::vector<std::vector<std::string>> rows{
      {"session", "created (UTC)", "kind", "of", "backend", "size", "status", "p50"}};
  const bool any_tags = std::ranges::any_of(entries, [](const auto& entry) { return !entry.info.tags.empty(); });
  if (any_tags) {
    rows.front().emplace_back("tags");
  }
  std::set<std::string> folded;
  std::map<std::string, size_t> members;
  for (const SessionEntry& entry : entries) {
    const std::vector<std::string> ids = member_ids(entry);
    members[entry.id] = std::ranges::count_if(
        entries, [&](const SessionEntry& other) { return std::ranges::find(ids, other.id) != ids.end(); });
    folded.insert(ids.begin(), ids.end());
  }
  size_t hidden = 0;
  for (const SessionEntry& entry : entries) {
    if (!flags.all && folded.contains(entry.id)) {
      ++hidden;
      continue;
    }
    rows.push_back(table_row(entry, members[entry.id]));
    if (any_tags) {
      rows.back().push_back(tags_text(entry.info));
    }
  }
  fmt::print("{}", entries.empty() ? no_sessions_text(flags) : format_table(rows));
  if (hidden > 0) {
    fmt::print("{} of sweeps and studies: --all lists them too\n", counted(hidden, "member", "members"));
  }
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
        {"telemetry samples", layout::kSystemEvents, recording.collected.rows<SystemRow>().size()},
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
    const std::string size = size_text(info);
    fmt::print("  model    {}, {}{}on {}\n", printable(subject), printable(size), size.empty() ? "" : ", ",
               printable(info.facts.backend));
  }
  if (!info.tags.empty()) {
    fmt::print("  tags     {}\n", printable(tags_text(info)));
  }
  fmt::print("  folder   {}\n", printable(session.path.string()));
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
    listed.push_back({"  " + file, report::shown_text(report::number_cell(static_cast<double>(bytes), "B"))});
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
    fmt::print("{} {}\n", flags.rules.dry_run ? "would remove" : "removed", printable(path.string()));
  }
  for (const std::string& kept : result.kept) {
    fmt::print("kept {}\n", printable(kept));
  }
  fmt::print("{}, {}\n", counted(result.removed.size(), "session", "sessions"),
             report::shown_text(report::number_cell(static_cast<double>(result.freed_bytes), "B")));
  return exit_code;
}

// One of these, with what they have in common.
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
  cli::Command command = app.add_subcommand("sessions", "List, show, tag, verify and prune recorded sessions");
  command.require_subcommand();
  set_examples(command,
               "  aaco sessions list\n"
               "  aaco sessions show latest\n"
               "  aaco sessions tag latest --add nightly\n"
               "  aaco sessions verify 20260101_1200\n"
               "  aaco sessions prune --keep 20 --older-than 30 --dry-run");
  const auto flags = std::make_shared<SessionsFlags>();
  cli::Command listing = add_action(command, "list", "One line a session, oldest first", flags, invocation, list);
  listing.add_flag("--all", flags->all, "List members of sweeps and studies too; --json always does");
  add_tag_flag(listing, "-t,--tag", flags->tags, "List only sessions with this tag; of several, with all");
  set_examples(listing, "  aaco sessions list --sessions /data/sessions --json\n  aaco sessions list --tag nightly");

  cli::Command showing =
      add_action(command, "show", "Planes, rows, files and losses of one session", flags, invocation, show);
  add_session_argument(showing, *flags);
  set_examples(showing, "  aaco sessions show\n  aaco sessions show 20260101_1200");

  add_sessions_tag(command, invocation);

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
  pruning.add_option("--keep", flags->rules.keep, {0}, "Keep the newest so many").type_name("N");
  pruning.add_option("--older-than", flags->rules.older_than_days, {0, 1'000'000}, "Remove only what is older")
      .type_name("DAYS");
  pruning.add_flag("--dry-run", flags->rules.dry_run, "Only say what would go");
  set_examples(pruning, "  aaco sessions prune --keep 20\n  aaco sessions prune --older-than 30 --dry-run");
}

}  // namespace aaco
