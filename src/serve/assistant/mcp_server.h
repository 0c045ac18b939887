// SPDX-License-Identifier: MIT
// The Model Context Protocol over standard input and output: JSON-RPC 2.0, a message a line. Requests are answered one
// after another; what cannot be understood gets an error, and the next line is read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_value.h"
#include "base/result.h"
#include "serve/assistant/tool_answers.h"

namespace aaco::serve {

class McpServer {
 public:
  McpServer(std::filesystem::path sessions, std::string program) : tools_(std::move(sessions), std::move(program)) {}

  // The answer to one message, or to a batch of them, on one line; none to notifications.
  std::optional<std::string> answer(std::string_view message);
  static std::string answer_to_long_message();

 private:
  std::optional<JsonValue> answer_to_request(const JsonValue& request);
  JsonValue method_answer(const JsonValue& id, const std::string& method, const JsonValue& parameters);

  ToolAnswers tools_;
};

// Until the input ends, or an interrupt. Errors: kUsage for a sessions folder that is none; of reading and writing.
Result<void> run_mcp(const std::filesystem::path& sessions);

}  // namespace aaco::serve
