// SPDX-License-Identifier: MIT
#include "cli/command/help.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <utility>

#include "base/text/terminal.h"
#include "base/text/words_in_lines.h"

namespace aaco::cli {

namespace {

constexpr size_t kFirstColumn = 28;
constexpr int kPipeColumns = 80;
constexpr int kMostColumns = 110;  // longer lines are hard to read

size_t columns() {
  return static_cast<size_t>(std::clamp(terminal_columns(STDOUT_FILENO).value_or(kPipeColumns), 50, kMostColumns));
}

// "  left   right", the right side in lines of its own column; below where the left side is too long.
std::string row(const std::string& left, const std::string& right) {
  std::string text = "  " + left;
  const std::vector<std::string> lines = words_in_lines(right, columns() - kFirstColumn);
  if (text.size() + 1 < kFirstColumn && !lines.empty()) {
    text.resize(kFirstColumn, ' ');
    text += lines.front() + "\n";
  } else {
    text += "\n" + (lines.empty() ? "" : std::string(kFirstColumn, ' ') + lines.front() + "\n");
  }
  for (size_t line = 1; line < lines.size(); ++line) {
    text += std::string(kFirstColumn, ' ') + lines[line] + "\n";
  }
  return text;
}

bool is_hidden(const std::string& group) { return group == kRareFlags || group == kOriginalFlags; }

// "a,b" of a type "TEXT:{a,b}", as the parser writes what a value must be; "" of another type.
std::string allowed_words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{');
  const size_t close = type.find('}', open == std::string::npos ? 0 : open);
  return open == std::string::npos || close == std::string::npos ? "" : type.substr(open + 1, close - open - 1);
}

}  // namespace

void group_flags(CLI::App& command, std::initializer_list<const char*> flags, const char* group) {
  for (const char* flag : flags) {
    command.get_option(flag)->group(group);
  }
  if (command.get_option_no_throw(kHelpAll) == nullptr) {
    command.add_flag(std::string(kHelpAll))->description("Show the rarer options too");
  }
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  for (size_t gap = text.find("\n\n\n"); gap != std::string::npos; gap = text.find("\n\n\n", gap)) {
    text.erase(gap, 1);  // of a group that is left out
  }
  return text;
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  if (!all_ && is_hidden(group)) {
    return "";
  }
  if (!is_positional) {  // what has a place too is shown there
    std::erase_if(options, [](const CLI::Option* option) { return option->get_positional(); });
    std::ranges::stable_partition(options, [](const CLI::Option* option) {  // help first, whenever it was added
      return option->check_lname("help") || option->check_lname(std::string(kHelpAll).substr(2));
    });
  }
  return options.empty() ? "" : CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
}

// Examples are command lines, which stay whole.
std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string text;
  for (const std::string& line : CLI::detail::split(app->get_footer(), '\n')) {
    text += line.starts_with("  ") ? line : fmt::format("{}", fmt::join(words_in_lines(line, columns()), "\n"));
    text += '\n';
  }
  return text;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return fmt::format("{}\n", fmt::join(words_in_lines(app->get_description(), columns()), "\n"));
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return row(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_option_usage(const CLI::Option* option) const {
  const bool several = option->get_expected_max() == CLI::detail::expected_max_vector_size;
  const std::string name = option->get_name(true, false) + (several ? "..." : "");
  return option->get_required() ? name : "[" + name + "]";
}

// The first short and the first long name; all of them in --help-all.
std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  const std::vector<std::string>& long_names = option->get_lnames();
  if (is_positional) {
    const std::string name = option->get_name(true, false);
    return long_names.empty() ? name : fmt::format("{} (or --{})", name, long_names.front());
  }
  if (all_) {
    return option->get_name(false, true);
  }
  std::vector<std::string> names;
  for (const std::string& name : option->get_snames()) {
    names.push_back("-" + name);
  }
  if (!long_names.empty()) {
    names.push_back("--" + long_names.front());
  }
  return fmt::format("{}", fmt::join(names, ","));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) {
    return "";
  }
  const std::string type = allowed_words(*option).empty() ? option->get_type_name() : "WORD";
  const std::string shown_default =
      option->get_default_str().empty() || option->get_positional() ? "" : "=" + option->get_default_str();
  const bool several = option->get_expected_max() == CLI::detail::expected_max_vector_size;
  return fmt::format(" {}{}{}", type, shown_default, several && !type.ends_with("...") ? " ..." : "");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  if (const std::string words = allowed_words(*option); !words.empty()) {
    std::vector<std::string> missing;
    for (const std::string& word : CLI::detail::split(words, ',')) {
      if (text.find(word) == std::string::npos) {
        missing.push_back(word);
      }
    }
    text += missing.empty() ? "" : fmt::format(" [{}]", fmt::join(CLI::detail::split(words, ','), ", "));
  }
  std::vector<std::string> others;
  for (const CLI::Option* other : option->get_excludes()) {
    if (all_ || !is_hidden(other->get_group())) {
      others.push_back(other->get_name());
    }
  }
  text += others.empty() ? "" : fmt::format(" (not with {})", fmt::join(others, ", "));
  text += option->get_required() ? " (required)" : "";
  return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return row(command->get_display_name(true), command->get_description());
}

}  // namespace aaco::cli
