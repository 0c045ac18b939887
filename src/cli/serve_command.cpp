// SPDX-License-Identifier: MIT
// aaco serve: recorded sessions in a browser. aaco answer: one process of it.
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/guard/guard_flags.h"

#include "base/http/http_access.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/process/browser.h"
#include "base/side_note.h"
#include "guard/series/stored_series.h"
#include "serve/answers/answer_roles.h"
#include "serve/server/dashboard.h"

namespace aaco {

namespace {

struct ServeFlags {
  std::string sessions = "sessions";
  std::string host = "127.0.0.1";
  std::string token_file;
  std::string history = "guard";
  int32_t port = 0;
  bool open = false;
};

// The guard is beside serve, not below it.
Result<JsonValue> series_of_history(const std::vector<std::string>& arguments) {
  return stored_series_answer(arguments[0]);
}

constexpr serve::AnswerRole kGuardRoles[] = {{serve::kSeriesRole, 1, series_of_history}};

Result<int> serve_sessions(const ServeFlags& flags, bool json) {
  serve::DashboardRequest request{flags.sessions, flags.host, flags.port, "", flags.history};
  if (!flags.token_file.empty()) {
    AACO_ASSIGN(request.token, read_token(flags.token_file));
  }
  (void)std::signal(SIGPIPE, SIG_IGN);  // a client that has gone must not end the server
  AACO_TRY(serve::run_dashboard(request, [&](const std::string& url) {
    fmt::print("{}", json ? json_text({{"event", "start"}, {"url", url}}) + "\n"
                          : fmt::format("dashboard  {}\nCtrl-C ends it\n", url));
    std::fflush(stdout);
    if (flags.open) {
      if (const Result<void> opened = open_in_browser(url); !opened) {  // it is served all the same
        note("{}; {}\n", opened.error().message, opened.error().hint);
      }
    }
  }));
  return 0;
}

}  // namespace

void add_serve_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("serve", "Sessions in a browser: reports, timelines, live");
  const auto flags = std::make_shared<ServeFlags>();
  add_sessions_folder(command, flags->sessions);
  add_store_flag(command, flags->history);
  command.add_option("--port", flags->port, {0, 65535}, "Port to serve on; 0 takes one that is free")
      .type_name("PORT")
      .capture_default_str();
  command.add_flag("--open", flags->open, "Open it in a browser");
  command.add_option("--host", flags->host, "Address to serve on; any other than the loopback needs --token-file")
      .type_name("ADDRESS")
      .capture_default_str();
  command
      .add_option("--token-file", flags->token_file, "File with the token of the address; default: a new one each time")
      .type_name("FILE");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco serve --open\n"
               "  aaco serve --sessions /data/sessions --port 8080\n"
               "  ssh -L 8080:127.0.0.1:8080 gpu-host aaco serve --port 8080\n"
               "  aaco serve --host 0.0.0.0 --token-file token   # no encryption: a network that you trust");
  command.callback([flags, &invocation] { invocation.finish(serve_sessions(*flags, invocation.json)); });
}

// Not for people, and not in the help.
void add_answer_command(cli::Command app, Invocation& invocation) {
  struct Options {
    std::string role;
    std::string arguments;
  };
  auto options = std::make_shared<Options>();
  cli::Command command = app.add_subcommand("answer", "One answer of aaco serve");
  command.group("");
  command.add_option("role", options->role, "What is asked").required();
  command.add_option("arguments", options->arguments, "Of what: a JSON array of texts").required();
  command.callback([options, &invocation] {
    const Result<std::string> answer = serve::answer_of_role(options->role, options->arguments, kGuardRoles);
    if (answer) {
      fmt::print("{}\n", *answer);
    }
    invocation.finish(answer ? Result<int>(0) : Result<int>(answer.error()));
  });
}

}  // namespace aaco
