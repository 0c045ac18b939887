// SPDX-License-Identifier: MIT
#include "serve/wire/sql_question.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json/json.h"

namespace aaco::serve {

Result<SqlQuestion> read_sql_question(std::string_view body, int64_t usual, int64_t most) {
  AACO_ASSIGN(const Json json, parse_json(body, "the request"));
  const auto text = [&](const char* key) -> std::string {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  SqlQuestion question{text("session"), text("statement"), text("id")};
  AACO_TRY(expect_statement(question.statement));
  AACO_ASSIGN(question.limit, row_limit(json, usual, most));
  return question;
}

Result<void> expect_statement(const std::string& statement) {
  constexpr size_t kLongest = size_t{16} << 10;
  constexpr const char* kHint = "one SELECT; SHOW TABLES lists the tables";
  if (statement.empty()) {
    return Error{ErrorKind::kUsage, "the statement is missing, or no text", kHint};
  }
  if (statement.size() > kLongest) {
    return Error{ErrorKind::kUsage, fmt::format("the statement is longer than {} KiB", kLongest >> 10), kHint};
  }
  return statement.find('\0') == std::string::npos
             ? Result<void>()
             : Result<void>(Error{ErrorKind::kUsage, "the statement holds a NUL character", kHint});
}

Result<int64_t> row_limit(const JsonValue& question, int64_t usual, int64_t most) {
  if (!question->is_object() || !question->contains("limit")) {
    return usual;
  }
  const Json& limit = question->at("limit");
  if (!limit.is_number_unsigned()) {
    return Error{ErrorKind::kUsage, "the limit is no number of rows", "a whole number from 0 on"};
  }
  return static_cast<int64_t>(std::min(limit.get<uint64_t>(), static_cast<uint64_t>(most)));
}

}  // namespace aaco::serve
