// SPDX-License-Identifier: MIT
// The document of a session, which reports and comparisons read.
#pragma once

#include <fmt/format.h>
#include <string>

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "session/session.h"

namespace aaco {

// Writes `document` and reads it back by its reader, as `read(json, source)`. Errors: those of writing; kInvalid where
// nobody could read it, since a figure in it is no finite number: the session is then not complete.
template <class Read>
Result<void> write_document(SessionWriter& session, const char* relative, const Json& document, const Read& read) {
  const std::string text = indented_json_text(document);
  AACO_TRY(session.write_text(relative, text));
  AACO_ASSIGN(const Json written, parse_own_json(text, relative));
  if (const auto readable = read(written, relative); !readable) {
    return Error{ErrorKind::kInvalid,
                 fmt::format("what was measured cannot be read again: {}", readable.error().message),
                 "a figure is infinite or no number: measure again, with more usual settings"};
  }
  return {};
}

}  // namespace aaco
