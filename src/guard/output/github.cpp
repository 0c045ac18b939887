// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <string_view>

#include "guard/output/ci_formats.h"
#include "guard/output/ci_issues.h"

namespace aaco {

namespace {

constexpr int kMostOfALevel = 10;
constexpr size_t kMostMessageBytes = 4096;

// As GitHub's runner decodes them; in a property colons and commas too.
std::string command_text(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : text.substr(0, kMostMessageBytes)) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    escaped +=
        special ? fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c))) : std::string(1, c);
  }
  return escaped;
}

}  // namespace

std::string github_annotations(const GuardAnswer& answer) {
  std::string text;
  int errors = 0;
  int warnings = 0;
  for (const CiIssue& issue : ci_issues(answer)) {
    if ((issue.is_error ? errors : warnings)++ < kMostOfALevel) {
      text += fmt::format("::{} title={}::{}\n", issue.is_error ? "error" : "warning",
                          command_text(fmt::format("{} {}", issue.name, issue.rule), true),
                          command_text(issue.message, false));
    }
  }
  for (const std::string& file : answer.damaged) {
    if (warnings++ < kMostOfALevel) {
      text += fmt::format("::warning title=history::{}\n", command_text(file, false));
    }
  }
  if (text.empty()) {
    text = fmt::format("::notice title={}::{}\n", command_text(answer.test.place.subject, true),
                       command_text(headline_of(answer), false));
  }
  return text;
}

}  // namespace aaco
