// SPDX-License-Identifier: MIT
// The tree of commands as a script for a shell. Flags, commands and fixed values are in the script; files and folders
// are looked up by the shell.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/completion/command_tree.h"

namespace aaco::completion {

std::string bash_script(const std::vector<Command>& tree);  // to be sourced
std::string zsh_script(const std::vector<Command>& tree);   // to be sourced, or _aaco in a folder of $fpath
std::string fish_script(const std::vector<Command>& tree);  // to be sourced, or aaco.fish in completions/

// `text` as one word of a POSIX shell, bash or zsh.
std::string shell_quoted(const std::string& text);

// Lines of a case statement over "COMMAND:WORD" that go down the tree: ("baseline:save", "baseline save").
std::vector<std::pair<std::string, std::string>> steps_down(const std::vector<Command>& tree);

// Lines of a case statement over "COMMAND:FLAG": what stands after each flag that takes something. `offer` and
// `offer_files` are the shell's commands, with a space before them.
std::string values_cases(const Command& command, const std::function<std::string(const Values&)>& offer,
                         const std::string& offer_files);

}  // namespace aaco::completion
