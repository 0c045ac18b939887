// SPDX-License-Identifier: MIT
#include "serve/assistant/tool_answers.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/process/limit_error.h"
#include "base/text/characters.h"
#include "base/text/utf8.h"
#include "serve/answers/answer_roles.h"
#include "serve/wire/sql_question.h"

namespace aaco::serve {

namespace {

constexpr int kLookMs = 1000;
constexpr size_t kMostListed = 50;
constexpr size_t kMostFindings = 30;
constexpr int64_t kMostRows = 1000;
constexpr int64_t kDefaultRows = 100;
constexpr size_t kLongestText = 500;
constexpr size_t kLongestShownKey = 40;

Json text_argument(const char* what) { return {{"type", "string"}, {"description", what}}; }

Json tool(const char* name, const char* what, Json properties, std::vector<std::string> required) {
  return {{"name", name},
          {"description", what},
          {"inputSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}}},
          {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

// A name that was mistyped would leave its default, and the answer would be one to another question.
Result<void> expect_known_arguments(const Json& tools, const std::string& tool, const Json& arguments) {
  const auto entry = std::ranges::find_if(tools, [&](const Json& each) { return each.at("name") == tool; });
  const Json& known = entry->at("inputSchema").at("properties");
  for (const auto& [key, value] : arguments.items()) {
    if (!known.contains(key)) {
      std::string names;
      for (const auto& [name, schema] : known.items()) {
        names += (names.empty() ? "" : ", ") + name;
      }
      return Error{ErrorKind::kUsage,
                   fmt::format("{} has no argument \"{}\"", tool, shorten(printable(key), kLongestShownKey)),
                   fmt::format("its arguments: {}", names)};
    }
  }
  return {};
}

// None where it is not there.
Result<std::optional<std::string>> text_of(const Json& arguments, const char* key) {
  if (!arguments.is_object() || !arguments.contains(key)) {
    return std::optional<std::string>();
  }
  if (!arguments[key].is_string()) {
    return Error{ErrorKind::kUsage, fmt::format("the argument {} is not a text", key), "tools/list has the types"};
  }
  return std::optional(arguments[key].get<std::string>());
}

// Every list at most so long, and every text.
Json cut(const Json& value, size_t most, bool& truncated) {
  if (value.is_array()) {
    Json list = Json::array();
    for (size_t i = 0; i < std::min(most, value.size()); ++i) {
      list.push_back(cut(value[i], most, truncated));
    }
    truncated = truncated || value.size() > most;
    return list;
  }
  if (value.is_object()) {
    Json object = Json::object();
    for (const auto& [key, member] : value.items()) {
      object[key] = cut(member, most, truncated);
    }
    return object;
  }
  if (value.is_string() && value.get_ref<const std::string&>().size() > kLongestText) {
    truncated = true;
    return as_utf8(value.get_ref<const std::string&>().substr(0, kLongestText));
  }
  return value;
}

// Blocks of a kind, folded ones included.
void add_blocks(const Json& blocks, const char* kind, Json& into) {
  for (const Json& block : blocks) {
    if (block.at("kind") == kind) {
      into.push_back(block);
    } else if (block.at("kind") == "folded") {
      add_blocks(block.at("blocks"), kind, into);
    }
  }
}

Json blocks_of(const Json& report, const char* kind) {
  Json blocks = Json::array();
  for (const Json& section : report.at("sections")) {
    add_blocks(section.at("blocks"), kind, blocks);
  }
  return blocks;
}

}  // namespace

JsonValue bounded(const JsonValue& answer, size_t most_bytes) {
  bool truncated = false;
  for (const size_t most : {1000, 200, 50, 20, 8, 3}) {
    truncated = false;
    Json part = cut(*answer, most, truncated);
    part["truncated"] = truncated || part.value("truncated", false);
    if (json_text(part).size() <= most_bytes) {
      return {std::move(part)};
    }
  }
  return {Json{{"truncated", true}, {"reason", "the answer is too large: ask for a part of it"}}};
}

ToolAnswers::ToolAnswers(std::filesystem::path sessions, std::string program)
    : sessions_(std::move(sessions)), children_(std::move(program), 1, 1, answer_command("ready", {})) {}

JsonValue ToolAnswers::list() {
  const Json session = text_argument("name of a session as list_sessions gives it, or \"latest\"");
  return {Json::array(
      {tool("list_sessions", "Recorded sessions, the newest first: name, kind, subject, state, headline, tags.",
            {{"kind", text_argument("only sessions of this kind: run, trace, training, ...")},
             {"tag", text_argument("only sessions that a user gave this tag")}},
            {}),
       tool("summary", "What one session says: the answer first, then its figures with units.", {{"session", session}},
            {"session"}),
       tool("offenders", "What is worth fixing in one session, the largest stake first, with evidence and advice.",
            {{"session", session}}, {"session"}),
       tool("diff", "What changed from one session to another, with the verdict.",
            {{"before", session}, {"after", session}}, {"before", "after"}),
       tool("sql",
            "One SELECT of DuckDB's SQL over a session's tables; SHOW TABLES lists them. Nothing can be changed.",
            {{"session", session},
             {"statement", text_argument("the SELECT")},
             {"limit", {{"type", "integer"}, {"description", "most rows, 100 without it"}}}},
            {"session", "statement"})})};
}

Result<JsonValue> ToolAnswers::call(const std::string& tool, const JsonValue& arguments) {
  using Answer = Result<JsonValue> (ToolAnswers::*)(const JsonValue&);
  const std::pair<const char*, Answer> tools[] = {{"list_sessions", &ToolAnswers::list_sessions},
                                                  {"summary", &ToolAnswers::summary},
                                                  {"offenders", &ToolAnswers::offenders},
                                                  {"diff", &ToolAnswers::diff},
                                                  {"sql", &ToolAnswers::sql}};
  for (const auto& [name, answer] : tools) {
    if (tool == name) {
      AACO_TRY(expect_known_arguments(*list(), tool, *arguments));
      AACO_ASSIGN(const JsonValue whole, (this->*answer)(arguments));
      return bounded(whole, kMostToolBytes);
    }
  }
  return Error{ErrorKind::kUsage, fmt::format("{}: there is no such tool", as_utf8(tool)),
               "tools/list has those there are"};
}

Result<std::string> ToolAnswers::session_path(const JsonValue& arguments, const char* key) {
  AACO_ASSIGN(const std::optional<std::string> name, text_of(*arguments, key));
  if (!name) {
    return Error{ErrorKind::kUsage, fmt::format("the argument {} is missing", key), "list_sessions gives names"};
  }
  if (*name == "latest") {
    AACO_ASSIGN(const std::vector<SessionEntry>* const all, sessions_.entries());
    if (all->empty()) {
      return Error{ErrorKind::kUsage, "there are no sessions", "aaco run or aaco trace import records one"};
    }
    return all->back().path.string();
  }
  AACO_ASSIGN(const SessionEntry entry, sessions_.find(*name));
  return entry.path.string();
}

Result<JsonValue> ToolAnswers::compute(const std::string& role, const std::vector<std::string>& arguments) {
  std::optional<Result<std::string>> answer;
  children_.start({.arguments = answer_command(role, arguments),
                   .question = role == "sql" ? ready_question(role, arguments) : "",
                   .done = [&](Result<std::string> text) { answer = std::move(text); }});
  while (!answer) {
    std::vector<pollfd> polled{{interrupted_fd(), POLLIN, 0}};
    children_.add_polled(polled);
    if (::poll(polled.data(), polled.size(), children_.wait_ms(kLookMs)) < 0 && errno != EINTR) {
      return limit_error("wait for a process", errno);
    }
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    children_.step();
  }
  if (!*answer) {
    return answer->error();
  }
  AACO_ASSIGN(Json json, parse_own_json(**answer, role));
  return JsonValue(std::move(json));
}

Result<JsonValue> ToolAnswers::list_sessions(const JsonValue& arguments) {
  AACO_ASSIGN(const JsonValue all, sessions_.list());
  AACO_ASSIGN(const std::optional<std::string> kind, text_of(*arguments, "kind"));
  AACO_ASSIGN(const std::optional<std::string> tag, text_of(*arguments, "tag"));
  const auto has_tag = [&](const Json& tags) { return std::find(tags.begin(), tags.end(), *tag) != tags.end(); };
  Json sessions = Json::array();
  size_t more = 0;
  for (const Json& session : (*all)["sessions"]) {
    if ((!kind || session.at("kind") == *kind) && (!tag || has_tag(session.at("tags")))) {
      more += sessions.size() == kMostListed ? 1 : 0;
      if (sessions.size() < kMostListed) {
        sessions.push_back(session);
      }
    }
  }
  return JsonValue(Json{{"sessions", std::move(sessions)}, {"more", more}, {"truncated", more > 0}});
}

Result<JsonValue> ToolAnswers::summary(const JsonValue& arguments) {
  AACO_ASSIGN(const std::string path, session_path(arguments, "session"));
  AACO_ASSIGN(const JsonValue report, compute("report", {path}));
  Json figures = Json::array();
  for (const Json& block : blocks_of(*report, "figures")) {
    figures.insert(figures.end(), block.at("figures").begin(), block.at("figures").end());
  }
  return JsonValue(Json{{"title", report->at("title")},
                        {"subtitle", report->at("subtitle")},
                        {"headline", report->at("headline")},
                        {"figures", std::move(figures)},
                        {"metrics", report->at("metrics")}});
}

Result<JsonValue> ToolAnswers::offenders(const JsonValue& arguments) {
  AACO_ASSIGN(const std::string path, session_path(arguments, "session"));
  AACO_ASSIGN(const JsonValue report, compute("report", {path}));
  Json findings = blocks_of(*report, "finding");
  const bool truncated = findings.size() > kMostFindings;
  if (truncated) {
    findings.erase(findings.begin() + kMostFindings, findings.end());
  }
  return JsonValue(
      Json{{"headline", report->at("headline")}, {"offenders", std::move(findings)}, {"truncated", truncated}});
}

Result<JsonValue> ToolAnswers::diff(const JsonValue& arguments) {
  AACO_ASSIGN(const std::string before, session_path(arguments, "before"));
  AACO_ASSIGN(const std::string after, session_path(arguments, "after"));
  AACO_ASSIGN(const JsonValue answer, compute("diff", {sessions_.root().string(), before, after}));
  return JsonValue(Json{{"title", answer->at("report").at("title")},
                        {"headline", answer->at("report").at("headline")},
                        {"document", answer->at("document")}});
}

Result<JsonValue> ToolAnswers::sql(const JsonValue& arguments) {
  AACO_ASSIGN(const std::string path, session_path(arguments, "session"));
  AACO_ASSIGN(const std::optional<std::string> statement, text_of(*arguments, "statement"));
  AACO_TRY(expect_statement(statement.value_or("")));
  AACO_ASSIGN(const int64_t limit, row_limit(arguments, kDefaultRows, kMostRows));
  return compute("sql", {path, std::to_string(limit), *statement});
}

}  // namespace aaco::serve
