// SPDX-License-Identifier: MIT
// The functions of CUPTI that we call, opened at run time; its records are as in the toolkit's headers. CUDA's runtime
// is not among them: this folder serves foreign programs too.
#pragma once

#include <cupti.h>
#include <string>

#include "device/gpu/libraries/vendor_library.h"

namespace aaco::gpu {

// The path of a libcupti that is in `maps`, lines as of /proc/self/maps; empty where there is none. A second one beside
// it would take records from it.
std::string mapped_cupti(const std::string& maps);

struct CuptiApi {
  std::string mapped;  // the one that the process had already; empty: none
  VendorLibrary library;
  uint32_t version = 0;  // 130001: CUDA 13.0, update 1; of CUDA 12 numbers below 100
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiGetGraphNodeId) graph_node_id = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityRegisterTimestampCallback) register_timestamp = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) enable_runtime = nullptr;
  decltype(&cuptiActivityEnableDriverApi) enable_driver = nullptr;
  decltype(&cuptiActivitySetAttribute) set_attribute = nullptr;
  decltype(&cuptiSetThreadIdType) set_thread_id_type = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiGetStreamIdEx) stream_id = nullptr;
  decltype(&cuptiGetResultString) result_string = nullptr;

  CuptiApi();
};

// Opened on first use.
CuptiApi& cupti();

}  // namespace aaco::gpu
