// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/text/utf8.h"
#include "report/sections/sections.h"

namespace aaco::report {

namespace {

// Bytes that no page can show, as octal numbers.
std::string quoted_bytes(const std::string& argument) {
  std::string text = "$'";
  for (const char c : argument) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x80 || c == '\'' || c == '\\' ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return text + "'";
}

// As a POSIX shell takes it back.
std::string quoted(const std::string& argument) {
  const bool plain = !argument.empty() && std::all_of(argument.begin(), argument.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_=./,:+@%").find(c) != std::string_view::npos;
  });
  if (plain) {
    return argument;
  }
  if (!is_utf8(argument)) {
    return quoted_bytes(argument);
  }
  std::string text = "'";
  for (const char c : argument) {
    text += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

Section reproduce_section(const Input& input) {
  Section section{"reproduce", "How to reproduce", {}, {}};
  std::string command;
  for (const std::string& argument : input.info.command_line) {
    command += (command.empty() ? "" : " ") + quoted(argument);
  }
  if (command.empty()) {
    section.blocks.push_back(Paragraph{"No data: the session does not hold its command line.", Tone::kWarning});
  } else {
    section.blocks.push_back(Code{command});
  }
  FactList facts{{{"session", input.info.session_id},
                  {"recorded", input.info.created_utc},
                  {"aaco", input.info.aaco_version},
                  {"schema", std::to_string(input.info.schema_version)},
                  {"seed", std::to_string(input.recording.facts.seed)}}};
  if (input.info.kind.traits().has_model) {
    const std::string& sha256 = input.recording.facts.model_sha256;
    facts.facts.push_back({"model SHA-256", sha256.empty() ? "not known" : sha256});
  }
  section.blocks.push_back(std::move(facts));
  return section;
}

}  // namespace aaco::report
