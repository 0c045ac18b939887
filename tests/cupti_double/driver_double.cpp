// SPDX-License-Identifier: MIT
// Stands in for libcuda.so.1: as the driver does when it is initialised, it opens the library that
// CUDA_INJECTION64_PATH names and calls its InitializeInjection.
#include <cstdlib>
#include <cupti.h>
#include <dlfcn.h>

#include "cupti_double.h"

#define DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))

DOUBLE_EXPORT CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = 13000;
  cupti_double_driver_call(CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion);
  return CUDA_SUCCESS;
}

// Fails where the library that is to be injected could not be, which the driver itself keeps to itself.
DOUBLE_EXPORT CUresult CUDAAPI cuInit(unsigned) {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) {
    return CUDA_SUCCESS;
  }
  void* library = dlopen(path, RTLD_NOW);
  auto* initialize = library != nullptr ? reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")) : nullptr;
  return initialize != nullptr && initialize() == 1 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
