// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/completion/scripts.h"

namespace aaco::completion {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char character : text) {
    quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return quoted + "'";
}

std::vector<std::pair<std::string, std::string>> steps_down(const std::vector<Command>& tree) {
  std::vector<std::pair<std::string, std::string>> steps;
  for (const Command& command : tree) {
    for (const auto& [name, what] : command.subcommands) {
      steps.emplace_back(command.path + ":" + name, command.path + (command.path.empty() ? "" : " ") + name);
    }
  }
  return steps;
}

std::string values_cases(const Command& command, const std::function<std::string(const Values&)>& offer,
                         const std::string& offer_files) {
  std::string text;
  for (const Flag& flag : command.flags) {
    for (const std::string& name : flag.names) {
      if (flag.values) {
        text += fmt::format("    {}){} ;;\n", shell_quoted(command.path + ":" + name), offer(*flag.values));
      }
      if (flag.values && flag.values->file_after_equals) {
        text += fmt::format("    {}){} ;;\n", shell_quoted(command.path + ":" + name + "="), offer_files);
      }
    }
  }
  return text;
}

}  // namespace aaco::completion
