// SPDX-License-Identifier: MIT
// The server of `aaco serve`, from its start to its end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace aaco::serve {

struct DashboardRequest {
  std::filesystem::path sessions;
  std::string host = "127.0.0.1";
  int port = 0;
  std::string token;                        // "": one that is made
  std::filesystem::path history = "guard";  // of the guard; it may not be there
};

// Serves until interrupted; `on_start` is told the address to open, which holds the token. Two threads: one for
// sockets, and this one for answers. Errors: what keeps it from starting.
Result<void> run_dashboard(const DashboardRequest& request,
                           const std::function<void(const std::string& url)>& on_start);

}  // namespace aaco::serve
