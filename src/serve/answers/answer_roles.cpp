// SPDX-License-Identifier: MIT
#include "serve/answers/answer_roles.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <fmt/format.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/all_kinds.h"
#include "report/sinks.h"
#include "serve/answers/diff_answer.h"
#include "serve/answers/export_answer.h"
#include "serve/answers/path_answer.h"
#include "serve/answers/sql_answer.h"
#include "serve/answers/timeline_answer.h"
#include "session/parquet/duckdb_library.h"
#include "session/session.h"
#include "session/session_info.h"
#include "session/sql/sql_confinement.h"

namespace aaco::serve {

namespace {

constexpr uint64_t kSqlProcessorSeconds = 60;

using Arguments = std::vector<std::string>;

Result<JsonValue> report_of(const Arguments& arguments) {
  AACO_ASSIGN(const OpenSession session, open_session(arguments[0]));
  AACO_ASSIGN(const report::Report report, build_session_report(session));
  return JsonValue(report::render_json(report));
}

// Of a run, which has no document, its figures.
Result<JsonValue> document_of(const Arguments& arguments) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(arguments[0]));
  const Kind* const kind = find_kind(info.kind);
  if (kind == nullptr) {
    return unknown_kind(arguments[0], info.kind);
  }
  if (const std::string file = kind->traits.document; !file.empty()) {
    AACO_ASSIGN(Json document, read_json(std::filesystem::path(arguments[0]) / file));
    return JsonValue(std::move(document));
  }
  AACO_ASSIGN(const OpenSession session, open_session(arguments[0]));
  AACO_ASSIGN(const report::Report report, build_session_report(session));
  Json json = report::render_json(report);
  return JsonValue(Json{{"session", session.info}, {"metrics", json["metrics"]}, {"losses", session.losses}});
}

Result<JsonValue> diff_of(const Arguments& arguments) { return diff_answer(arguments[0], arguments[1], arguments[2]); }

Result<JsonValue> timeline_of(const Arguments& arguments) {
  return timeline_answer(arguments[0], arguments[1], arguments[2]);
}

Result<JsonValue> path_of(const Arguments& arguments) { return path_answer(arguments[0], arguments[1]); }

Result<JsonValue> sql_of(const Arguments& arguments) {
  int64_t limit = 0;
  const std::string& text = arguments[1];
  if (std::from_chars(text.data(), text.data() + text.size(), limit).ec != std::errc() || limit < 0) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not a number of rows", text), "for example 1000"};
  }
  const std::array<std::filesystem::path, 1> bundles{arguments[0]};
  AACO_TRY(confine_to_bundles(bundles, {}, {.processor_seconds = kSqlProcessorSeconds}));
  return sql_answer(arguments[0], limit, arguments[2]);
}

Result<JsonValue> export_of(const Arguments& arguments) {
  return export_answer(arguments[0], arguments[1], arguments[2]);
}

// One line of the standard input, without its end; "" where there is none.
std::string read_question() {
  std::string text;
  std::array<char, 4096> piece;
  while (!text.ends_with('\n')) {
    const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return "";
    }
    text.append(piece.data(), count > 0 ? static_cast<size_t>(count) : 0);
  }
  text.pop_back();
  return text;
}

Result<std::string> answer_when_asked() {
  AACO_TRY(load_duckdb());
  const std::string text = read_question();
  if (text.empty()) {
    return text;  // nobody asks any more
  }
  AACO_ASSIGN(const Json question, parse_own_json(text, "question"));
  AACO_ASSIGN(const Arguments words, from_json_value<Arguments>(question, "question"));
  return words.size() == 2 ? answer_of_role(words[0], words[1])
                           : Result<std::string>(Error{ErrorKind::kUsage, "a question has two parts", ""});
}

constexpr AnswerRole kRoles[] = {{"report", 1, report_of},     {"document", 1, document_of}, {"diff", 3, diff_of},
                                 {"timeline", 3, timeline_of}, {"export", 3, export_of},     {"sql", 3, sql_of},
                                 {"critical-path", 2, path_of}};

}  // namespace

Result<std::string> answer_of_role(const std::string& role, const std::string& text, std::span<const AnswerRole> more) {
  if (role == "ready") {
    return answer_when_asked();
  }
  AACO_ASSIGN(const Json json, parse_own_json(text, "arguments"));
  AACO_ASSIGN(const Arguments arguments, from_json_value<Arguments>(json, "arguments"));
  for (const std::span<const AnswerRole> roles : {std::span<const AnswerRole>(kRoles), more}) {
    for (const AnswerRole& known : roles) {
      if (role == known.name && arguments.size() == known.arguments) {
        AACO_ASSIGN(const JsonValue answer, known.answer(arguments));
        return json_text(*answer);
      }
    }
  }
  return Error{ErrorKind::kUsage, fmt::format("{} with {} arguments: no such answer", role, arguments.size()),
               "aaco serve asks for answers"};
}

std::vector<std::string> answer_command(const std::string& role, const Arguments& arguments) {
  return {"answer", role, json_text(Json(arguments))};
}

std::string ready_question(const std::string& role, const Arguments& arguments) {
  return json_text(Json(Arguments{role, json_text(Json(arguments))})) + "\n";
}

}  // namespace aaco::serve
