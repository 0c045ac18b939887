// SPDX-License-Identifier: MIT
#include "model/runtime/gpu_libraries.h"

#include <dlfcn.h>
#include <filesystem>
#include <vector>

#include "base/files/installation.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

// In the order in which they need each other.
const std::vector<std::string> kCudaLibraries{"libcudart.so.13",    "libcublasLt.so.13", "libcublas.so.13",
                                              "libcufft.so.12",     "libcurand.so.10",   "libnvrtc.so.13",
                                              "libnvJitLink.so.13", "libcudnn.so.9"};

void add_nvidia_folders(const fs::path& packages, std::vector<fs::path>& folders) {
  std::error_code error;
  for (const auto& package : fs::directory_iterator(packages / "nvidia", error)) {
    std::error_code inner;
    if (fs::is_directory(package.path() / "lib", inner)) {
      folders.push_back(package.path() / "lib");
    }
  }
}

// The nearest Python's first.
std::vector<fs::path> nvidia_folders() {
  std::vector<fs::path> folders;
  for (const fs::path& packages : own_python_packages()) {
    add_nvidia_folders(packages, folders);
  }
  for (const fs::path& packages : other_python_packages()) {
    add_nvidia_folders(packages, folders);
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
      folders = nvidia_folders();
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
