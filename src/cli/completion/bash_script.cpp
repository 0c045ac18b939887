// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion/scripts.h"

namespace aaco::completion {

namespace {

constexpr const char* kHead = R"(# Completion of aaco for bash, made by `aaco completion bash`.
_aaco() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' paths='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command:${COMP_WORDS[i]}" in
)";

// bash makes "=" a word of its own: of --flag=value, and of --flag NAME=value.
constexpr const char* kFlag = R"(    esac
  done
  i=-1
  if [[ $current == = ]]; then current='' i=$((COMP_CWORD - 1)); elif [[ $previous == = ]]; then i=$((COMP_CWORD - 2)); fi
  if ((i > 0)); then
    previous=${COMP_WORDS[i]}
    if [[ $previous != -* ]]; then previous=${COMP_WORDS[i - 1]}=; fi
  fi
  case "$command:$previous" in
)";

constexpr const char* kTail = R"(        esac
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ $paths ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$paths" -- "$current")
  fi
}
complete -F _aaco aaco
)";

std::string assignments(const Values& values) {
  std::string text;
  if (!values.words.empty()) {
    text += " words=" + shell_quoted(fmt::format("{}", fmt::join(values.words, " ")));
  }
  if (values.paths != Paths::kNone) {
    text += values.paths == Paths::kFiles ? " paths=-f" : " paths=-d";
  }
  return text;
}

std::string flags_case(const Command& command) {
  std::vector<std::string> names;
  for (const Flag& flag : command.flags) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return fmt::format("          {}) words={} ;;\n", shell_quoted(command.path),
                     shell_quoted(fmt::format("{}", fmt::join(names, " "))));
}

std::string words_case(const Command& command) {
  Values values = command.argument.value_or(Values{});
  for (const auto& [name, what] : command.subcommands) {
    values.words.push_back(name);
  }
  return fmt::format("          {}){} ;;\n", shell_quoted(command.path), assignments(values));
}

}  // namespace

std::string bash_script(const std::vector<Command>& tree) {
  std::string script = kHead;
  for (const auto& [from, to] : steps_down(tree)) {
    script += fmt::format("      {}) command={} ;;\n", shell_quoted(from), shell_quoted(to));
  }
  script += kFlag;
  std::string flags;
  std::string words;
  for (const Command& command : tree) {
    script += values_cases(command, assignments, " paths=-f");
    flags += flags_case(command);
    // A command that takes nothing else is asked for its flags by an empty word too.
    if (!command.subcommands.empty() || command.argument) {
      words += words_case(command);
    } else {
      words += flags_case(command);
    }
  }
  script += "    *=) ;;\n    *)\n      if [[ $current == -* ]]; then\n        case \"$command\" in\n" + flags +
            "        esac\n" + "      else\n        case \"$command\" in\n" + words;
  return script + kTail;
}

}  // namespace aaco::completion
