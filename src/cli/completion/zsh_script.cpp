// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion/scripts.h"

namespace aaco::completion {

namespace {

constexpr const char* kHead = R"(#compdef aaco
# Completion of aaco for zsh, made by `aaco completion zsh`.
_aaco() {
  local command='' previous=${words[CURRENT - 1]} i
  local -a offers
  for ((i = 2; i < CURRENT; i++)); do
    case "$command:${words[i]}" in
)";

constexpr const char* kFlag = R"(    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    previous=${PREFIX%%=*}
    compset -P '*='
  elif [[ $previous == --* && $PREFIX == *=* ]]; then
    previous+='='
    compset -P '*='
  fi
  case "$command:$previous" in
)";

constexpr const char* kTail = R"(        esac
      fi
      ;;
  esac
}
if [[ ${funcstack[1]} == _aaco ]]; then _aaco "$@"; else compdef _aaco aaco; fi
)";

// The commands that offer the values, one after the other.
std::string offers_of(const Values& values) {
  std::vector<std::string> parts;
  if (!values.words.empty()) {
    std::string offered = "compadd --";
    for (const std::string& word : values.words) {
      offered += ' ';
      offered += shell_quoted(word);
    }
    parts.push_back(std::move(offered));
  }
  if (values.paths != Paths::kNone) {
    parts.emplace_back(values.paths == Paths::kFiles ? "_files" : "_files -/");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// `described`: names with their line of the help.
std::string describe(const char* kind, const std::vector<std::pair<std::string, std::string>>& described) {
  std::string text = "offers=(";
  for (const auto& [name, what] : described) {
    text += fmt::format("\n              {}", shell_quoted(fmt::format("{}:{}", name, what)));
  }
  return text + fmt::format(")\n            _describe {} offers", kind);
}

std::string flags_case(const Command& command) {
  std::vector<std::pair<std::string, std::string>> described;
  for (const Flag& flag : command.flags) {
    for (const std::string& name : flag.names) {
      described.emplace_back(name, flag.what);
    }
  }
  return fmt::format("          {})\n            {} ;;\n", shell_quoted(command.path), describe("-o flag", described));
}

std::string words_case(const Command& command) {
  if (command.subcommands.empty() && !command.argument) {
    return flags_case(command);
  }
  const std::string offers = command.argument ? offers_of(*command.argument) : describe("command", command.subcommands);
  return fmt::format("          {})\n            {} ;;\n", shell_quoted(command.path), offers);
}

}  // namespace

std::string zsh_script(const std::vector<Command>& tree) {
  std::string script = kHead;
  for (const auto& [from, to] : steps_down(tree)) {
    script += fmt::format("      {}) command={} ;;\n", shell_quoted(from), shell_quoted(to));
  }
  script += kFlag;
  std::string flags;
  std::string words;
  for (const Command& command : tree) {
    script += values_cases(command, [](const Values& values) { return " " + offers_of(values); }, " _files");
    flags += flags_case(command);
    words += words_case(command);
  }
  script += "    *=) ;;\n    *)\n      if [[ $PREFIX == -* ]]; then\n        case \"$command\" in\n" + flags +
            "        esac\n" + "      else\n        case \"$command\" in\n" + words;
  return script + kTail;
}

}  // namespace aaco::completion
