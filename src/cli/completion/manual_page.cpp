// SPDX-License-Identifier: MIT
#include "cli/completion/manual_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace aaco::completion {

namespace {

// `text` as text: roff takes a backslash for an escape, a hyphen for one that may become a dash, and a line that begins
// with a dot or a quote for a request.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char character : text) {
    if ((character == '.' || character == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += "\\&";
    }
    if (character == '\\') {
      escaped += "\\e";
    } else if (character == '-') {
      escaped += "\\-";
    } else {
      escaped += character;
    }
  }
  return escaped;
}

std::string flag_entry(const Flag& flag) {
  std::string names;
  for (const std::string& name : flag.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  std::string values;
  if (flag.values) {
    values = flag.values->words.empty()
                 ? " \\fIVALUE\\fR"
                 : fmt::format(" \\fI{}\\fR", roff(fmt::format("{}", fmt::join(flag.values->words, "|"))));
  }
  return fmt::format(".TP\n{}{}\n{}\n", names, values, roff(flag.what));
}

}  // namespace

std::string manual_page(const std::vector<Command>& tree, const std::string& version) {
  const Command& program = tree.front();
  std::string page = fmt::format(
      ".\\\" Made by `aaco manual`.\n.TH AACO 1 \"\" \"aaco {}\" \"User Commands\"\n.SH NAME\naaco \\- profiler of "
      "ONNX "
      "models, traces, hardware queues and training\n.SH SYNOPSIS\n.B aaco\n.I COMMAND\n.RI [ OPTIONS ]\n.SH "
      "DESCRIPTION\n{}\n.SH COMMANDS\n",
      roff(version), roff(program.what));
  for (const Command& command : tree) {
    if (command.path.empty()) {
      continue;
    }
    page += fmt::format(".SS \"aaco {}\"\n{}\n", roff(command.path), roff(command.what));
    for (const Flag& flag : command.flags) {
      page += flag_entry(flag);
    }
  }
  return page +
         ".SH EXIT STATUS\nREADME and docs/troubleshooting.md of aaco list the exit codes; 0 is success, 2 wrong use, "
         "3 "
         "something missing on the machine.\n";
}

}  // namespace aaco::completion
