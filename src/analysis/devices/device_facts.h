// SPDX-License-Identifier: MIT
// What documents of sessions say of the devices that were used, and what kind a document is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json/json_fwd.h"

namespace aaco {

// Of a device that a run used, as its backend describes it (device/device.h).
struct DeviceFacts {
  std::string id;
  std::string name;
  std::string architecture;
  std::string driver;
  std::string runtime;
  std::string gemm_library;
  std::string conv_library;
  int64_t memory_bytes = 0;
  int32_t compute_units = 0;
  int32_t wave_lanes = 0;
  std::optional<std::string> pci;  // none where it is no PCI device
  int32_t lowest_priority = 0;
  int32_t highest_priority = 0;
};

struct CommunicatorFacts {
  int32_t ranks = 0;
  std::string library;
  bool emulated = false;
};

void to_json(Json& json, const DeviceFacts& facts);
void from_json(const Json& json, DeviceFacts& facts);
void to_json(Json& json, const CommunicatorFacts& facts);
void from_json(const Json& json, CommunicatorFacts& facts);

// The kind that a document names; empty where it names none.
std::string document_kind(const Json& json);

}  // namespace aaco
