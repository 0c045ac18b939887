// SPDX-License-Identifier: MIT
// A statement as a client asks it: {"session", "statement", "limit", "id"}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

struct SqlQuestion {
  std::string session;
  std::string statement;
  std::string id;  // to cancel it by; may be empty
  int64_t limit = 0;
};

// Rows at most `most`; `usual` where the body does not say. Errors: kUsage for a body that is no such object.
Result<SqlQuestion> read_sql_question(std::string_view body, int64_t usual, int64_t most);

// Errors: kUsage for a statement that is empty, holds a NUL or is longer than 16 KiB.
Result<void> expect_statement(const std::string& statement);
// The member "limit" of an object, at most `most`; `usual` without it. Errors: kUsage for one that is no number of
// rows.
Result<int64_t> row_limit(const JsonValue& question, int64_t usual, int64_t most);

}  // namespace aaco::serve
