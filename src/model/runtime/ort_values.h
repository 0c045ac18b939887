// SPDX-License-Identifier: MIT
// Tensors and port descriptions between our types and ONNX Runtime's. Private to model/runtime.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/runtime/inference_session.h"
#include "model/runtime/ort_handles.h"
#include "model/tensor.h"

namespace aaco {

class OrtLibrary;

enum class PortKind { kInput, kOutput };

Result<std::vector<PortInfo>> read_ports(const OrtLibrary& library, OrtSession* session, PortKind kind);

// Refers to the tensor's memory, which must outlive the value; strings are copied.
Result<OrtHandle<OrtValue>> make_value(const OrtLibrary& library, const OrtMemoryInfo& memory,
                                       const HostTensor& tensor);

// Where a tensor in host memory lies.
Result<OutputView> view_value(const OrtLibrary& library, const OrtValue& value);

// Copies a tensor in host memory.
Result<HostTensor> read_value(const OrtLibrary& library, const OrtValue& value);

// The outputs of the last run, in the session's order.
Result<std::vector<OrtHandle<OrtValue>>> bound_output_values(const OrtLibrary& library, const OrtIoBinding& binding);

}  // namespace aaco
