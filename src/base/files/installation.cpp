// SPDX-License-Identifier: MIT
#include "base/files/installation.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "base/files/file.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts_of_variable(const char* name) {
  std::vector<std::string> parts;
  if (const char* value = std::getenv(name)) {
    std::istringstream rest(value);
    for (std::string part; std::getline(rest, part, ':');) {
      if (!part.empty()) {
        parts.push_back(part);
      }
    }
  }
  return parts;
}

void add_folder(const fs::path& folder, std::vector<fs::path>& folders) {
  std::error_code error;
  if (fs::is_directory(folder, error) && std::ranges::find(folders, folder) == folders.end()) {
    folders.push_back(folder);
  }
}

// Of a Python whose lib/ this is. In the order of names, so that the answer is the same on every call.
void add_packages(const fs::path& lib, std::vector<fs::path>& folders) {
  std::error_code error;
  std::vector<fs::path> pythons;
  for (const auto& python : fs::directory_iterator(lib, error)) {
    if (python.path().filename().string().starts_with("python3")) {
      pythons.push_back(python.path());
    }
  }
  std::ranges::sort(pythons);
  for (const fs::path& python : pythons) {
    add_folder(python / "site-packages", folders);
    add_folder(python / "dist-packages", folders);
  }
}

}  // namespace

std::vector<fs::path> library_folders() {
  const fs::path program = program_folder();
  return {program, program.parent_path() / "lib" / "aaco"};
}

std::vector<fs::path> own_python_packages() {
  std::vector<fs::path> folders;
  for (const std::string& part : parts_of_variable("AACO_PYTHON_PACKAGES")) {
    add_folder(part, folders);
  }
  const fs::path prefix = program_folder().parent_path();
  if (prefix.filename() == "native" && prefix.parent_path().filename() == "aaco") {
    add_folder(prefix.parent_path().parent_path(), folders);
  }
  return folders;
}

std::vector<fs::path> other_python_packages() {
  std::vector<fs::path> folders;
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    add_packages(fs::path(environment) / "lib", folders);
  }
  for (const std::string& part : parts_of_variable("PATH")) {
    std::error_code error;
    if (fs::exists(fs::path(part) / "python3", error)) {
      add_packages(fs::path(part).parent_path() / "lib", folders);
    }
  }
  add_packages("/usr/local/lib", folders);
  add_packages("/usr/lib", folders);
  return folders;
}

}  // namespace aaco
