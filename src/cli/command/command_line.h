// SPDX-License-Identifier: MIT
// The words of the command line: commands, their flags and arguments. CLI11 parses them; its templates take seconds to
// compile, so that command_line.cpp alone includes it (and completion, which reads the flags back).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/number_text.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace aaco::cli {

class HelpFormatter;

// The name of the check that each number has, by which a test finds them all.
inline constexpr const char* kNumberCheck = "number";

// Handle of one flag or argument, which its command owns. Each function returns the same handle.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  Option type_name(const std::string& name);         // as the help shows what the flag takes
  Option capture_default_str();                      // the help shows the value that the variable has now
  Option default_str(const std::string& shown);      // the help shows this as the default
  Option delimiter(char separator);                  // several values in one word
  Option percent(const NumberRange<double>& range);  // 2 or 2%; the variable gets the number alone
  Option one_of(const std::vector<std::string>& words);
  // Of several values: each behind the flag's name again, so that no other word of the command line is taken for one.
  Option named_each_time();
  // `read` gives the value as the variable gets it; what it refuses is refused before the command runs.
  Option checked(std::function<Result<std::string>(const std::string&)> read);
  // A file that is written: none that another word of the command line names, which is refused before the command runs.
  Option written();
  Option needs(const std::string& flag);
  Option excludes(const std::string& flag);

 private:
  CLI::Option* option_;
};

// Handle of one command, which the program owns. A variable that a flag is for lives until the command has run.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& what);
  void require_subcommand();
  void callback(std::function<void()> run);
  void group(const std::string& name);  // "": not in the help
  void footer(const std::string& text);
  // Flags that --help leaves out and --help-all shows: those few people need, and those that the original programs had.
  void rare(std::initializer_list<const char*> flags);
  void of_originals(std::initializer_list<const char*> flags);
  size_t count(const std::string& flag) const;  // how often it was given

  // "-s,--streams" are two names of a flag; a name without dashes is an argument by its place.
  Option add_flag(const std::string& names, bool& value, const std::string& what);
  Option add_option(const std::string& names, std::string& value, const std::string& what);
  Option add_option(const std::string& names, std::optional<std::string>& value, const std::string& what);
  Option add_option(const std::string& names, std::vector<std::string>& value, const std::string& what);
  // A number says its range: what is no number, not finite or out of it is refused, each of several by itself.
  Option add_option(const std::string& names, int32_t& value, const NumberRange<int32_t>& range,
                    const std::string& what);
  Option add_option(const std::string& names, int64_t& value, const NumberRange<int64_t>& range,
                    const std::string& what);
  Option add_option(const std::string& names, uint64_t& value, const NumberRange<uint64_t>& range,
                    const std::string& what);
  Option add_option(const std::string& names, double& value, const NumberRange<double>& range, const std::string& what);
  Option add_option(const std::string& names, std::optional<int64_t>& value, const NumberRange<int64_t>& range,
                    const std::string& what);
  Option add_option(const std::string& names, std::optional<double>& value, const NumberRange<double>& range,
                    const std::string& what);
  Option add_option(const std::string& names, std::optional<size_t>& value, const NumberRange<uint64_t>& range,
                    const std::string& what);
  Option add_option(const std::string& names, std::vector<int32_t>& value, const NumberRange<int32_t>& range,
                    const std::string& what);
  Option add_option(const std::string& names, std::vector<int64_t>& value, const NumberRange<int64_t>& range,
                    const std::string& what);
  Option add_size(const std::string& names, uint64_t& bytes, const NumberRange<uint64_t>& range,
                  const std::string& what);  // takes "256MiB"

  const CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

// All of it.
class Program {
 public:
  Program(const std::string& name, const std::string& what, const std::string& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command root() const;
  // `aaco COMMAND FILE` is `aaco COMMAND SUBCOMMAND FILE` where the file is there.
  void usual_subcommand(const std::string& command, const std::string& subcommand) { usual_[command] = subcommand; }
  // What is printed where there are no words at all.
  void first_words(std::function<std::string()> text) { first_words_ = std::move(text); }
  // The command line that is meant where the first word is no command; the same where there is none.
  using Guess = std::function<std::vector<std::string>(const std::vector<std::string>& words)>;
  void guess(Guess guess) { guess_ = std::move(guess); }

  // Runs the callback of the command that was chosen. True: there is nothing more to do, since the help or the version
  // was asked for and is on standard output.
  // Errors: kUsage.
  Result<bool> parse(int argc, char** argv);

 private:
  void read_help_words(std::vector<std::string>& words) const;

  std::unique_ptr<CLI::App> app_;
  std::shared_ptr<HelpFormatter> help_;
  std::map<std::string, std::string> usual_;
  std::function<std::string()> first_words_;
  Guess guess_;
};

}  // namespace aaco::cli
