// SPDX-License-Identifier: MIT
// What an assistant can ask about sessions. Each answer is data of bounded size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/json/json_value.h"
#include "base/result.h"
#include "serve/children/child_pool.h"
#include "serve/sessions/session_cards.h"

namespace aaco::serve {

inline constexpr size_t kMostToolBytes = size_t{48} << 10;

class ToolAnswers {
 public:
  ToolAnswers(std::filesystem::path sessions, std::string program);

  // As the Model Context Protocol lists tools: name, description, schema of the arguments.
  static JsonValue list();
  // Errors: kUsage for a tool that is not there, or arguments that make no sense; the tool's own.
  Result<JsonValue> call(const std::string& tool, const JsonValue& arguments);

 private:
  Result<JsonValue> list_sessions(const JsonValue& arguments);
  Result<JsonValue> summary(const JsonValue& arguments);
  Result<JsonValue> offenders(const JsonValue& arguments);
  Result<JsonValue> diff(const JsonValue& arguments);
  Result<JsonValue> sql(const JsonValue& arguments);
  // The path of the session that an argument names; "latest" is the newest.
  Result<std::string> session_path(const JsonValue& arguments, const char* key);
  // Of a process, waited for.
  Result<JsonValue> compute(const std::string& role, const std::vector<std::string>& arguments);

  SessionCards sessions_;
  ChildPool children_;
};

// Lists cut, longest first allowed, until the text is at most so long; "truncated" says whether something was.
JsonValue bounded(const JsonValue& answer, size_t most_bytes);

}  // namespace aaco::serve
