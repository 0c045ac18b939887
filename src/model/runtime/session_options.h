// SPDX-License-Identifier: MIT
// ONNX Runtime session options for a request: threads, configuration, profile, provider. Private to model/runtime.
#pragma once

#include "base/result.h"
#include "model/runtime/inference_session.h"
#include "model/runtime/ort_handles.h"

namespace aaco {

class OrtLibrary;

// Errors: kUnavailable when the library lacks the provider or its own library cannot be opened (naming what failed, the
// providers that are there and what to install); kUsage when the provider refuses an option.
Result<OrtHandle<OrtSessionOptions>> make_session_options(const OrtLibrary& library, const SessionRequest& request);

// "" when the provider starts with this library, else why not.
std::string provider_problem(const OrtLibrary& library, const std::string& provider);

// The allocator name of the backend's memory ("Cuda"), or null for host providers.
const char* device_memory_name(const std::string& backend);
int device_id_of(const SessionRequest& request);

}  // namespace aaco
