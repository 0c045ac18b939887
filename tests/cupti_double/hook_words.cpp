// SPDX-License-Identifier: MIT
#include "hook_words.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {

template <class Function>
Function* function_of(const char* name) {
  static void* const library = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  void* const function = library != nullptr ? dlsym(library, name) : nullptr;
  if (function == nullptr) {
    std::abort();
  }
  return reinterpret_cast<Function*>(function);
}

}  // namespace

bool do_hook_word(std::string_view verb, const std::string& name) {
  if (verb == "framework") {  // a library of that path, which looks like PyTorch's
    if (dlopen(name.c_str(), RTLD_NOW) == nullptr) {
      std::abort();
    }
  } else if (verb == "capture") {
    const int is_watched = function_of<int(int)>("aaco_observe_capture_begins")(name == "compiled" ? 1 : 0);
    std::puts(is_watched == 1 ? "watched" : "not watched");
  } else if (verb == "captured") {
    function_of<void()>("aaco_observe_capture_ends")();
  } else if (verb == "module") {
    function_of<void(int, const char*)>("aaco_observe_push")(0, name.c_str());
  } else if (verb == "operator") {
    function_of<void(int, const char*)>("aaco_observe_push")(1, name.c_str());
  } else if (verb == "module_ends") {
    function_of<void(int)>("aaco_observe_pop")(0);
  } else if (verb == "operator_ends") {
    function_of<void(int)>("aaco_observe_pop")(1);
  } else if (verb == "profiler") {
    function_of<void(int)>("aaco_observe_profiler")(name == "runs" ? 1 : 0);
  } else {
    return false;
  }
  return true;
}
