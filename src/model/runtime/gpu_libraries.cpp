// SPDX-License-Identifier: MIT
#include "model/runtime/gpu_libraries.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <sstream>
#include <vector>

namespace aaco {

namespace {

namespace fs = std::filesystem;

// In the order in which they need each other.
const std::vector<std::string> kCudaLibraries{"libcudart.so.13",    "libcublasLt.so.13", "libcublas.so.13",
                                              "libcufft.so.12",     "libcurand.so.10",   "libnvrtc.so.13",
                                              "libnvJitLink.so.13", "libcudnn.so.9"};

void add_site_packages(const fs::path& root, std::vector<fs::path>& folders) {
  std::error_code error;
  for (const auto& python : fs::directory_iterator(root, error)) {
    if (!python.path().filename().string().starts_with("python3")) {
      continue;
    }
    for (const char* packages : {"site-packages", "dist-packages"}) {
      std::error_code inner;
      for (const auto& package : fs::directory_iterator(python.path() / packages / "nvidia", inner)) {
        if (fs::is_directory(package.path() / "lib", inner)) {
          folders.push_back(package.path() / "lib");
        }
      }
    }
  }
}

// Folders that may hold a PyTorch install's libraries: of the virtual environment, of the pythons on the PATH, of the
// system.
std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    add_site_packages(fs::path(environment) / "lib", folders);
  }
  if (const char* path = std::getenv("PATH")) {
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, ':');) {
      std::error_code error;
      const fs::path python = fs::path(part) / "python3";
      if (fs::exists(python, error)) {
        add_site_packages(fs::path(part).parent_path() / "lib", folders);
      }
    }
  }
  for (const char* root : {"/usr/local/lib", "/usr/lib"}) {
    add_site_packages(root, folders);
  }
  return folders;
}

}  // namespace

void load_gpu_libraries(const std::string& provider) {
  if (provider != "CUDAExecutionProvider" && provider != "TensorrtExecutionProvider") {
    return;
  }
  std::vector<fs::path> folders;
  for (const std::string& library : kCudaLibraries) {
    if (::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) {
      continue;
    }
    if (folders.empty()) {
      folders = library_folders();
    }
    for (const fs::path& folder : folders) {
      std::error_code error;
      if (fs::exists(folder / library, error) &&
          ::dlopen((folder / library).c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) {
        break;
      }
    }
  }
}

}  // namespace aaco
