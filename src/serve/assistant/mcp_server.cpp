// SPDX-License-Identifier: MIT
#include "serve/assistant/mcp_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <fmt/format.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/process/limit_error.h"
#include "base/version.h"
#include "serve/assistant/input_lines.h"
#include "session/catalog/catalog.h"

namespace aaco::serve {

namespace {

// Of JSON-RPC 2.0.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kNoMethod = -32601;
constexpr int kInvalidParameters = -32602;
constexpr int kInternalError = -32603;

constexpr size_t kLongestMessage = size_t{1} << 20;
constexpr size_t kMostOfABatch = 100;
// Versions of the protocol whose messages these are; the newest last.
constexpr std::array<const char*, 3> kVersions{"2024-11-05", "2025-03-26", "2025-06-18"};

Json response(const Json& id, const Json& result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}; }

Json failure(const Json& id, int code, const std::string& message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

bool is_request(const Json& json) {
  if (!json.is_object() || json.value("jsonrpc", Json()) != "2.0" || !json.contains("method") ||
      !json["method"].is_string()) {
    return false;
  }
  const Json id = json.value("id", Json());
  return id.is_null() || id.is_string() || id.is_number();
}

Json greeting(const Json& parameters) {
  const Json wanted = parameters.is_object() ? parameters.value("protocolVersion", Json()) : Json();
  const bool is_known =
      std::any_of(kVersions.begin(), kVersions.end(), [&](const char* version) { return wanted == version; });
  return {{"protocolVersion", is_known ? wanted : Json(kVersions.back())},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "aaco"}, {"version", program_version()}}},
          {"instructions",
           "Measurements of AI accelerators. A value that is null was not measured, and says why. Call list_sessions "
           "first."}};
}

// What a tool says; that it failed is an answer too, which the assistant reads.
Json tool_result(const Result<JsonValue>& answer) {
  if (answer) {
    return {{"content", Json::array({{{"type", "text"}, {"text", json_text(**answer)}}})},
            {"structuredContent", **answer},
            {"isError", false}};
  }
  const std::string text = fmt::format("{}\n{}", answer.error().message, answer.error().hint);
  return {{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", true}};
}

Result<void> write_line(std::string line) {
  line += '\n';
  for (size_t at = 0; at < line.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, line.data() + at, line.size() - at);
    if (count < 0 && errno != EINTR) {
      return file_error("standard output", "write", errno);
    }
    at += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return {};
}

}  // namespace

std::optional<std::string> McpServer::answer(std::string_view message) {
  const Result<Json> json = parse_json(message, "message");
  if (!json) {
    return json_text(failure(Json(), kParseError, json.error().message));
  }
  if (!json->is_array()) {
    const std::optional<JsonValue> answer = answer_to_request(*json);
    return answer ? std::optional(json_text(**answer)) : std::nullopt;
  }
  if (json->empty() || json->size() > kMostOfABatch) {
    return json_text(failure(Json(), kInvalidRequest, fmt::format("a batch has 1 to {} requests", kMostOfABatch)));
  }
  Json answers = Json::array();
  for (const Json& request : *json) {
    if (const std::optional<JsonValue> answer = answer_to_request(request)) {
      answers.push_back(**answer);
    }
  }
  return answers.empty() ? std::nullopt : std::optional(json_text(answers));
}

std::optional<JsonValue> McpServer::answer_to_request(const JsonValue& value) {
  const Json& request = *value;
  const bool is_answer =
      request.is_object() && !request.contains("method") && (request.contains("result") || request.contains("error"));
  if (is_answer) {
    return std::nullopt;  // to nothing: aaco asks nothing
  }
  if (!is_request(request)) {
    return JsonValue(failure(Json(), kInvalidRequest, "not a request of JSON-RPC 2.0"));
  }
  if (!request.contains("id")) {
    return std::nullopt;  // a notification: none of them asks for anything
  }
  const Json& id = request["id"];
  try {
    return method_answer(id, request["method"].get<std::string>(), request.value("params", Json::object()));
  } catch (const std::exception& exception) {
    return JsonValue(failure(id, kInternalError, error_of(exception).message));
  }
}

JsonValue McpServer::method_answer(const JsonValue& id, const std::string& method, const JsonValue& value) {
  const Json& parameters = *value;
  if (method == "initialize") {
    return response(*id, greeting(parameters));
  }
  if (method == "ping") {
    return response(*id, Json::object());
  }
  if (method == "tools/list") {
    return response(*id, {{"tools", *ToolAnswers::list()}});
  }
  if (method != "tools/call") {
    return failure(*id, kNoMethod, fmt::format("there is no method {}", method));
  }
  if (!parameters.is_object() || !parameters.contains("name") || !parameters["name"].is_string()) {
    return failure(*id, kInvalidParameters, "tools/call needs the name of a tool");
  }
  const JsonValue arguments(parameters.value("arguments", Json::object()));
  if (!arguments->is_object()) {
    return failure(*id, kInvalidParameters, "the arguments of a tool are an object");
  }
  return response(*id, tool_result(tools_.call(parameters["name"].get<std::string>(), arguments)));
}

std::string McpServer::answer_to_long_message() {
  return json_text(
      failure(Json(), kInvalidRequest, fmt::format("a message is longer than {} KiB", kLongestMessage >> 10)));
}

Result<void> run_mcp(const std::filesystem::path& sessions) {
  AACO_TRY(list_sessions(sessions));
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return file_error("/proc/self/exe", "read", error.value());
  }
  McpServer server(std::filesystem::absolute(sessions, error).lexically_normal(), program.string());
  InputLines lines(STDIN_FILENO, kLongestMessage);
  while (true) {
    AACO_ASSIGN(const std::optional<InputLine> line, lines.next());
    if (!line) {
      return {};
    }
    const bool is_blank = line->text.find_first_not_of(" \t\r") == std::string::npos;
    if (is_blank && !line->too_long) {
      continue;
    }
    if (const std::optional<std::string> answer =
            line->too_long ? McpServer::answer_to_long_message() : server.answer(line->text)) {
      AACO_TRY(write_line(*answer));
    }
  }
}

}  // namespace aaco::serve
