// SPDX-License-Identifier: MIT
#include "base/files/cache_folder.h"

#include <cstdlib>
#include <pwd.h>
#include <system_error>
#include <unistd.h>

namespace aaco {

namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// Empty where there is none. Who sets HOME to a folder that is not there (/nonexistent, of service accounts) wants none
// to be used: the one of the user database is for those who set nothing.
std::filesystem::path home_folder() {
  std::filesystem::path home;
  if (const char* named = variable("HOME")) {
    home = named;
  } else if (const passwd* user = ::getpwuid(::geteuid()); user != nullptr) {
    home = user->pw_dir;
  }
  return is_folder(home) ? home : std::filesystem::path();
}

}  // namespace

std::filesystem::path cache_folder() {
  if (const char* folder = variable("AACO_CACHE")) {
    return folder;
  }
  if (const char* folder = variable("XDG_CACHE_HOME")) {
    const std::filesystem::path xdg(folder);
    if (is_folder(xdg) || is_folder(xdg.parent_path())) {
      return xdg / "aaco";
    }
  }
  return home_folder() / ".cache" / "aaco";
}

}  // namespace aaco
