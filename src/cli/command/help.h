// SPDX-License-Identifier: MIT
// How --help looks: within the terminal's width, and without the flags that few people need. Those are in two groups,
// which --help-all shows.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <vector>

namespace aaco::cli {

inline constexpr const char* kHelpAll = "--help-all";
inline constexpr const char* kRareFlags = "Rarer options";
// Flags that exist so that command lines of the programs that aaco took the place of still work.
inline constexpr const char* kOriginalFlags = "Names and flags of the original programs";

// Moves flags of a command into one of the two groups, and gives the command --help-all. The flags exist.
void group_flags(CLI::App& command, std::initializer_list<const char*> flags, const char* group);

class HelpFormatter : public CLI::Formatter {
 public:
  void show_all() { all_ = true; }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_usage(const CLI::Option* option) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  bool all_ = false;
};

}  // namespace aaco::cli
