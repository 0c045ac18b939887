// SPDX-License-Identifier: MIT
// Stands in for ROCm's library of markers. Writes a line for each push and pop into the file that RANGE_DOUBLE_LOG
// names.
#include "range_log.h"

extern "C" __attribute__((visibility("default"))) int roctxRangePushA(const char* range) {
  return range_double::push("ROCTX", range);
}
extern "C" __attribute__((visibility("default"))) int roctxRangePop() { return range_double::pop("ROCTX"); }
