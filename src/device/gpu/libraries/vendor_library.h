// SPDX-License-Identifier: MIT
// The vendor's libraries, opened at run time: the machine may have none, or have them in a Python installation only.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace aaco::gpu {

struct LibraryRequest {
  std::vector<const char*> names;    // in the order of preference: "libcublasLt.so.13"
  std::vector<const char*> folders;  // below $CUDA_HOME or $ROCM_PATH: "lib64"
  const char* home = "";             // the name of that variable
  const char* python_folder = "";    // below site-packages, may hold a *: "nvidia/*/lib"; empty: not from Python
  const char* remedy = "";           // "install CUDA 13, or pip install nvidia-cublas"
};

// Tried in this order: the loader's path, folders of `home`, $AACO_NVIDIA_LIBRARIES (folders of libraries or of Python
// packages, separated by colons), $AACO_PYTHON_PACKAGES (those of the Python that started aaco), packages of the
// Pythons on PATH. It stays open until the process ends.
class VendorLibrary {
 public:
  explicit VendorLibrary(const LibraryRequest& request);
  explicit operator bool() const { return handle_ != nullptr; }
  // "libcublasLt.so.13 not found: tried ...\ninstall ..."; empty where it is open.
  const std::string& reason() const { return reason_; }
  // Its first line: what, without the remedy.
  std::string what_is_wrong() const { return reason_.substr(0, reason_.find('\n')); }
  const std::string& path() const { return path_; }
  // Sets `function`. A missing one makes the whole library unusable, with a reason.
  template <class F>
  void find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(symbol(name));
  }
  // The same for what older versions do not have: null then.
  template <class F>
  void find_if_there(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(symbol_if_there(name));
  }

 private:
  bool open(const std::string& path);
  void* symbol(const char* name);
  void* symbol_if_there(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
  std::string reason_;
  std::string remedy_;
};

}  // namespace aaco::gpu
