// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion/scripts.h"

namespace aaco::completion {

namespace {

constexpr const char* kHead = R"(# Completion of aaco for fish, made by `aaco completion fish`.
function __aaco_at --description 'Whether the words so far name this command'
    set -l command ''
    for word in (commandline -opc)
        switch "$command:$word"
)";

constexpr const char* kTail = R"(        end
    end
    test "$command" = "$argv[1]"
end
complete -c aaco -f
)";

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char character : text) {
    quoted += character == '\'' || character == '\\' ? std::string("\\") : std::string();
    quoted += character;
  }
  return quoted + "'";
}

std::string at(const Command& command) {
  return "complete -c aaco -n " + fish_quoted("__aaco_at '" + command.path + "'");
}

// The words and paths of `values`, as arguments of `complete`.
std::string offers_of(const Values& values) {
  std::vector<std::string> words = values.words;
  if (values.paths == Paths::kFolders) {
    words.emplace_back("(__fish_complete_directories)");
  }
  std::string text = values.paths == Paths::kFiles || values.file_after_equals ? " -F" : " -f";
  if (!words.empty()) {
    text += " -a " + fish_quoted(fmt::format("{}", fmt::join(words, " ")));
  }
  return text;
}

std::string flag_line(const Command& command, const Flag& flag) {
  std::string line = at(command);
  for (const std::string& name : flag.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (flag.values) {
    line += " -r" + offers_of(*flag.values);
  }
  return line + " -d " + fish_quoted(flag.what) + "\n";
}

}  // namespace

std::string fish_script(const std::vector<Command>& tree) {
  std::string script = kHead;
  for (const auto& [from, to] : steps_down(tree)) {
    script += fmt::format("            case {}\n                set command {}\n", fish_quoted(from), fish_quoted(to));
  }
  script += kTail;
  for (const Command& command : tree) {
    for (const auto& [name, what] : command.subcommands) {
      script += fmt::format("{} -a {} -d {}\n", at(command), fish_quoted(name), fish_quoted(what));
    }
    if (command.argument) {
      script += at(command) + offers_of(*command.argument) + "\n";
    }
    for (const Flag& flag : command.flags) {
      script += flag_line(command, flag);
    }
  }
  return script;
}

}  // namespace aaco::completion
