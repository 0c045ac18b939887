// SPDX-License-Identifier: MIT
// The HIP module as aaco opens it, on the double: its host code, its kernels by name, and what it says when HIP fails.
// Each case is a process of its own, since the double reads its environment once.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "device/check/check_op.h"
#include "device/module_backend.h"
#include "device/op_work.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Environment = std::map<std::string, std::string>;

// What `body` returns in a child that has this environment too; what it died of otherwise.
std::string in_child(const Environment& environment, const std::function<std::string()>& body) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) {
    return "no pipe";
  }
  const pid_t child = fork();
  if (child == 0) {
    setenv("AACO_MODULES", MODULE_FOLDER, 1);
    setenv("AACO_HIP_DOUBLE_KERNELS", KERNEL_FOLDER, 1);
    for (const auto& [name, value] : environment) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    const std::string said = body();
    const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char part[4096];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof(part))) > 0;) {
    said.append(part, static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? said : "the child ended with status " + std::to_string(status) + ": " + said;
}

std::string text_of(const Error& error) { return std::to_string(error.exit_code()) + " " + error.message; }

// Empty, or the exit code and message of its error.
std::string in_child_with_device(const Environment& environment, const std::function<Result<void>(Device&)>& body) {
  return in_child(environment, [&]() -> std::string {
    static ModuleBackend backend(hip_vendor());
    const auto device = backend.open(0);
    if (!device) {
      return text_of(device.error());
    }
    const auto done = body(**device);
    return done ? "" : text_of(done.error());
  });
}

Error wrong(const std::string& what) { return {ErrorKind::kBug, what, ""}; }

TEST(HipModule, DescribesItsDevices) {
  for (const auto& [architecture, lanes] : std::map<std::string, int>{{"gfx942", 64}, {"gfx1100", 32}}) {
    EXPECT_EQ(in_child({{"AACO_HIP_DOUBLE_ARCH", architecture}},
                       []() -> std::string {
                         ModuleBackend backend(hip_vendor());
                         const auto count = backend.device_count();
                         const auto device = backend.open(1);
                         if (!count || !device) {
                           return text_of(!count ? count.error() : device.error());
                         }
                         const DeviceProperties& is = (*device)->properties();
                         return std::to_string(*count) + " " + is.id + " " + is.name + " " + is.architecture + " " +
                                std::to_string(is.wave_lanes) + " " + is.runtime + " " + is.gemm_library + " " +
                                std::to_string(is.memory_bytes) + " " + std::to_string(is.highest_priority) + ".." +
                                std::to_string(is.lowest_priority);
                       }),
              "2 hip:1 test double 1 " + architecture + " " + std::to_string(lanes) +
                  " HIP 6.0.0 rocBLAS test double 1073741824 -1..1");
  }
}

#define AACO_OP(Name, text) OpId::k##Name,
constexpr OpId kOperations[] = {AACO_OPS(AACO_OP)};
#undef AACO_OP

class HipOperation : public ::testing::TestWithParam<std::tuple<OpId, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Module, HipOperation,
                         ::testing::Combine(::testing::ValuesIn(kOperations), ::testing::Values("gfx942", "gfx1100")),
                         [](const auto& instance) {
                           return std::string(name_of(std::get<0>(instance.param))) + "_" + std::get<1>(instance.param);
                         });

TEST_P(HipOperation, AgreesWithTheCpu) {
  const auto [op, architecture] = GetParam();
  const auto all = all_op_cases();
  if (std::none_of(all.begin(), all.end(), [op = op](const OpCase& each) { return each.op == op; })) {
    GTEST_SKIP() << name_of(op) << " has no cases";
  }
  EXPECT_EQ(in_child_with_device({{"AACO_HIP_DOUBLE_ARCH", architecture}},
                                 [&, op = op](Device& device) -> Result<void> {
                                   uint64_t seed = 1000;
                                   for (const OpCase& op_case : all) {
                                     if (op_case.op != op) {
                                       continue;
                                     }
                                     AACO_ASSIGN(const CaseResult result, check_case(device, op_case, ++seed));
                                     if (!result.passed()) {
                                       return wrong(op_case.name + ": " + result.failure);
                                     }
                                   }
                                   return {};
                                 }),
            "");
}

