// SPDX-License-Identifier: MIT
// What a subcommand is: a function that declares its flags on a command line and, when chosen, runs. One
// <name>_command.cpp each, and one line in all_commands.cpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command/command_line.h"

#include "base/result.h"

namespace aaco {

// How the chosen command ended: an exit code (0, or a verdict's 1 or 4), or an error, printed by main as one line and a
// hint.
struct Invocation {
  std::vector<std::string> command_line;
  int exit_code = 0;
  std::optional<Error> error;
  bool json = false;              // the command was asked for JSON: the error then goes to stderr as text all the same
  bool quiet = false;             // no progress on stderr
  std::vector<std::string> tags;  // of the sessions that the command makes

  void finish(Result<int> result) {
    if (result) {
      exit_code = *result;
    } else {
      error = result.error();
    }
  }
};

using AddCommand = void (*)(cli::Command app, Invocation& invocation);

// In the order of `aaco --help`.
std::span<const AddCommand> all_commands();

// Flags that several commands have in common, worded once.
cli::Option add_sessions_folder(cli::Command command, std::string& folder);  // --sessions DIR, default "sessions"
cli::Option add_json_flag(cli::Command command, Invocation& invocation);     // --json
void add_quiet_flag(cli::Command command, Invocation& invocation);           // --quiet
void add_kernel_plane_flag(cli::Command command, bool& wanted);              // --kernel-plane
// -t,--tag of a command that makes sessions.
cli::Option add_tag_flag(cli::Command command, Invocation& invocation);
// The same for another use of tags.
cli::Option add_tag_flag(cli::Command command, const std::string& names, std::vector<std::string>& tags,
                         const std::string& what);

// Sets the examples shown under the flags of `--help`.
void set_examples(cli::Command command, const std::string& examples);

}  // namespace aaco
