// SPDX-License-Identifier: MIT
#include "device/gpu/libraries/vendor_library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <string_view>

namespace aaco::gpu {

namespace {

std::vector<std::string> parts_of(const char* variable) {
  const char* value = std::getenv(variable);
  std::vector<std::string> parts;
  std::string_view rest = value != nullptr ? value : "";
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    if (end != 0) {
      parts.emplace_back(rest.substr(0, end));
    }
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return parts;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t matches{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  globfree(&matches);
  return paths;
}

// Patterns of where `name` may lie, the nearest first.
std::vector<std::string> patterns_of(const LibraryRequest& request, const std::string& name) {
  std::vector<std::string> patterns;
  if (const char* home = std::getenv(request.home); home != nullptr) {
    for (const char* folder : request.folders) {
      patterns.push_back(std::string(home) + '/' + folder + '/' + name);
    }
  }
  const std::string in_packages = std::string("/") + request.python_folder + '/' + name;
  for (const std::string& folder : parts_of("AACO_NVIDIA_LIBRARIES")) {
    patterns.push_back(folder + '/' + name);
    if (*request.python_folder != '\0') {
      patterns.push_back(folder + in_packages);
    }
  }
  if (*request.python_folder != '\0') {
    for (const std::string& folder : parts_of("AACO_PYTHON_PACKAGES")) {
      patterns.push_back(folder + in_packages);
    }
    for (const std::string& folder : parts_of("PATH")) {
      if (!matches_of(folder + "/python3").empty()) {
        patterns.push_back(folder + "/../lib/python3*/site-packages" + in_packages);
        patterns.push_back(folder + "/../lib/python3*/dist-packages" + in_packages);
      }
    }
  }
  return patterns;
}

}  // namespace

VendorLibrary::VendorLibrary(const LibraryRequest& request) : remedy_(request.remedy) {
  for (const char* name : request.names) {
    if (open(name)) {
      return;
    }
  }
  for (const char* name : request.names) {
    for (const std::string& pattern : patterns_of(request, name)) {
      for (const std::string& path : matches_of(pattern)) {
        if (open(path)) {
          return;
        }
      }
    }
  }
  if (reason_.empty()) {
    reason_ = std::string(request.names.front()) + " not found";
  }
  reason_ += '\n' + remedy_;
}

// A library that is there and does not open says more than that none was found.
bool VendorLibrary::open(const std::string& path) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) {
    path_ = path;
    reason_.clear();
    return true;
  }
  const char* text = dlerror();
  if (path.find('/') != std::string::npos && reason_.empty() && text != nullptr) {
    reason_ = text;
  }
  return false;
}

void* VendorLibrary::symbol(const char* name) {
  void* symbol = handle_ != nullptr ? dlsym(handle_, name) : nullptr;
  if (handle_ != nullptr && symbol == nullptr) {
    reason_ = path_ + " has no " + name + '\n' + remedy_;
    handle_ = nullptr;  // stays open: others may use it
  }
  return symbol;
}

void* VendorLibrary::symbol_if_there(const char* name) const {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

}  // namespace aaco::gpu
