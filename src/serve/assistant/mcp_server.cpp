// SPDX-License-Identifier: MIT
#include "serve/assistant/mcp_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/process/limit_error.h"
#include "base/version.h"
#include "session/catalog/catalog.h"

namespace aaco::serve {

namespace {

// Of JSON-RPC 2.0.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kNoMethod = -32601;
constexpr int kInvalidParameters = -32602;

constexpr size_t kLongestMessage = size_t{1} << 20;
// Versions of the protocol whose messages these are; the newest last.
constexpr std::array<const char*, 3> kVersions{"2024-11-05", "2025-03-26", "2025-06-18"};

std::string response(const Json& id, const Json& result) {
  return json_text({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string failure(const Json& id, int code, const std::string& message) {
  return json_text({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
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

// Lines of the standard input; none at its end or an interrupt.
class InputLines {
 public:
  Result<std::optional<std::string>> next() {
    while (true) {
      if (const size_t end = pending_.find('\n'); end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return std::optional(std::move(line));
      }
      if (pending_.size() > kLongestMessage) {
        return Error{ErrorKind::kUsage, fmt::format("a message is longer than {} KiB", kLongestMessage >> 10),
                     "send one JSON-RPC message a line"};
      }
      AACO_ASSIGN(const bool more, read_some());
      if (!more) {
        return std::optional<std::string>();
      }
    }
  }

 private:
  Result<bool> read_some() {
    std::array<pollfd, 2> polled{{{STDIN_FILENO, POLLIN, 0}, {interrupted_fd(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) {
      return limit_error("wait for input", errno);
    }
    if (interrupted()) {
      return false;
    }
    if (polled[0].revents == 0) {
      return true;
    }
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno != EINTR) {
      return file_error("standard input", "read", errno);
    }
    pending_.append(buffer.data(), count > 0 ? static_cast<size_t>(count) : 0);
    return count != 0;
  }

  std::string pending_;
};

}  // namespace

std::optional<std::string> McpServer::answer(std::string_view message) {
  const Result<Json> json = parse_json(message, "message");
  if (!json) {
    return failure(Json(), kParseError, json.error().message);
  }
  const bool is_request = json->is_object() && json->contains("method") && (*json)["method"].is_string();
  if (!is_request) {
    return failure(Json(), kInvalidRequest, "not a request of JSON-RPC 2.0");
  }
  if (!json->contains("id")) {
    return std::nullopt;  // a notification: none of them asks for anything
  }
  const Json& id = (*json)["id"];
  const std::string method = (*json)["method"].get<std::string>();
  const Json parameters = json->value("params", Json::object());
  if (method == "initialize") {
    return response(id, greeting(parameters));
  }
  if (method == "ping") {
    return response(id, Json::object());
  }
  if (method == "tools/list") {
    return response(id, {{"tools", *ToolAnswers::list()}});
  }
  if (method != "tools/call") {
    return failure(id, kNoMethod, fmt::format("there is no method {}", method));
  }
  if (!parameters.is_object() || !parameters.contains("name") || !parameters["name"].is_string()) {
    return failure(id, kInvalidParameters, "tools/call needs the name of a tool");
  }
  const JsonValue arguments(parameters.value("arguments", Json::object()));
  return response(id, tool_result(tools_.call(parameters["name"].get<std::string>(), arguments)));
}

Result<void> run_mcp(const std::filesystem::path& sessions) {
  AACO_TRY(list_sessions(sessions));
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return file_error("/proc/self/exe", "read", error.value());
  }
  McpServer server(std::filesystem::absolute(sessions, error).lexically_normal(), program.string());
  InputLines lines;
  while (true) {
    AACO_ASSIGN(const std::optional<std::string> line, lines.next());
    if (!line) {
      return {};
    }
    if (line->find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    if (const std::optional<std::string> answer = server.answer(*line)) {
      AACO_TRY(write_line(*answer));
    }
  }
}

}  // namespace aaco::serve
