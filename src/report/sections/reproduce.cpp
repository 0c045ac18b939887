// SPDX-License-Identifier: MIT
#include "base/text/shell_words.h"
#include "report/sections/sections.h"

namespace aaco::report {

Section reproduce_section(const Input& input) {
  Section section{"reproduce", "How to reproduce", {}, {}};
  const std::string command = shell_command(input.info.command_line);
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
