// SPDX-License-Identifier: MIT
#include "base/process/browser.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <unistd.h>

namespace aaco {

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

Result<void> open_in_browser(const std::filesystem::path& page) {
  const bool is_address = page.native().starts_with("http://");
  const std::string where = is_address ? page.string() : std::filesystem::absolute(page).string();
  if (!is_set("BROWSER") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return Error{ErrorKind::kUnavailable, "no browser can be opened here: there is no display", "open " + where};
  }
  std::string program = is_set("BROWSER") ? std::getenv("BROWSER") : "xdg-open";
  std::string argument = where;
  std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
  // In a session of its own, without aaco's output: Ctrl-C here must not end a browser, nor its words be mixed in.
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  ::posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = 0;
  const int failure = ::posix_spawnp(&pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    return Error{ErrorKind::kUnavailable, program + " cannot be started", "open " + where};
  }
  return {};
}

}  // namespace aaco
