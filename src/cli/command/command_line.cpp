// SPDX-License-Identifier: MIT
#include "cli/command/command_line.h"

#include <CLI/CLI.hpp>

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
  return Command(app_->add_subcommand(name, what));
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

Result<bool> Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app_->exit(error);
      return true;
    }
    return Error{ErrorKind::kUsage, error.what(), "aaco --help lists the commands, aaco COMMAND --help its flags"};
  }
  return false;
}

}  // namespace aaco::cli
