// SPDX-License-Identifier: MIT
// What can be typed after `aaco`, read off the CLI11 app itself, so that completion knows every command and flag there
// is.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace aaco::completion {

enum class Paths { kNone, kFiles, kFolders };

// What may stand in a place; nothing at all where a person has to think of it, as for a number.
struct Values {
  std::vector<std::string> words;
  Paths paths = Paths::kNone;
  bool file_after_equals = false;  // NAME=FILE: files once the name is there
};

struct Flag {
  std::vector<std::string> names;  // "--help", "-h"
  std::string what;                // its line of the help
  std::optional<Values> values;    // absent: the flag takes none
};

struct Command {
  std::string path;  // "baseline save"; "" is the program
  std::string name;  // "save"
  std::string what;
  std::vector<Flag> flags;
  std::vector<std::pair<std::string, std::string>> subcommands;  // name and line of the help
  std::optional<Values> argument;                                // of the first argument that is no flag
};

// Words that a type name of a flag stands for: {"MODEL", {"resnet50", ...}}.
using Vocabulary = std::map<std::string, std::vector<std::string>>;

// `app` first, then its subcommands in the order of the help; those hidden from the help are left out. What a flag
// takes is in its type name, "|" between alternatives: DIR is a folder, FILE and PATH a file, a word of `vocabulary`
// its words (those of letters, digits, ".", "_" and "-" only); a set "{a,b}", as Option::one_of adds it, those.
std::vector<Command> command_tree(const CLI::App& app, const Vocabulary& vocabulary);

}  // namespace aaco::completion
