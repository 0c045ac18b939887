// SPDX-License-Identifier: MIT
#include "cli/command/command_line.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "cli/command/command.h"

namespace aaco::cli {
namespace {

struct NumericFlag {
  std::vector<std::string> path;  // of its command: "trace", "report"
  std::string name;
};

bool is_number(const CLI::Option& option) {
  try {
    return const_cast<CLI::Option&>(option).get_validator(kNumberCheck) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

void collect(const CLI::App& app, const std::vector<std::string>& path, std::vector<NumericFlag>& flags) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_number(*option)) {
      flags.push_back({path, option->get_name()});
    }
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<std::string> below = path;
    below.push_back(child->get_name());
    collect(*child, below, flags);
  }
}

// What `aaco` answers, without running anything: an error comes before a command's callback. Of all commands only the
// flag's own is there: to make all of them for each of some thousand answers took twenty seconds.
Result<bool> answer(AddCommand add, const NumericFlag& flag, const std::string& value) {
  Program program("aaco", "", "0");
  Invocation invocation;
  add(program.root(), invocation);
  std::vector<std::string> words{"aaco"};
  words.insert(words.end(), flag.path.begin(), flag.path.end());
  words.push_back(flag.name + "=" + value);
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  return program.parse(static_cast<int>(arguments.size()), arguments.data());
}

std::vector<NumericFlag> numeric_flags(AddCommand add) {
  Program program("aaco", "", "0");
  Invocation invocation;
  add(program.root(), invocation);
  std::vector<NumericFlag> flags;
  collect(program.root().app(), {}, flags);
  return flags;
}

void expect_only_numbers(AddCommand add, const NumericFlag& flag) {
  for (const char* value :
       {"nan", "-nan", "inf", "-inf", "infinity", "1e999", "-1", "99999999999999999999999", "5abc", " 5", "five"}) {
    if (std::string_view(value) == "99999999999999999999999" &&
        (flag.name == "--tolerance" || flag.name == "--learning-rate")) {
      continue;  // a number in their range
    }
    const Result<bool> refused = answer(add, flag, value);
    const std::string what = fmt::format("{} {}={}", fmt::join(flag.path, " "), flag.name, value);
    ASSERT_FALSE(refused) << what;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage) << what;
    EXPECT_TRUE(refused.error().message.starts_with(fmt::format("{} {}: not ", flag.name, value)))
        << what << ": " << refused.error().message;
    EXPECT_NE(refused.error().hint, "") << what;
  }
}

TEST(CommandLine, EveryNumericFlagRefusesWhatIsNoNumberOfItsRange) {
  size_t count = 0;
  for (const AddCommand add : all_commands()) {
    const std::vector<NumericFlag> flags = numeric_flags(add);
    count += flags.size();
    for (const NumericFlag& flag : flags) {
      expect_only_numbers(add, flag);
    }
  }
  EXPECT_GT(count, 80U);
}

// Runs a made-up command with one flag of each kind.
struct Numbers {
  int64_t whole = 0;
  double real = 0;
  uint64_t bytes = 0;
  std::vector<int64_t> several;
};

Result<Numbers> parsed(std::vector<std::string> words) {
  Numbers numbers;
  Program program("aaco", "", "0");
  Command command = program.root().add_subcommand("count", "");
  command.add_option("--whole", numbers.whole, {0, 100}, "");
  command.add_option("--real", numbers.real, {kLeastAboveZero}, "");
  command.add_size("--bytes", numbers.bytes, {1024}, "");
  command.add_option("--several", numbers.several, {1, 9}, "").delimiter(',');
  words.insert(words.begin(), {"aaco", "count"});
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  AACO_TRY(program.parse(static_cast<int>(arguments.size()), arguments.data()));
  return numbers;
}

std::string refusal(std::vector<std::string> words) {
  const Result<Numbers> numbers = parsed(std::move(words));
  return numbers ? "taken" : numbers.error().message;
}

TEST(CommandLine, TakesNumbersOfItsRange) {
  const Result<Numbers> numbers =
      parsed({"--whole", "010", "--real", "2.5e-1", "--bytes", "2KiB", "--several", "1,0x9"});
  ASSERT_TRUE(numbers) << numbers.error().message;
  EXPECT_EQ(numbers->whole, 10);
  EXPECT_EQ(numbers->real, 0.25);
  EXPECT_EQ(numbers->bytes, 2048U);
  EXPECT_EQ(numbers->several, (std::vector<int64_t>{1, 9}));
}

TEST(CommandLine, AFlagThatIsGivenTwiceIsNotSaidToLackAValue) {
  EXPECT_EQ(refusal({"--whole", "1", "--whole", "2"}), "--whole is given more than once");
  EXPECT_EQ(refusal({"--whole", "1", "--whole=2", "--whole", "3"}), "--whole is given more than once");
  EXPECT_EQ(refusal({"--whole", "1", "--whole"}), "--whole needs a value");
  EXPECT_EQ(refusal({"--several", "1", "--several", "2"}), "taken");
}

TEST(CommandLine, RefusesNumbersOutOfTheirRange) {
  EXPECT_EQ(refusal({"--whole", "101"}), "--whole 101: not from 0 to 100");
  EXPECT_EQ(refusal({"--whole", "-1"}), "--whole -1: not from 0 to 100");
  EXPECT_EQ(refusal({"--whole", ""}), "--whole '': not a whole number from 0 to 100");
  EXPECT_EQ(refusal({"--whole="}), "--whole needs a value");
  EXPECT_EQ(refusal({"--real", "0"}), "--real 0: not above 0");
  EXPECT_EQ(refusal({"--real", "nan"}), "--real nan: not a number above 0");
  EXPECT_EQ(refusal({"--bytes", "1"}), "--bytes 1: not from 1KiB on");
  EXPECT_EQ(refusal({"--bytes", "-1"}), "--bytes -1: not a size from 1KiB on");
  EXPECT_EQ(refusal({"--several", "1,10"}), "--several 10: not from 1 to 9");
}

}  // namespace
}  // namespace aaco::cli
