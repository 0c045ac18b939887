// SPDX-License-Identifier: MIT
#include "device/gpu/failure.h"

#include <string_view>
#include <utility>

#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

namespace {

thread_local std::string latest_failure;

// As written in the sources: "gpuMalloc(&memory, bytes)" becomes "cudaMalloc".
std::string name_of_call(std::string_view call) {
  call = call.substr(0, call.find('('));
  if (call.starts_with("gpu")) {
    return kBackend + std::string(call.substr(3));
  }
  return std::string(call);
}

std::string place_of(std::string_view file, int line) {
  constexpr std::string_view kRoot = "src/";
  if (const size_t at = file.rfind(kRoot); at != std::string_view::npos) {
    file.remove_prefix(at + kRoot.size());
  }
  return std::string(file) + ':' + std::to_string(line);
}

// What was wrong stays in the first line, with the place; what to do about it in the second.
std::string with_place(std::string text, const char* file, int line) {
  const size_t end = text.find('\n');
  text.insert(end == std::string::npos ? text.size() : end, " at " + place_of(file, line));
  return text;
}

}  // namespace

int32_t fail(AacoStatus status, std::string text, const char* file, int line) {
  latest_failure = with_place(std::move(text), file, line);
  return status;
}

std::string describe(gpuError_t status, const char* call, const char* file, int line) {
  // What a machine without a GPU says is nothing to look for in our sources.
  if (status == gpuErrorNoDevice || status == kDriverTooOld) {
    return std::string(status == gpuErrorNoDevice ? "no GPU is visible"
                                                  : "no driver, or one older than this module needs") +
           " (" + name_of_call(call) + ": " + gpuGetErrorName(status) + ')';
  }
  return with_place(name_of_call(call) + ": " + gpuGetErrorName(status) + " (" + gpuGetErrorString(status) + ')', file,
                    line);
}

AacoStatus status_of(gpuError_t status) {
  if (status == gpuSuccess) {
    return kAacoOk;
  }
  if (status == kOutOfMemory) {
    return kAacoMemory;
  }
  if (status == gpuErrorNotSupported || status == gpuErrorNoDevice || status == kDriverTooOld) {
    return kAacoUnavailable;
  }
  return kAacoDevice;
}

int32_t check(gpuError_t status, const char* call, const char* file, int line) {
  if (status == gpuSuccess) {
    return kAacoOk;
  }
  static_cast<void>(gpuGetLastError());  // else a library that asks for the latest error takes ours for its own
  latest_failure = describe(status, call, file, line);
  return status_of(status);
}

int32_t fail_again(int32_t status, const std::string& text) {
  latest_failure = text;
  return status;
}

int32_t report(const StreamContext& stream) { return fail_again(stream.failure_status, stream.failure); }

const char* failure_text() { return latest_failure.c_str(); }

void StreamContext::keep(gpuError_t status, const char* call, const char* file, int line) {
  if (status == gpuSuccess) {
    return;
  }
  static_cast<void>(gpuGetLastError());
  if (!failed()) {
    failure = describe(status, call, file, line);
    failure_status = status_of(status);
  }
}

void StreamContext::keep_text(int32_t aaco_status, std::string text, const char* file, int line) {
  if (!failed()) {
    failure = with_place(std::move(text), file, line);
    failure_status = aaco_status;
  }
}

}  // namespace aaco::gpu
