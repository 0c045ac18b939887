// SPDX-License-Identifier: MIT
#include "cli/command/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/nearest_word.h"

namespace aaco::cli {

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

Option Option::default_str(const std::string& shown) {
  option_->default_str(shown);
  return *this;
}

Option Option::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option Option::size_in_bytes() {
  option_->transform(CLI::AsSizeValue(true));
  return *this;
}

Option Option::needs(const std::string& flag) {
  option_->needs(flag);
  return *this;
}

Option Option::excludes(const std::string& flag) {
  option_->excludes(flag);
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& what) {
  CLI::App* command = app_->add_subcommand(name, what);
  command->footer("");  // not its parent's
  return Command(command);
}

void Command::require_subcommand() { app_->require_subcommand(1); }
void Command::callback(std::function<void()> run) { app_->callback(std::move(run)); }
void Command::group(const std::string& name) { app_->group(name); }
void Command::footer(const std::string& text) { app_->footer(text); }
size_t Command::count(const std::string& flag) const { return app_->count(flag); }

Option Command::add_flag(const std::string& names, bool& value, const std::string& what) {
  return Option(app_->add_flag(names, value, what));
}

Option Command::add_option(const std::string& names, std::string& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, std::optional<std::string>& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, int32_t& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, int64_t& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, uint64_t& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, double& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, std::optional<int64_t>& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, std::optional<double>& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, std::optional<size_t>& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, std::vector<int32_t>& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Option Command::add_option(const std::string& names, std::vector<int64_t>& value, const std::string& what) {
  return Option(app_->add_option(names, value, what));
}

Program::Program(const std::string& name, const std::string& what, const std::string& version)
    : app_(std::make_unique<CLI::App>(what, name)) {
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

Command Program::root() const { return Command(app_.get()); }

namespace {

const CLI::App* child_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (child->get_name() == name) {
      return child;
    }
  }
  return nullptr;
}

std::vector<std::string> names_below(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!child->get_group().empty()) {  // those that --help does not hide
      names.push_back(child->get_name());
    }
  }
  return names;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// The command that the words lead to, how it is called ("aaco trace report"), and the words that follow.
struct CommandWords {
  const CLI::App* app;
  std::string path;
  std::vector<std::string> rest;
};

CommandWords reached_by(const CLI::App& root, const std::vector<std::string>& words) {
  CommandWords reached{&root, root.get_name(), words};
  while (!reached.rest.empty()) {
    const CLI::App* child = child_named(*reached.app, reached.rest.front());
    if (child == nullptr) {
      break;
    }
    reached.app = child;
    reached.path += " " + child->get_name();
    reached.rest.erase(reached.rest.begin());
  }
  return reached;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest);
}

// "trace" of "aaco trace": an error begins with the program's name already.
std::string without_program(const std::string& path) {
  const size_t space = path.find(' ');
  return space == std::string::npos ? "" : path.substr(space + 1);
}

// Where a word that is no command, or no command at all, stands in place of one. `usual`: the command that takes a file
// there; "".
Error no_command(const CommandWords& reached, const std::string& usual) {
  const std::vector<std::string> names = names_below(*reached.app);
  if (reached.rest.empty()) {
    return {ErrorKind::kUsage,
            fmt::format("{} needs a command", reached.path == "aaco" ? "aaco" : without_program(reached.path)),
            fmt::format("{}; {} --help says what each does", fmt::join(names, ", "), reached.path)};
  }
  const std::string& word = reached.rest.front();
  const std::string path = without_program(reached.path);
  const std::string what =
      path.empty() ? fmt::format("there is no command {}", word) : fmt::format("{} has no command {}", path, word);
  return {ErrorKind::kUsage,
          usual.empty() ? what : fmt::format("{}, and there is no such file for {} {}", what, path, usual),
          fmt::format("{}{} --help lists its commands", suggestion(word, names), reached.path)};
}

Error unexpected(const CommandWords& reached, const std::string& word) {
  const std::string path = without_program(reached.path);
  return {ErrorKind::kUsage,
          path.empty() ? fmt::format("{} was not expected", word) : fmt::format("{}: {} was not expected", path, word),
          fmt::format("{}{} --help lists its flags", suggestion(word, flags_of(*reached.app)), reached.path)};
}

}  // namespace

Result<bool> Program::parse(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const CommandWords reached = reached_by(*app_, words);
  std::error_code error_code;
  const auto usual = usual_.find(reached.app->get_name());
  if (usual != usual_.end() && !reached.rest.empty() && std::filesystem::exists(reached.rest.front(), error_code)) {
    words.insert(words.end() - static_cast<std::ptrdiff_t>(reached.rest.size()), usual->second);
  }
  try {
    std::vector<std::string> last_first(words.rbegin(), words.rend());
    app_->parse(std::move(last_first));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app_->exit(error);
      return true;
    }
    const bool lacks_command = reached.app->get_require_subcommand_min() > 0;
    if (lacks_command && (reached.rest.empty() || !reached.rest.front().starts_with('-'))) {
      return no_command(reached, usual == usual_.end() ? "" : usual->second);
    }
    // Before what is required and missing, which a mistyped flag is often the reason of.
    const std::vector<std::string> flags = flags_of(*reached.app);
    for (const std::string& word : reached.rest) {
      const std::string flag = word.substr(0, word.find('='));
      if (word.starts_with("--") && word != "--" && std::ranges::find(flags, flag) == flags.end()) {
        return unexpected(reached, flag);
      }
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {  // which lists them last to first
      const std::string what = error.what();
      return unexpected(reached, what.substr(what.rfind(' ') + 1));
    }
    return Error{ErrorKind::kUsage, error.what(),
                 fmt::format("{} --help lists its {}", reached.path, lacks_command ? "commands" : "flags")};
  }
  return false;
}

}  // namespace aaco::cli
