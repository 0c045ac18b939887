// SPDX-License-Identifier: MIT
#include "serve/server/api.h"

#include <fmt/format.h>
#include <utility>

#include "base/files/file.h"
#include "base/http/http_stream.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/utf8.h"
#include "base/version.h"
#include "serve/answers/answer_roles.h"
#include "serve/answers/export_answer.h"
#include "serve/wire/answer.h"
#include "serve/wire/request_path.h"
#include "serve/wire/sql_question.h"
#include "session/session.h"

namespace aaco::serve {

namespace {

constexpr size_t kMostChildren = 2;
constexpr size_t kMostWaiting = 64;
constexpr size_t kAnswerCacheBytes = size_t{32} << 20;
constexpr int64_t kMostRows = 100'000;
constexpr int64_t kDefaultRows = 1000;

HttpResponse no_such_path(const std::string& path) {
  return error_answer(404, fmt::format("{}: there is nothing", as_utf8(path)), "docs/serve.md lists what there is");
}

HttpResponse not_allowed(const char* allowed) {
  HttpResponse response = error_answer(405, "this path does not take that method", fmt::format("use {}", allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

HttpResponse refused_session(const Error& error) {
  return error_answer(error.kind == ErrorKind::kUsage ? 404 : 500, error.message, error.hint);
}

}  // namespace

Api::Api(std::filesystem::path sessions, std::filesystem::path history, std::string program)
    : sessions_(std::move(sessions)),
      history_(std::move(history)),
      children_(std::move(program), kMostChildren, kMostWaiting, answer_command("ready", {})),
      answers_(kAnswerCacheBytes),
      growing_(children_),
      live_(sessions_) {}

void Api::handle(const HttpRequest& request, const HttpReply& reply) {
  const std::optional<Steps> path = path_steps(request.path);
  if (!path || path->size() < 2 || path->front() != "api") {
    reply(no_such_path(request.path));
    return;
  }
  const Steps steps(path->begin() + 1, path->end());
  const std::string& first = steps.front();
  if (first == "sql") {
    if (request.method == "DELETE" && steps.size() == 2) {
      reply(children_.cancel("sql " + steps[1])
                ? json_answer({{"cancelled", true}})
                : error_answer(404, "no statement of that id is running", "it has ended"));
    } else if (request.method == "POST" && steps.size() == 1) {
      handle_sql(request, reply);
    } else {
      reply(not_allowed("POST, DELETE"));
    }
    return;
  }
  if (request.method != "GET" && request.method != "HEAD") {
    reply(not_allowed("GET"));
  } else if (first == "about" && steps.size() == 1) {
    const Result<const std::vector<SessionEntry>*> entries = sessions_.entries();
    reply(json_answer({{"version", program_version()},
                       {"sessions_folder", as_utf8(sessions_.root().string())},
                       {"sessions", entries ? Json((*entries)->size()) : Json()},
                       {"exports", *page_exports()},
                       {"read_only", true}}));
  } else if (first == "sessions" && steps.size() == 1) {
    const Result<JsonValue> list = sessions_.list();
    reply(list ? json_answer(*list) : error_answer(list.error()));
  } else if (first == "session" && steps.size() == 3) {
    handle_session(steps, reply);
  } else if (first == "diff" && steps.size() == 1) {
    handle_diff(request, reply);
  } else if (first == "series" && steps.size() == 1) {
    handle_series(reply);
  } else if (first == "timeline" && steps.size() >= 3) {
    handle_timeline(steps, request, reply);
  } else if (first == "live" && steps.size() == 1) {
    HttpResponse response = text_answer("", "text/event-stream");
    response.stream = live_.join();
    reply(std::move(response));
  } else {
    reply(no_such_path(request.path));
  }
}

void Api::compute(const std::string& role, const std::vector<std::string>& arguments, const std::string& key,
                  const HttpReply& reply) {
  if (const std::optional<std::string> kept = key.empty() ? std::nullopt : answers_.find(key)) {
    reply(text_answer(*kept, "application/json"));
    return;
  }
  const auto answer_of = [](const Result<std::string>& answer) {
    return answer ? text_answer(*answer, "application/json") : error_answer(answer.error());
  };
  if (key.empty()) {
    children_.start({.arguments = answer_command(role, arguments),
                     .done = [reply, answer_of](const Result<std::string>& answer) { reply(answer_of(answer)); }});
    return;
  }
  std::vector<HttpReply>& askers = computed_[key];
  askers.push_back(reply);
  if (askers.size() > 1) {
    return;
  }
  children_.start(
      {.arguments = answer_command(role, arguments), .done = [this, key, answer_of](const Result<std::string>& answer) {
         if (answer) {
           answers_.keep(key, *answer);
         }
         const std::vector<HttpReply> waiting = std::move(computed_[key]);
         computed_.erase(key);
         for (const HttpReply& waiting_reply : waiting) {
           waiting_reply(answer_of(answer));
         }
       }});
}

void Api::handle_session(const Steps& steps, const HttpReply& reply) {
  const Result<SessionEntry> session = sessions_.find(steps[1]);
  const std::string& what = steps[2];
  if (!session) {
    reply(refused_session(session.error()));
  } else if (what == "files") {
    reply(json_answer(files_of_session(session->path)));
  } else if (what == "report" || what == "json") {
    const std::string role = what == "json" ? "document" : what;
    const std::string path = session->path.string();
    const bool is_running = session->status == SessionStatus::kRunning;
    compute(role, {path}, is_running ? "" : fmt::format("{} {} {}", role, path, timeline_source(session->path)), reply);
  } else {
    reply(no_such_path(what));
  }
}

void Api::handle_diff(const HttpRequest& request, const HttpReply& reply) {
  const std::optional<std::string> before = query_value(request.query, "a");
  const std::optional<std::string> after = query_value(request.query, "b");
  if (!before || !after) {
    reply(error_answer(400, "two sessions are compared", "/api/diff?a=NAME&b=NAME"));
    return;
  }
  const Result<SessionEntry> first = sessions_.find(*before);
  const Result<SessionEntry> second = sessions_.find(*after);
  if (!first || !second) {
    reply(refused_session(!first ? first.error() : second.error()));
    return;
  }
  const std::string root = sessions_.root().string();
  compute("diff", {root, first->path.string(), second->path.string()},
          fmt::format("diff {} {} {} {}", first->path.string(), timeline_source(first->path), second->path.string(),
                      timeline_source(second->path)),
          reply);
}

void Api::handle_series(const HttpReply& reply) {
  std::error_code error;
  if (!std::filesystem::is_directory(history_, error)) {
    reply(error_answer(404, fmt::format("{}: there is no history of the guard", as_utf8(history_.string())),
                       "aaco guard record starts one; aaco serve --history DIR shows another"));
    return;
  }
  compute(kSeriesRole, {history_.string()}, "", reply);
}

void Api::handle_sql(const HttpRequest& request, const HttpReply& reply) {
  const Result<SqlQuestion> question = read_sql_question(request.body, kDefaultRows, kMostRows);
  if (!question) {
    reply(error_answer(400, question.error().message,
                       "{\"session\": NAME, \"statement\": \"select ...\", \"limit\": 1000, \"id\": \"1\"}"));
    return;
  }
  const Result<SessionEntry> session = sessions_.find(question->session);
  if (!session) {
    reply(refused_session(session.error()));
    return;
  }
  const std::vector<std::string> arguments{session->path.string(), std::to_string(question->limit),
                                           question->statement};
  children_.start({.arguments = answer_command("sql", arguments),
                   .question = ready_question("sql", arguments),
                   .id = question->id.empty() ? "" : "sql " + question->id,
                   .limit_ns = int64_t{30} * 1'000'000'000,
                   .done = [reply](const Result<std::string>& answer) {
                     reply(answer ? text_answer(*answer, "application/json")
                           : answer.error().kind == ErrorKind::kInterrupted
                               ? error_answer(499, "the statement was cancelled", "ask it again")
                               : error_answer(answer.error()));
                   }});
}

}  // namespace aaco::serve
