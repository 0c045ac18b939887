// SPDX-License-Identifier: MIT
// Stands in for the library that a tool injects: NVTX's headers open it, as NVTX_INJECTION64_PATH names it, and hand it
// their table of functions. Writes a line for each push and pop into the file that RANGE_DOUBLE_LOG names.
#include <cstdint>
#include <nvtx3/nvToolsExt.h>

#include "range_log.h"

namespace {

int push(const char* range) { return range_double::push("NVTX", range); }
int pop() { return range_double::pop("NVTX"); }

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned count = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &count) == 0) {
    return 0;
  }
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
