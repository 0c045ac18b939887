// SPDX-License-Identifier: MIT
// A library that CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH named before aaco did: it says what it was called for.
#include <cstdio>
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#define CHAINED_EXPORT extern "C" __attribute__((visibility("default")))

CHAINED_EXPORT int InitializeInjection() {
  std::puts("chained");
  return 1;
}

namespace {

int NVTX_API push(const char* name) {
  std::printf("push %s\n", name);
  return 41;
}

}  // namespace

CHAINED_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) != 1) {
    return 0;
  }
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  return 1;
}
