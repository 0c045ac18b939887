// SPDX-License-Identifier: MIT
// The whole command line: which command its words lead to, and what is said of words that lead to none.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>

#include "cli/command/command_line.h"
#include "cli/command/help.h"
#include "cli/command/refused_words.h"

#include "base/text/nearest_word.h"

namespace aaco::cli {

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

// "trace" of "aaco trace": an error begins with the program's name already.
std::string without_program(const std::string& path) {
  const size_t space = path.find(' ');
  return space == std::string::npos ? "" : path.substr(space + 1);
}

// What stands where somebody looks for what this version lacks.
constexpr std::pair<const char*, const char*> kInstead[] = {
    {"guard", "there is no history yet; aaco baseline save keeps a session, aaco diff judges another against it"},
    {"profile", "aaco run profiles a model, aaco observe any program"},
    {"compare", "aaco diff BEFORE AFTER compares"},
};

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
  const auto* instead =
      std::ranges::find(kInstead, word, [](const auto& pair) { return std::string_view(pair.first); });
  if (path.empty() && instead != std::end(kInstead)) {
    return {ErrorKind::kUsage, what, instead->second};
  }
  if (path.empty() && word.find_first_of("./") != std::string::npos) {
    return {ErrorKind::kUsage, fmt::format("{}: there is no such file, and no such command", word),
            "aaco trace.json.gz, aaco model.onnx and aaco sessions/latest say what these are; aaco --help lists its "
            "commands"};
  }
  return {ErrorKind::kUsage,
          usual.empty() ? what : fmt::format("{}, and there is no such file for {} {}", what, path, usual),
          fmt::format("{}{} --help lists its commands", did_you_mean(word, names), reached.path)};
}

// What the parser found wrong, where its own words are of its inside.
std::string problem_of(const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    constexpr std::string_view kTo = " arguments to ";
    if (const size_t to = text.find(kTo); to != std::string::npos) {
      return text.substr(to + kTo.size(), text.find(',', to) - to - kTo.size()) + " is given more than once";
    }
    const std::string name = text.substr(0, text.find_first_of(": "));
    return name + (text.ends_with("override")                               ? " takes no value"
                   : text.find(": At Most 1 required") != std::string::npos ? " is given more than once"
                                                                            : " needs a value");
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const size_t dashes = text.rfind("--");
    const std::string name = dashes == std::string::npos ? "a flag" : text.substr(dashes);
    return name.substr(0, name.find_first_of(": ")) + " takes true, false, or no value";
  }
  return text;
}

Error unexpected(const CommandWords& reached, const std::string& word) {
  const std::string path = without_program(reached.path);
  return {ErrorKind::kUsage,
          path.empty() ? fmt::format("{} was not expected", word) : fmt::format("{}: {} was not expected", path, word),
          fmt::format("{}{} --help lists its flags", did_you_mean(word, flags_of(*reached.app)), reached.path)};
}

}  // namespace

Program::Program(const std::string& name, const std::string& what, const std::string& version)
    : app_(std::make_unique<CLI::App>(what, name)), help_(std::make_shared<HelpFormatter>()) {
  app_->set_help_flag("-h,--help", "Show this help");
  app_->set_version_flag("-v,--version", version, "Show the version");
  app_->formatter(help_);  // that of each command, which is added later
}

Program::~Program() = default;

Command Program::root() const { return Command(app_.get()); }

// `aaco help COMMAND` and `--help-all` are what the parser knows as `--help`.
void Program::read_help_words(std::vector<std::string>& words) const {
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const auto all = std::ranges::find(words, kHelpAll);
  if (all < std::ranges::find(words, "--")) {  // behind it words are values
    *all = "--help";
    help_->show_all();
  }
}

Result<bool> Program::parse(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() && first_words_) {
    fmt::print("{}", first_words_());
    return true;
  }
  const bool asks_help = !words.empty() && words.front() == "help";
  read_help_words(words);
  CommandWords reached = reached_by(*app_, words);
  if (asks_help && !reached.rest.front().starts_with('-')) {  // `aaco help nonsense`; the last word is --help
    return names_below(*reached.app).empty() ? unexpected(reached, reached.rest.front()) : no_command(reached, "");
  }
  if (reached.app == app_.get() && guess_ && !words.empty() && !words.front().starts_with('-')) {
    words = guess_(words);
    reached = reached_by(*app_, words);
  }
  std::error_code error_code;
  const auto usual = usual_.find(reached.app->get_name());
  if (usual != usual_.end() && !reached.rest.empty() && std::filesystem::exists(reached.rest.front(), error_code)) {
    words.insert(words.end() - static_cast<std::ptrdiff_t>(reached.rest.size()), usual->second);
  }
  try {
    std::vector<std::string> last_first(words.rbegin(), words.rend());
    app_->parse(std::move(last_first));
  } catch (const RefusedWords& refused) {
    return refused.error;
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
    return Error{ErrorKind::kUsage, problem_of(error),
                 fmt::format("{} --help lists its {}", reached.path, lacks_command ? "commands" : "flags")};
  }
  return false;
}

}  // namespace aaco::cli
