// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/guard/guard_flags.h"
#include "cli/guard/guard_subcommands.h"

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "guard/subject/guarded_session.h"
#include "observe/environment.h"

namespace aaco {

namespace {

Result<GuardEntry> measured_entry(const GuardFlags& flags) {
  if (!flags.session.empty()) {
    AACO_ASSIGN(const GuardedSession guarded, load_guarded_session(flags.request.sessions, flags.session));
    return session_entry(guarded.session, flags.request.labels);
  }
  const JsonValue environment = capture_environment(EnvironmentOptions());
  if (!flags.command.empty()) {
    AACO_ASSIGN(const TimedCommand command, timed_command(flags.request, flags.command));
    return command_entry(command, environment, flags.request.labels);
  }
  AACO_ASSIGN(const std::vector<GivenValue> values, given_values(flags));
  return value_entry(values, environment, flags.request.labels);
}

Result<int> record(const GuardFlags& flags, bool json) {
  AACO_TRY(expect_one_subject(flags));
  AACO_ASSIGN(const GuardStore store, GuardStore::open(flags.request.store));
  AACO_ASSIGN(const GuardEntry entry, measured_entry(flags));
  AACO_TRY(keep_recording(store, entry));
  const GuardRecord& kept = entry.record;
  if (json) {
    fmt::print("{}", indented_json_text({{"record_id", kept.record_id},
                                         {"subject", kept.place.subject},
                                         {"backend", kept.place.backend},
                                         {"machine", kept.place.machine},
                                         {"commit", kept.commit},
                                         {"valid", kept.valid != 0},
                                         {"reason", kept.reason},
                                         {"values", entry.values.size()}}));
    return 0;
  }
  fmt::print("recorded {} of {} on {}\n", counted(entry.values.size(), "value", "values"), kept.place.subject,
             kept.place.machine);
  return 0;
}

}  // namespace

void add_guard_record(cli::Command guard, Invocation& invocation) {
  cli::Command command = guard.add_subcommand("record", "Keep a session, a timed command or values as history");
  const auto flags = std::make_shared<GuardFlags>();
  add_guard_subject(command, *flags);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco guard record --session latest\n"
               "  aaco guard record -- ./bench --size 3\n"
               "  aaco guard record --subject service --value p99=12.3ms --rate requests=8123");
  command.callback([flags, &invocation] {
    if (!invocation.quiet) {
      flags->request.progress = [](const std::string& text) { note("aaco: {}\n", printable(text)); };
    }
    invocation.finish(record(*flags, invocation.json));
  });
}

}  // namespace aaco
