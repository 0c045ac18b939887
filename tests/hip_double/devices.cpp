// SPDX-License-Identifier: MIT
// Devices, peers, versions, and the names of failures.
#include <cstdio>

#include "queue.h"

namespace aaco::hip_double {
namespace {

constexpr int kVersion = 60'000'000;  // 6.0.0

bool is_device(int index) { return index >= 0 && static_cast<size_t>(index) < machine().devices.size(); }

struct ErrorText {
  hipError_t code;
  const char* name;
  const char* text;
};

#define HIP_ERROR(name, text) {name, #name, text},
// As HIP says them.
constexpr ErrorText kErrors[] = {
    HIP_ERROR(hipSuccess, "no error") HIP_ERROR(hipErrorInvalidValue, "invalid argument") HIP_ERROR(
        hipErrorOutOfMemory, "out of memory") HIP_ERROR(hipErrorNotInitialized, "initialization error")
        HIP_ERROR(hipErrorDeinitialized, "driver shutting down") HIP_ERROR(
            hipErrorInvalidConfiguration,
            "invalid configuration argument") HIP_ERROR(hipErrorInvalidMemcpyDirection,
                                                        "invalid copy direction for memcpy")
            HIP_ERROR(hipErrorInsufficientDriver, "driver version is insufficient for runtime version") HIP_ERROR(
                hipErrorInvalidDeviceFunction,
                "invalid device function") HIP_ERROR(hipErrorNoDevice, "no ROCm-capable device is detected")
                HIP_ERROR(hipErrorInvalidDevice, "invalid device ordinal") HIP_ERROR(
                    hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device")
                    HIP_ERROR(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered") HIP_ERROR(
                        hipErrorPeerAccessUnsupported, "peer access is not supported between these two devices")
                        HIP_ERROR(hipErrorInvalidHandle, "invalid resource handle") HIP_ERROR(
                            hipErrorIllegalState, "the operation cannot be performed in the present state")
                            HIP_ERROR(hipErrorNotFound, "named symbol not found") HIP_ERROR(hipErrorNotReady,
                                                                                            "device not ready")
                                HIP_ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered") HIP_ERROR(
                                    hipErrorLaunchOutOfResources, "too many resources requested for launch")
                                    HIP_ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated")
                                        HIP_ERROR(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled")
                                            HIP_ERROR(hipErrorContextIsDestroyed, "context is destroyed") HIP_ERROR(
                                                hipErrorLaunchFailure, "unspecified launch failure")
                                                HIP_ERROR(hipErrorNotSupported, "operation not supported") HIP_ERROR(
                                                    hipErrorStreamCaptureUnsupported,
                                                    "operation not permitted when stream is capturing")
                                                    HIP_ERROR(hipErrorStreamCaptureInvalidated,
                                                              "operation failed due to a previous error during capture")
                                                        HIP_ERROR(hipErrorStreamCaptureMerge,
                                                                  "operation would result in a merge of separate "
                                                                  "capture sequences")
                                                            HIP_ERROR(
                                                                hipErrorStreamCaptureUnmatched,
                                                                "capture was not ended in the same stream as it began")
                                                                HIP_ERROR(hipErrorStreamCaptureUnjoined,
                                                                          "capturing stream has unjoined work")
                                                                    HIP_ERROR(hipErrorStreamCaptureIsolation,
                                                                              "dependency created on uncaptured work "
                                                                              "in another stream")
                                                                        HIP_ERROR(hipErrorCapturedEvent,
                                                                                  "operation not permitted on an event "
                                                                                  "last recorded in a capturing stream")
                                                                            HIP_ERROR(hipErrorUnknown,
                                                                                      "unknown error")};
#undef HIP_ERROR

const ErrorText& text_of(hipError_t code) {
  for (const ErrorText& error : kErrors) {
    if (error.code == code) {
      return error;
    }
  }
  return kErrors[std::size(kErrors) - 1];
}

}  // namespace
}  // namespace aaco::hip_double

using namespace aaco::hip_double;

extern "C" {

hipError_t hipGetDeviceCount(int* count) {
  HIP_DOUBLE_CALL();
  *count = static_cast<int>(machine().devices.size());
  return returns(*count > 0 ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipSetDevice(int device) {
  HIP_DOUBLE_CALL();
  if (!is_device(device)) {
    return returns(hipErrorInvalidDevice);
  }
  current_device() = device;
  return hipSuccess;
}

hipError_t hipGetDevice(int* device) {
  HIP_DOUBLE_CALL();
  *device = current_device();
  return hipSuccess;
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  HIP_DOUBLE_CALL();
  if (!is_device(device)) {
    return returns(hipErrorInvalidDevice);
  }
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "test double %d", device);
  // With features behind it, as the real one has them.
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "%s:sramecc+:xnack-",
                machine().architecture.c_str());
  properties->totalGlobalMem = machine().memory_bytes;
  properties->sharedMemPerBlock = machine().limits.shared_bytes;
  properties->warpSize = machine().limits.wave_lanes;
  properties->maxThreadsPerBlock = 1024;
  properties->multiProcessorCount = machine().limits.compute_units;
  properties->pciBusID = 0x40 + device;
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  HIP_DOUBLE_CALL();
  if (!is_device(device)) {
    return returns(hipErrorInvalidDevice);
  }
  switch (static_cast<int>(attribute)) {
    case hipDeviceAttributeWallClockRate:
      *value = machine().limits.clock_khz;
      return hipSuccess;
    case hipDeviceAttributeMultiprocessorCount:
      *value = machine().limits.compute_units;
      return hipSuccess;
    case hipDeviceAttributeWarpSize:
      *value = machine().limits.wave_lanes;
      return hipSuccess;
    default:
      say("an attribute that the double does not know: " + std::to_string(attribute));
      return returns(hipErrorInvalidValue);
  }
}

hipError_t hipDriverGetVersion(int* version) {
  HIP_DOUBLE_CALL();
  *version = kVersion;
  return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int* version) {
  HIP_DOUBLE_CALL();
  *version = kVersion;
  return hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  HIP_DOUBLE_CALL();
  if (!is_device(device) || !is_device(peer)) {
    return returns(hipErrorInvalidDevice);
  }
  *can = device != peer ? 1 : 0;
  return hipSuccess;
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int /*flags*/) {
  HIP_DOUBLE_CALL();
  if (!is_device(peer) || peer == current_device()) {
    return returns(hipErrorInvalidDevice);
  }
  const uint64_t bit = uint64_t{1} << peer;
  const uint64_t before = machine().devices[static_cast<size_t>(current_device())].peers.fetch_or(bit);
  return returns((before & bit) != 0 ? hipErrorPeerAccessAlreadyEnabled : hipSuccess);
}

hipError_t hipGetLastError() {
  const hipError_t status = last_error();
  last_error() = hipSuccess;
  return status;
}

hipError_t hipPeekAtLastError() { return last_error(); }
const char* hipGetErrorName(hipError_t code) { return text_of(code).name; }
const char* hipGetErrorString(hipError_t code) { return text_of(code).text; }

}  // extern "C"
