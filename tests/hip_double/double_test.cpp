// SPDX-License-Identifier: MIT
// The double itself: that it keeps what HIP's documents promise, and fails where HIP would.
#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <string>
#include <vector>

#include "trial_kernels.h"

// NOLINTBEGIN(bugprone-reserved-identifier): the names that compilers call
extern "C" {
void** __hipRegisterFatBinary(const void* data);
void __hipRegisterFunction(void** module, const void* function, char* name, const char* device_name, unsigned int,
                           void*, void*, void*, void*, int*);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace aaco {
namespace {

// As the compiler's host code would: a fat binary that holds code for one architecture, and kernels by name.
struct FatBinary {
  uint32_t magic = 0x48495046;
  uint32_t version = 1;
  const char* bundle = nullptr;
  const void* unused = nullptr;
};

std::string bundle_of(const std::string& target) {
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
  for (const uint64_t number : {uint64_t{1}, uint64_t{4096}, uint64_t{0}, uint64_t{target.size()}}) {
    bundle.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return bundle + target;
}

class Code {
 public:
  explicit Code(const std::string& architecture) : bundle_(bundle_of("hipv4-amdgcn-amd-amdhsa--" + architecture)) {
    binary_.bundle = bundle_.data();
    module_ = __hipRegisterFatBinary(&binary_);
  }
  const void* kernel(std::string name) {
    names_.push_back(std::make_unique<std::string>(std::move(name)));
    const void* function = names_.back().get();
    __hipRegisterFunction(module_, function, names_.back()->data(), names_.back()->c_str(), 0, nullptr, nullptr,
                          nullptr, nullptr, nullptr);
    return function;
  }

 private:
  std::string bundle_;
  FatBinary binary_;
  void** module_ = nullptr;
  std::vector<std::unique_ptr<std::string>> names_;
};

std::string trial(const std::string& function) { return "_ZN4aaco3gpu12_GLOBAL__N_1" + function + "ENS_9TrialArgsE"; }

class HipDouble : public ::testing::Test {
 protected:
  HipDouble() : code_((setenv("AACO_HIP_DOUBLE_KERNELS", TRIAL_FOLDER, 1), "gfx942")) {
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    EXPECT_EQ(hipStreamCreateWithPriority(&stream_, hipStreamNonBlocking, 0), hipSuccess);
    EXPECT_EQ(hipStreamCreateWithPriority(&other_, hipStreamNonBlocking, 0), hipSuccess);
  }
  ~HipDouble() override {
    EXPECT_EQ(hipStreamDestroy(stream_), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(other_), hipSuccess);
  }

  static hipError_t launch(const void* kernel, hipStream_t stream, TrialArgs args, uint32_t block = 64) {
    void* pointers[] = {&args};
    return hipLaunchKernel(kernel, dim3(1), dim3(block), pointers, 0, stream);
  }
  hipError_t wait_20_ms(hipStream_t stream) {
    TrialArgs args;
    args.n = 20'000'000;
    return launch(code_.kernel(trial("13wait_for_time")), stream, args);
  }
  // out[0] becomes the sum of `in`.
  hipError_t sum_64(hipStream_t stream, const float* in, float* out) {
    TrialArgs args;
    args.in = in;
    args.out = out;
    return launch(code_.kernel(trial("14wave_reduction")), stream, args);
  }
  static hipEvent_t event(unsigned flags = 0) {
    hipEvent_t made = nullptr;
    EXPECT_EQ(hipEventCreateWithFlags(&made, flags), hipSuccess);
    return made;
  }
  static float* floats(size_t n) {
    void* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, n * sizeof(float)), hipSuccess);
    return static_cast<float*>(memory);
  }

  Code code_;
  hipStream_t stream_ = nullptr;
  hipStream_t other_ = nullptr;
};

TEST_F(HipDouble, LaunchesByName) {
  float* memory = floats(65);
  std::fill(memory, memory + 64, 2.0F);
  ASSERT_EQ(sum_64(stream_, memory, memory + 64), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream_), hipSuccess);
  EXPECT_EQ(memory[64], 128);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST_F(HipDouble, AKernelThatIsNotThereFails) {
  const int nothing = 0;
  EXPECT_EQ(launch(&nothing, stream_, {}), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  EXPECT_EQ(launch(code_.kernel("_ZN4aaco3gpu7missingENS_9TrialArgsE"), stream_, {}), hipErrorNotFound);
  Code other("gfx90a");
  EXPECT_EQ(launch(other.kernel(trial("14wave_reduction")), stream_, {}), hipErrorNoBinaryForGpu);
  EXPECT_EQ(launch(code_.kernel(trial("14wave_reduction")), stream_, {}, 1025), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(code_.kernel(trial("14wave_reduction")), nullptr, {}), hipErrorInvalidHandle);
}

TEST_F(HipDouble, CopiesWithinAllocationsOnly) {
  float* memory = floats(16);
  void* pinned = nullptr;
  ASSERT_EQ(hipHostMalloc(&pinned, 64, 0), hipSuccess);
  EXPECT_EQ(hipMemsetAsync(pinned, 0x40, 64, stream_), hipSuccess);
  EXPECT_EQ(hipMemcpyAsync(memory, pinned, 64, hipMemcpyDefault, stream_), hipSuccess);
  EXPECT_EQ(hipMemcpyAsync(memory, pinned, 65, hipMemcpyDefault, stream_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAsync(memory + 1, pinned, 64, hipMemcpyDefault, stream_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAsync(memory, static_cast<char*>(pinned) + 1, 64, hipMemcpyDefault, stream_),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAsync(pinned, memory, 64, hipMemcpyHostToDevice, stream_), hipErrorInvalidValue);
  EXPECT_EQ(hipMemsetAsync(memory + 15, 0, 5, stream_), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamSynchronize(stream_), hipSuccess);
  EXPECT_EQ(memory[15], 0x1.8080'80p1F);  // bytes 0x40404040
  EXPECT_EQ(hipFree(pinned), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(memory), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipErrorInvalidValue);
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
}

TEST_F(HipDouble, MemoryEnds) {
  size_t before = 0;
  size_t total = 0;
  ASSERT_EQ(hipMemGetInfo(&before, &total), hipSuccess);
  EXPECT_EQ(total, size_t{1} << 30);
  float* memory = floats(1000);
  size_t after = 0;
  ASSERT_EQ(hipMemGetInfo(&after, &total), hipSuccess);
  EXPECT_EQ(before - after, 4000);
  void* more = memory;
  EXPECT_EQ(hipMalloc(&more, after + 1), hipErrorOutOfMemory);
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST_F(HipDouble, StreamsAreOrderedAndConcurrent) {
  float* memory = floats(2);
  hipEvent_t start = event();
  hipEvent_t middle = event();
  hipEvent_t end = event();
  ASSERT_EQ(hipEventRecord(start, stream_), hipSuccess);
  ASSERT_EQ(wait_20_ms(stream_), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 0, 4, stream_), hipSuccess);
  ASSERT_EQ(hipEventRecord(middle, stream_), hipSuccess);
  EXPECT_EQ(hipEventQuery(middle), hipErrorNotReady) << "enqueueing does not wait";
  float ms = 0;
  EXPECT_EQ(hipEventElapsedTime(&ms, start, middle), hipErrorNotReady);
  ASSERT_EQ(hipStreamWaitEvent(other_, middle, 0), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(memory + 1, memory, 4, hipMemcpyDefault, other_), hipSuccess);
  ASSERT_EQ(hipEventRecord(end, other_), hipSuccess);
  ASSERT_EQ(hipEventSynchronize(end), hipSuccess);
  EXPECT_EQ(memory[1], 0) << "the copy came after what the event marks";
  ASSERT_EQ(hipEventElapsedTime(&ms, start, middle), hipSuccess);
  EXPECT_GE(ms, 20);
  hipEvent_t untimed = event(hipEventDisableTiming);
  ASSERT_EQ(hipEventRecord(untimed, stream_), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&ms, start, untimed), hipErrorInvalidHandle);
  for (hipEvent_t each : {start, middle, end, untimed}) {
    EXPECT_EQ(hipEventDestroy(each), hipSuccess);
  }
  EXPECT_EQ(hipEventDestroy(start), hipErrorInvalidHandle);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

// memory[0..63] is set on one stream and summed on another.
TEST_F(HipDouble, GraphsKeepTheirOrder) {
  float* memory = floats(65);
  hipEvent_t fork = event(hipEventDisableTiming);
  hipEvent_t join = event(hipEventDisableTiming);
  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeThreadLocal), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 0, 256, stream_), hipSuccess);
  ASSERT_EQ(hipEventRecord(fork, stream_), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(other_, fork, 0), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 0x3f, 128, other_), hipSuccess);
  ASSERT_EQ(hipEventRecord(join, other_), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(stream_, join, 0), hipSuccess);
  ASSERT_EQ(sum_64(stream_, memory, memory + 64), hipSuccess);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream_, &graph), hipSuccess);
  EXPECT_NE(memory[64], memory[64]) << "nothing has run: NaN, as allocated";
  size_t count = 0;
  ASSERT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
  EXPECT_EQ(count, 3);
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipGraphInstantiateWithFlags(&exec, graph, 0), hipSuccess);
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  for (int i = 0; i < 2; ++i) {
    memory[64] = -1;
    ASSERT_EQ(hipGraphLaunch(exec, stream_), hipSuccess);
    ASSERT_EQ(hipStreamSynchronize(stream_), hipSuccess);
    EXPECT_FLOAT_EQ(memory[64], 32 * 0x1.7e7e7ep-1F);  // bytes 0x3f3f3f3f, 32 of them
  }
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipEventDestroy(fork), hipSuccess);
  EXPECT_EQ(hipEventDestroy(join), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST_F(HipDouble, CapturesFailWhereTheyMust) {
  float* memory = floats(1);
  hipEvent_t fork = event(hipEventDisableTiming);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeThreadLocal), hipSuccess);
  ASSERT_EQ(hipEventRecord(fork, stream_), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(other_, fork, 0), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 0, 4, other_), hipSuccess);
  EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);

  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeThreadLocal), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream_), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipErrorStreamCaptureInvalidated);

  ASSERT_EQ(hipStreamBeginCapture(stream_, hipStreamCaptureModeThreadLocal), hipSuccess);
  void* more = nullptr;
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  EXPECT_EQ(hipMalloc(&more, 4), hipSuccess);
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  EXPECT_EQ(hipFree(more), hipSuccess);
  EXPECT_EQ(hipMalloc(&more, 4), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipErrorIllegalState);
  EXPECT_EQ(hipEventDestroy(fork), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST_F(HipDouble, PeersAreEnabledOnce) {
  int can = 0;
  EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(2), hipErrorInvalidDevice);
}

// Device 1, which no other test uses.
TEST_F(HipDouble, AWrongKernelTakesItsDeviceDown) {
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, 0), hipSuccess);
  EXPECT_EQ(launch(code_.kernel(trial("19barrier_within_wave")), stream_, {}), hipErrorInvalidHandle)
      << "a stream of device 0";
  ASSERT_EQ(launch(code_.kernel(trial("19barrier_within_wave")), stream, {}), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorLaunchFailure);
  EXPECT_EQ(launch(code_.kernel(trial("14wave_reduction")), stream, {}), hipErrorLaunchFailure);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

}  // namespace
}  // namespace aaco
