// SPDX-License-Identifier: MIT
// aaco mcp: sessions for assistants, over the Model Context Protocol.
#include <csignal>
#include <memory>
#include <string>

#include "cli/command/command.h"

#include "serve/assistant/mcp_server.h"

namespace aaco {

void add_mcp_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("mcp", "Let an assistant read sessions (MCP over stdio)");
  const auto sessions = std::make_shared<std::string>("sessions");
  add_sessions_folder(command, *sessions);
  set_examples(command,
               "  aaco mcp --sessions /data/sessions    # an assistant starts it\n"
               "  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | aaco mcp");
  command.callback([sessions, &invocation] {
    (void)std::signal(SIGPIPE, SIG_IGN);  // an assistant that has gone is an error of writing
    const Result<void> served = serve::run_mcp(*sessions);
    invocation.finish(served ? Result<int>(0) : Result<int>(served.error()));
  });
}

}  // namespace aaco
