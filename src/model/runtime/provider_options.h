// SPDX-License-Identifier: MIT
// Backends by the names people use, and their options by the names ONNX Runtime uses.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/recording.h"

namespace aaco {

struct ProviderInfo {
  const char* backend;      // "migraphx"
  const char* provider;     // "MIGraphXExecutionProvider"
  const char* append_name;  // what the generic append call takes; "" for the CPU provider
  DeviceKind device_kind;
  const char* needs;                           // what to install, for the hint
  std::map<std::string, std::string> aliases;  // option as users write it -> as the provider calls it
  std::vector<std::string> options;            // the provider's own names; empty: the provider alone knows them
};

// By backend ("cpu") or by provider ("CPUExecutionProvider"); null when neither.
const ProviderInfo* find_provider(std::string_view name);
const std::vector<ProviderInfo>& all_providers();

// A backend's options, sorted by who takes them.
struct SortedOptions {
  std::optional<int> intra_op_threads;
  std::optional<int> inter_op_threads;
  std::map<std::string, std::string> session_entries;   // ONNX Runtime session configuration, keys with a dot
  std::map<std::string, std::string> provider_options;  // by the provider's own names
};

// Errors: kUsage for an option that nothing takes, naming those that the provider has.
Result<SortedOptions> sort_options(const ProviderInfo& provider, const std::map<std::string, std::string>& options);

}  // namespace aaco