struct TwoStreams {
  std::unique_ptr<Buffer> memory;
  std::unique_ptr<Stream> first;
  std::unique_ptr<Stream> second;
  std::unique_ptr<Event> fork;
  std::unique_ptr<Event> join;

  static Result<TwoStreams> make(Device& device, bool timing) {
    TwoStreams made;
    AACO_ASSIGN(made.memory, device.allocate(4096, MemoryKind::kDevice));
    AACO_ASSIGN(made.first, device.make_stream(0));
    AACO_ASSIGN(made.second, device.make_stream(device.properties().highest_priority));
    AACO_ASSIGN(made.fork, device.make_event(timing));
    AACO_ASSIGN(made.join, device.make_event(timing));
    return made;
  }

  float* floats() const { return static_cast<float*>(memory->data()); }
  FillArgs fill(int64_t n, double value) const { return {.out = memory->data(), .n = n, .value = value}; }
  // 1024 ones on the first stream, of which the second doubles as many as fit before the first adds 1.
  void enqueue() const {
    first->launch(fill(1024, 1));
    first->record(*fork);
    second->wait(*fork);
    second->launch(SpinArgs{.duration_ns = 5'000'000});
    second->launch(UnaryArgs{.in = floats(), .out = floats(), .n = 512, .op = UnaryOp::kScaleShift, .a = 2, .b = 0});
    second->record(*join);
    first->wait(*join);
    first->launch(UnaryArgs{.in = floats(), .out = floats(), .n = 1024, .op = UnaryOp::kScaleShift, .a = 1, .b = 1});
  }
  // 2 * 1 + 1, and 1 + 1. The double's device memory is the host's.
  Result<void> check() const {
    for (int i = 0; i < 1024; ++i) {
      if (floats()[i] != (i < 512 ? 3.0F : 2.0F)) {
        return wrong("element " + std::to_string(i) + " is " + std::to_string(floats()[i]));
      }
    }
    return {};
  }
};

TEST(HipModule, StreamsAndEventsKeepTheirOrder) {
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   AACO_ASSIGN(const TwoStreams two, TwoStreams::make(device, true));
                                   two.enqueue();
                                   AACO_TRY(two.first->synchronize());
                                   AACO_TRY(two.check());
                                   AACO_ASSIGN(const double ns, device.elapsed_ns(*two.fork, *two.join));
                                   return ns >= 5e6 ? Result<void>{} : wrong("elapsed " + std::to_string(ns));
                                 }),
            "");
}

TEST(HipModule, GraphsHoldWhatWasCaptured) {
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   AACO_ASSIGN(const TwoStreams two, TwoStreams::make(device, false));
                                   two.first->begin_capture();
                                   two.enqueue();
                                   AACO_ASSIGN(const auto graph, two.first->end_capture());
                                   if (graph->kernels() != 4 || two.floats()[0] == two.floats()[0]) {
                                     return wrong("kernels: " + std::to_string(graph->kernels()));
                                   }
                                   for (int i = 0; i < 3; ++i) {
                                     two.first->launch(two.fill(1024, -1));
                                     two.first->launch(*graph);
                                     AACO_TRY(two.first->synchronize());
                                     AACO_TRY(two.check());
                                   }
                                   return {};
                                 }),
            "");
}

TEST(HipModule, ACaptureThatIsNotJoinedIsRefused) {
  EXPECT_THAT(in_child_with_device({},
                                   [](Device& device) -> Result<void> {
                                     AACO_ASSIGN(const TwoStreams two, TwoStreams::make(device, false));
                                     two.first->begin_capture();
                                     two.first->record(*two.fork);
                                     two.second->wait(*two.fork);
                                     two.second->launch(two.fill(1, 1));
                                     AACO_TRY(two.first->end_capture());
                                     return {};
                                   }),
              StartsWith("6 hipStreamEndCapture: hipErrorStreamCaptureUnjoined (capturing stream has unjoined work)"));
}

