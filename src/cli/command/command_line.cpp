// SPDX-License-Identifier: MIT
#include "cli/command/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command/help.h"
#include "cli/command/refused_words.h"

#include "base/files/new_file.h"
#include "base/number_range.h"
#include "kind/sharded/config/read_config.h"
#include "model/registry.h"

namespace aaco::cli {

namespace {

constexpr const char* kWritten = "written";  // marks an option, as the name of a validator that takes all

bool is_written(CLI::Option& option) {
  try {
    return option.get_validator(kWritten) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

// What is written takes the place of a file, by renaming: the user's own link is followed first, so that it stays. One
// that somebody else laid is not.
std::string follow_own_link(std::string& path) {
  struct stat link{};
  std::error_code error;
  if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid == ::geteuid()) {
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    path = error || !std::filesystem::is_regular_file(target, error) ? path : target.string();
  }
  return "";
}

// The words of the value, as a file's name may stand in it: "x=x.npy", "a.json,b.json".
void add_names(const std::string& value, std::vector<std::filesystem::path>& names) {
  names.emplace_back(value);
  for (const char separator : {'=', ','}) {
    for (size_t at = value.find(separator); at != std::string::npos; at = value.find(separator, at + 1)) {
      const size_t end = value.find(',', at + 1);
      names.emplace_back(value.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    }
  }
  names.emplace_back(value.substr(0, value.find(',')));
}

// Throws RefusedWords.
void expect_no_input_written(CLI::App& command) {
  std::vector<std::string> outputs;
  std::vector<std::filesystem::path> inputs;
  for (const char* name : {"accelerators.yaml", "backends.yaml", "models.yaml"}) {  // which no flag needs to name
    if (const auto config = find_config(name)) {
      inputs.push_back(*config);
    }
  }
  for (CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (is_written(*option)) {
        outputs.push_back(value);
      } else {
        add_names(value, inputs);
        inputs.push_back(sharded::scenario_file(value));
      }
    }
  }
  for (const std::string& output : outputs) {
    if (const Result<void> fits = expect_no_input(output, inputs); !fits) {
      throw RefusedWords{fits.error()};
    }
  }
}

// `read` gives the number as the parser reads it without another meaning: it takes "010" as octal, and "nan".
void add_check(CLI::Option* option, std::function<Result<std::string>(const std::string&)> read,
               const char* name = kNumberCheck) {
  option->transform(CLI::Validator(  // check() would leave the text as it was
      [read = std::move(read)](std::string& text) {
        Result<std::string> value = read(text);
        if (!value) {
          throw RefusedWords{value.error()};
        }
        text = *std::move(value);
        return std::string();
      },
      "", name));
}

template <class T>
Option within(CLI::Option* option, const NumberRange<T>& range) {
  add_check(option, [option, range](const std::string& text) -> Result<std::string> {
    AACO_ASSIGN(const T number, number_within<T>(option->get_name(), text, range));
    return fmt::format("{}", number);
  });
  return Option(option);
}

}  // namespace

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

Option Option::percent(const NumberRange<double>& range) {
  add_check(option_, [option = option_, range](const std::string& text) -> Result<std::string> {
    const std::string number = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
    AACO_ASSIGN(const double value, number_within<double>(option->get_name(), number, range));
    return fmt::format("{}", value);
  });
  return *this;
}

Option Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option Option::named_each_time() {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::checked(std::function<Result<std::string>(const std::string&)> read) {
  add_check(option_, std::move(read), "text");
  return *this;
}

Option Option::written() {
  option_->transform(CLI::Validator(follow_own_link, "", kWritten));
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
void Command::callback(std::function<void()> run) {
  app_->callback([app = app_, run = std::move(run)] {
    expect_no_input_written(*app);
    run();
  });
}
void Command::group(const std::string& name) { app_->group(name); }
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::rare(std::initializer_list<const char*> flags) { group_flags(*app_, flags, kRareFlags); }
void Command::of_originals(std::initializer_list<const char*> flags) { group_flags(*app_, flags, kOriginalFlags); }
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

Option Command::add_option(const std::string& names, int32_t& value, const NumberRange<int32_t>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, int64_t& value, const NumberRange<int64_t>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, uint64_t& value, const NumberRange<uint64_t>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, double& value, const NumberRange<double>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, std::optional<int64_t>& value, const NumberRange<int64_t>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, std::optional<double>& value, const NumberRange<double>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, std::optional<size_t>& value, const NumberRange<uint64_t>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, std::vector<int32_t>& value, const NumberRange<int32_t>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_option(const std::string& names, std::vector<int64_t>& value, const NumberRange<int64_t>& range,
                           const std::string& what) {
  return within(app_->add_option(names, value, what), range);
}

Option Command::add_size(const std::string& names, uint64_t& bytes, const NumberRange<uint64_t>& range,
                         const std::string& what) {
  CLI::Option* option = app_->add_option(names, bytes, what);
  add_check(option, [option, range](const std::string& text) -> Result<std::string> {
    const std::optional<uint64_t> number = bytes_of_text(text);
    if (number && *number >= range.least && *number <= range.most) {
      return fmt::format("{}", *number);
    }
    return refused_number(option->get_name(), text, number ? "" : "size", size_range_words(range));
  });
  return Option(option);
}

}  // namespace aaco::cli
