// SPDX-License-Identifier: MIT
#include "cli/completion/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

namespace aaco::completion {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Shells expand the words that they offer, and a registry's names may hold anything: what is not plain is left out.
bool is_plain(const std::string& word) {
  return std::all_of(word.begin(), word.end(), [](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 ||
           std::string_view("._-").find(character) != std::string_view::npos;
  });
}

Values values_of(const std::string& type, const Vocabulary& vocabulary) {
  Values values;
  const size_t open = type.find('{');
  if (const size_t close = type.find('}', open); close != std::string::npos) {
    values.words = split(std::string_view(type).substr(open + 1, close - open - 1), ',');
    return values;
  }
  if (type.starts_with("NAME=FILE")) {
    values.file_after_equals = true;
    return values;
  }
  for (const std::string& part : split(type, '|')) {
    if (const auto words = vocabulary.find(part); words != vocabulary.end()) {
      std::copy_if(words->second.begin(), words->second.end(), std::back_inserter(values.words), is_plain);
    } else if (part == "FILE" || part == "PATH") {
      values.paths = Paths::kFiles;
    } else if (part == "DIR" && values.paths == Paths::kNone) {
      values.paths = Paths::kFolders;
    }
  }
  return values;
}

Flag flag_of(const CLI::Option& option, const Vocabulary& vocabulary) {
  Flag flag;
  for (const std::string& name : option.get_lnames()) {
    flag.names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    flag.names.push_back("-" + name);
  }
  flag.what = option.get_description();
  if (option.get_items_expected_max() > 0) {
    flag.values = values_of(option.get_type_name(), vocabulary);
  }
  return flag;
}

void add_command(const CLI::App& app, const std::string& path, const Vocabulary& vocabulary,
                 std::vector<Command>& tree) {
  Command command;
  command.path = path;
  command.name = app.get_name();
  command.what = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) {
      command.flags.push_back(flag_of(*option, vocabulary));
    } else if (!command.argument) {
      command.argument = values_of(option->get_type_name(), vocabulary);
    }
  }
  const auto shown = app.get_subcommands([](const CLI::App* subcommand) { return !subcommand->get_group().empty(); });
  for (const CLI::App* subcommand : shown) {
    command.subcommands.emplace_back(subcommand->get_name(), subcommand->get_description());
  }
  tree.push_back(std::move(command));
  for (const CLI::App* subcommand : shown) {
    add_command(*subcommand, path + (path.empty() ? "" : " ") + subcommand->get_name(), vocabulary, tree);
  }
}

}  // namespace

std::vector<Command> command_tree(const CLI::App& app, const Vocabulary& vocabulary) {
  std::vector<Command> tree;
  add_command(app, "", vocabulary, tree);
  return tree;
}

}  // namespace aaco::completion