TEST(HipModule, CopiesBetweenDevices) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       ModuleBackend backend(hip_vendor());
                       const auto copy = [&]() -> Result<void> {
                         AACO_ASSIGN(Device * near, backend.open(0));
                         AACO_ASSIGN(Device * far, backend.open(1));
                         AACO_TRY(near->enable_peer(*far));
                         AACO_TRY(near->enable_peer(*far));
                         AACO_ASSIGN(const auto from, far->allocate(256, MemoryKind::kDevice));
                         AACO_ASSIGN(const auto to, near->allocate(256, MemoryKind::kDevice));
                         AACO_ASSIGN(const auto far_stream, far->make_stream(0));
                         AACO_ASSIGN(const auto near_stream, near->make_stream(0));
                         far_stream->launch(FillArgs{.out = from->data(), .n = 64, .value = 7});
                         AACO_TRY(far_stream->synchronize());
                         near_stream->copy(to->data(), from->data(), 256);
                         AACO_TRY(near_stream->synchronize());
                         return static_cast<float*>(to->data())[63] == 7 ? Result<void>{} : wrong("not copied");
                       };
                       const auto done = copy();
                       return done ? "" : text_of(done.error());
                     }),
            "");
}

// Uses every part of the interface; the first failure.
Result<void> use_everything(Device& device) {
  AACO_ASSIGN(const TwoStreams two, TwoStreams::make(device, true));
  AACO_ASSIGN(const auto pinned, device.allocate(4096, MemoryKind::kPinnedHost));
  two.first->set(pinned->data(), 0, 4096);
  two.first->copy(two.floats(), pinned->data(), 4096);
  two.enqueue();
  AACO_TRY(two.first->synchronize());
  AACO_TRY(two.second->synchronize());
  AACO_TRY(two.join->synchronize());
  AACO_TRY(device.elapsed_ns(*two.fork, *two.join));
  two.first->begin_capture();
  two.first->launch(two.fill(10, 2));
  AACO_ASSIGN(const auto graph, two.first->end_capture());
  two.first->launch(*graph);
  AACO_TRY(two.first->synchronize());
  AACO_TRY(device.synchronize());
  return {};
}

struct Injected {
  const char* call;  // as AACO_HIP_DOUBLE_FAIL wants it
  const char* said;
};

class HipFailure : public ::testing::TestWithParam<Injected> {};
INSTANTIATE_TEST_SUITE_P(
    Module, HipFailure,
    ::testing::Values(
        Injected{"hipGetDeviceCount:100:1", "3 hipGetDeviceCount: hipErrorNoDevice (no ROCm-capable device"},
        Injected{"hipGetDeviceCount:35:1", "3 hipGetDeviceCount: hipErrorInsufficientDriver (driver version"},
        Injected{"hipGetDeviceCount:3:1", "3 hipGetDeviceCount: hipErrorNotInitialized (initialization error"},
        Injected{"hipSetDevice:101:1", "6 hipSetDevice: hipErrorInvalidDevice (invalid device ordinal"},
        Injected{"hipMalloc:2:1", "hipMalloc: hipErrorOutOfMemory (out of memory"},
        Injected{"hipHostMalloc:2:1", "hipErrorOutOfMemory (out of memory"},
        Injected{"hipStreamCreateWithPriority:2:2", "6 hipStreamCreateWithPriority: hipErrorOutOfMemory"},
        Injected{"hipEventCreateWithFlags:1:1", "6 hipEventCreateWithFlags: hipErrorInvalidValue"},
        Injected{"hipMemsetAsync:1:1", "6 hipMemsetAsync: hipErrorInvalidValue (invalid argument"},
        Injected{"hipMemcpyAsync:1:1", "6 hipMemcpyAsync: hipErrorInvalidValue (invalid argument"},
        Injected{"hipLaunchKernel:701:2", "6 hipLaunchKernel: hipErrorLaunchOutOfResources (too many resources"},
        Injected{"hipLaunchKernel:9:1", "6 hipLaunchKernel: hipErrorInvalidConfiguration (invalid configuration"},
        Injected{"hipLaunchKernel:98:1", "6 hipLaunchKernel: hipErrorInvalidDeviceFunction (invalid device function"},
        Injected{"kernel:719:1", "hipErrorLaunchFailure (unspecified launch failure"},
        Injected{"kernel:700:3", "hipErrorIllegalAddress (an illegal memory access"},
        Injected{"kernel:702:2", "hipErrorLaunchTimeOut (the launch timed out"},
        Injected{"kernel:214:1", "hipErrorECCNotCorrectable (uncorrectable ECC error"},
        Injected{"hipEventRecord:400:1", "6 hipEventRecord: hipErrorInvalidHandle (invalid resource handle"},
        Injected{"hipStreamWaitEvent:400:2", "6 hipStreamWaitEvent: hipErrorInvalidHandle (invalid resource handle"},
        Injected{"hipStreamSynchronize:709:1", "6 hipStreamSynchronize: hipErrorContextIsDestroyed (context is"},
        Injected{"hipEventSynchronize:719:1", "6 hipEventSynchronize: hipErrorLaunchFailure"},
        Injected{"hipEventElapsedTime:600:1", "6 hipEventElapsedTime: hipErrorNotReady (device not ready"},
        Injected{"hipStreamBeginCapture:900:1", "6 hipStreamBeginCapture: hipErrorStreamCaptureUnsupported"},
        Injected{"hipStreamEndCapture:901:1", "6 hipStreamEndCapture: hipErrorStreamCaptureInvalidated"},
        Injected{"hipGraphInstantiateWithFlags:2:1", "6 hipGraphInstantiateWithFlags: hipErrorOutOfMemory"},
        Injected{"hipGraphLaunch:719:1", "6 hipGraphLaunch: hipErrorLaunchFailure"},
        Injected{"hipDeviceSynchronize:999:1", "6 hipDeviceSynchronize: hipErrorUnknown (unknown error"}),
    [](const auto& instance) {
      std::string name = instance.param.call;
      std::replace(name.begin(), name.end(), ':', '_');
      return name;
    });

