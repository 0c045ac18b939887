// SPDX-License-Identifier: MIT
// How fast the GPU of a run goes at best: products of matrices by precision, and its memory. Measured by our own
// kernels and the vendor's library of products, never taken from a data sheet.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "record/recording.h"

namespace aaco {

// The backend of devices that an ONNX Runtime backend runs on ("cuda", "hip"); "" where it runs on no GPU that we know.
std::string device_backend(const std::string& backend);

// Some seconds. `options`: of the provider, whose device_id says which device. A precision that the device has no
// product of is among Roofs::unavailable. Errors: kUnavailable without such a device; the device's.
Result<Roofs> measure_device_roofs(const std::string& backend, const std::map<std::string, std::string>& options);

}  // namespace aaco
