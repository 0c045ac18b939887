// SPDX-License-Identifier: MIT
// The Model Context Protocol over standard input and output: JSON-RPC 2.0, a message a line. Requests are answered one
// after another.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/assistant/tool_answers.h"

namespace aaco::serve {

class McpServer {
 public:
  McpServer(std::filesystem::path sessions, std::string program) : tools_(std::move(sessions), std::move(program)) {}

  // The answer to one message, on one line; none to a notification.
  std::optional<std::string> answer(std::string_view message);

 private:
  ToolAnswers tools_;
};

// Until the input ends, or an interrupt. Errors: kUsage for a sessions folder that is none; of reading and writing.
Result<void> run_mcp(const std::filesystem::path& sessions);

}  // namespace aaco::serve