TEST_P(HipFailure, NamesTheCallAndWhatItReturned) {
  const std::string said = in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", GetParam().call}}, use_everything);
  EXPECT_THAT(said, HasSubstr(GetParam().said));
  EXPECT_TRUE(said.starts_with("3 ") || said.starts_with("6 ")) << said;
}

TEST(HipModule, WithoutFailuresEverythingWorks) { EXPECT_EQ(in_child_with_device({}, use_everything), ""); }

TEST(HipModule, NoDeviceIsSaid) {
  EXPECT_THAT(in_child_with_device({{"AACO_HIP_DOUBLE_DEVICES", "0"}}, use_everything),
              StartsWith("3 hipGetDeviceCount: hipErrorNoDevice"));
}

TEST(HipModule, AKernelThatIsNotThereFails) {
  EXPECT_THAT(in_child_with_device({{"AACO_HIP_DOUBLE_KERNELS", "/nowhere"}}, use_everything),
              StartsWith("6 hipLaunchKernel: hipErrorNotFound (named symbol not found)"));
}

TEST(HipModule, AnArchitectureThatItWasNotCompiledForFails) {
  EXPECT_THAT(in_child_with_device({{"AACO_HIP_DOUBLE_ARCH", "gfx1201"}}, use_everything),
              StartsWith("6 hipLaunchKernel: hipErrorNoBinaryForGpu (no kernel image is available"));
}

TEST(HipModule, MemoryEnds) {
  const std::string said =
      in_child_with_device({{"AACO_HIP_DOUBLE_MEMORY", "100000"}}, [](Device& device) -> Result<void> {
        AACO_TRY(device.allocate(100'001, MemoryKind::kDevice));
        return {};
      });
  EXPECT_THAT(said, StartsWith("6 "));
  EXPECT_THAT(said, HasSubstr("hipMalloc: hipErrorOutOfMemory (out of memory)"));
}

TEST(HipModule, ACopyBeyondItsMemoryFails) {
  EXPECT_THAT(in_child_with_device({},
                                   [](Device& device) -> Result<void> {
                                     AACO_ASSIGN(const TwoStreams two, TwoStreams::make(device, false));
                                     two.first->set(two.floats(), 0, 4097);
                                     return two.first->synchronize();
                                   }),
              StartsWith("6 hipMemsetAsync: hipErrorInvalidValue (invalid argument)"));
}

}  // namespace
}  // namespace aaco
