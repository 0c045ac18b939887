// SPDX-License-Identifier: MIT
#include "base/cache_folder.h"

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace aaco {

namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::filesystem::path cache_folder() {
  if (const char* folder = variable("AACO_CACHE")) {
    return folder;
  }
  if (const char* folder = variable("XDG_CACHE_HOME")) {
    return std::filesystem::path(folder) / "aaco";
  }
  if (const char* home = variable("HOME")) {
    return std::filesystem::path(home) / ".cache" / "aaco";
  }
  const passwd* user = ::getpwuid(::geteuid());
  return (user != nullptr ? std::filesystem::path(user->pw_dir) : std::filesystem::path()) / ".cache" / "aaco";
}

}  // namespace aaco
