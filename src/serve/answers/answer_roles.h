// SPDX-License-Identifier: MIT
// Answers that take long, or read what others wrote: each is computed by a process of its own (aaco answer ROLE ...),
// so that a server neither waits for one nor falls with it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco::serve {

struct AnswerRole {
  const char* name;
  size_t arguments;
  Result<JsonValue> (*answer)(const std::vector<std::string>& arguments);
};

// What `role` answers, as JSON on one line. Roles and their arguments:
//   report SESSION                  the report of a session
//   document SESSION                what its command prints with --json
//   diff SESSIONS BEFORE AFTER      {"report", "document"} of a comparison; nothing is written
//   export SESSION FORMAT FILE      writes its trace as a file of another program; {"events", "left_out"}
//   timeline SESSION FILE SOURCE    builds the index of its timeline; {"bytes", "events"}
//   critical-path SESSION FILE      the critical path of its trace, on the tracks of that index (path_answer.h)
//   sql SESSION LIMIT STATEMENT     {"columns", "rows", "truncated", "milliseconds"}; confines this process first
//   ready                           loads what SQL needs, then answers the line that it reads: ["sql", [...]]; none: ""
// `arguments` as a JSON array of texts: a statement is any text. Errors: kUsage for another role; each role's own.
// `more`: roles of rooms that serve may not see, which the command brings (kSeriesRole).
Result<std::string> answer_of_role(const std::string& role, const std::string& arguments,
                                   std::span<const AnswerRole> more = {});
inline constexpr const char* kSeriesRole = "series";  // STORE: the guard's series, with their changes
// The words of the command for that.
std::vector<std::string> answer_command(const std::string& role, const std::vector<std::string>& arguments);
// What a process of the role "ready" is asked, with the end of its line.
std::string ready_question(const std::string& role, const std::vector<std::string>& arguments);

}  // namespace aaco::serve
