// SPDX-License-Identifier: MIT
// The HIP module as aaco opens it, on the double: its host code, its kernels by name, and what it says when HIP fails.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "child.h"
#include "device/check/check_op.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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
constexpr OpId kAllOperations[] = {AACO_OPS(AACO_OP)};
#undef AACO_OP

// What measures the machine computes nothing; the tests of streams below run it.
std::vector<OpId> operations_that_compute() {
  std::vector<OpId> some(std::begin(kAllOperations), std::end(kAllOperations));
  std::erase_if(some, [](OpId op) { return op == OpId::kSpin || op == OpId::kGate || op == OpId::kNull; });
  return some;
}

class HipOperation : public ::testing::TestWithParam<std::tuple<OpId, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Module, HipOperation,
                         ::testing::Combine(::testing::ValuesIn(operations_that_compute()),
                                            ::testing::Values("gfx942", "gfx1100")),
                         [](const auto& instance) {
                           return std::string(name_of(std::get<0>(instance.param))) + "_" + std::get<1>(instance.param);
                         });

TEST_P(HipOperation, AgreesWithTheCpu) {
  const OpId op = std::get<0>(GetParam());
  const auto all = all_op_cases();
  ASSERT_TRUE(std::any_of(all.begin(), all.end(), [op](const OpCase& each) { return each.op == op; }))
      << name_of(op) << " has no cases";
  EXPECT_EQ(in_child_with_device({{"AACO_HIP_DOUBLE_ARCH", std::get<1>(GetParam())}},
                                 [&](Device& device) -> Result<void> {
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

// The memory of another device is out of a kernel's reach until that was asked for.
TEST(HipModule, AKernelReachesPeersOnlyWhereThatIsEnabled) {
  for (const bool enabled : {false, true}) {
    const std::string said = in_child_with_backend({}, [&](ModuleBackend& backend) -> Result<void> {
      AACO_ASSIGN(Device * near, backend.open(0));
      AACO_ASSIGN(Device * far, backend.open(1));
      if (enabled) {
        AACO_TRY(near->enable_peer(*far));
      }
      AACO_ASSIGN(const auto memory, far->allocate(256, MemoryKind::kDevice));
      AACO_ASSIGN(const auto stream, near->make_stream(0));
      stream->launch(FillArgs{.out = memory->data(), .n = 64, .value = 7});
      AACO_TRY(stream->synchronize());
      return static_cast<float*>(memory->data())[63] == 7 ? Result<void>{} : wrong("not filled");
    });
    EXPECT_THAT(said, StartsWith(enabled ? "" : "6 hipStreamSynchronize: hipErrorIllegalAddress"));
    EXPECT_EQ(said.empty(), enabled) << said;
  }
}

// What may begin early is measured by names: one that is no operation's would pass for none.
TEST(HipModule, WhatMayBeginEarlyIsNamedRightly) {
  for (const char* names : {"none", "norm,glu", "nrom"}) {
    const std::string said = in_child_with_device({{"AACO_LAUNCH_BEHIND", names}}, [](Device& device) -> Result<void> {
      AACO_ASSIGN(const auto memory, device.allocate(256, MemoryKind::kDevice));
      AACO_ASSIGN(const auto stream, device.make_stream(0));
      stream->launch(FillArgs{.out = memory->data(), .n = 64, .value = 7});
      return stream->synchronize();
    });
    EXPECT_EQ(said.find("there is no operation nrom") != std::string::npos, std::string(names) == "nrom") << said;
  }
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

struct InjectedFault {
  const char* call;  // as AACO_HIP_DOUBLE_FAIL wants it
  const char* said;
};

class HipFailure : public ::testing::TestWithParam<InjectedFault> {};
INSTANTIATE_TEST_SUITE_P(
    Module, HipFailure,
    ::testing::Values(
        InjectedFault{"hipGetDeviceCount:100:1", "3 no GPU is visible (hipGetDeviceCount: hipErrorNoDevice)"},
        InjectedFault{
            "hipGetDeviceCount:35:1",
            "3 no driver, or one older than this module needs (hipGetDeviceCount: hipErrorInsufficientDriver)"},
        InjectedFault{"hipGetDeviceCount:3:1", "3 hipGetDeviceCount: hipErrorNotInitialized (initialization error"},
        // Under the name that newer headers give it, too.
        InjectedFault{"hipGetDeviceProperties:101:1,hipGetDevicePropertiesR0600:101:1", "hipErrorInvalidDevice"},
        InjectedFault{"hipDeviceGetAttribute:1:1", "hipErrorInvalidValue (invalid argument"},
        InjectedFault{"hipDeviceGetStreamPriorityRange:1:1", "6 hipDeviceGetStreamPriorityRange: hipErrorInvalidValue"},
        InjectedFault{"hipGraphGetNodes:1:1", "6 hipGraphGetNodes: hipErrorInvalidValue"},
        InjectedFault{"hipGraphGetNodes:1:2", "6 hipGraphGetNodes: hipErrorInvalidValue"},
        InjectedFault{"hipGraphNodeGetType:1:1", "6 hipGraphNodeGetType: hipErrorInvalidValue"},
        InjectedFault{"hipSetDevice:101:1", "6 hipSetDevice: hipErrorInvalidDevice (invalid device ordinal"},
        InjectedFault{"hipMalloc:2:1", "hipMalloc: hipErrorOutOfMemory (out of memory"},
        InjectedFault{"hipHostMalloc:2:1", "hipErrorOutOfMemory (out of memory"},
        InjectedFault{"hipStreamCreateWithPriority:2:2", "6 hipStreamCreateWithPriority: hipErrorOutOfMemory"},
        InjectedFault{"hipEventCreateWithFlags:1:1", "6 hipEventCreateWithFlags: hipErrorInvalidValue"},
        InjectedFault{"hipMemsetAsync:1:1", "6 hipMemsetAsync: hipErrorInvalidValue (invalid argument"},
        InjectedFault{"hipMemcpyAsync:1:1", "6 hipMemcpyAsync: hipErrorInvalidValue (invalid argument"},
        InjectedFault{"hipLaunchKernel:701:2", "6 hipLaunchKernel: hipErrorLaunchOutOfResources (too many resources"},
        InjectedFault{"hipLaunchKernel:9:1", "6 hipLaunchKernel: hipErrorInvalidConfiguration (invalid configuration"},
        InjectedFault{"hipLaunchKernel:98:1",
                      "6 hipLaunchKernel: hipErrorInvalidDeviceFunction (invalid device function"},
        InjectedFault{"kernel:719:1", "hipErrorLaunchFailure (unspecified launch failure"},
        InjectedFault{"kernel:700:3", "hipErrorIllegalAddress (an illegal memory access"},
        InjectedFault{"kernel:702:2", "hipErrorLaunchTimeOut (the launch timed out"},
        InjectedFault{"kernel:214:1", "hipErrorECCNotCorrectable (uncorrectable ECC error"},
        InjectedFault{"hipEventRecord:400:1", "6 hipEventRecord: hipErrorInvalidHandle (invalid resource handle"},
        InjectedFault{"hipStreamWaitEvent:400:2",
                      "6 hipStreamWaitEvent: hipErrorInvalidHandle (invalid resource handle"},
        InjectedFault{"hipStreamSynchronize:709:1", "6 hipStreamSynchronize: hipErrorContextIsDestroyed (context is"},
        InjectedFault{"hipEventSynchronize:719:1", "6 hipEventSynchronize: hipErrorLaunchFailure"},
        InjectedFault{"hipEventElapsedTime:600:1", "6 hipEventElapsedTime: hipErrorNotReady (device not ready"},
        InjectedFault{"hipStreamBeginCapture:900:1", "6 hipStreamBeginCapture: hipErrorStreamCaptureUnsupported"},
        InjectedFault{"hipStreamEndCapture:901:1", "6 hipStreamEndCapture: hipErrorStreamCaptureInvalidated"},
        InjectedFault{"hipGraphInstantiateWithFlags:2:1", "6 hipGraphInstantiateWithFlags: hipErrorOutOfMemory"},
        InjectedFault{"hipGraphLaunch:719:1", "6 hipGraphLaunch: hipErrorLaunchFailure"},
        InjectedFault{"hipDeviceSynchronize:999:1", "6 hipDeviceSynchronize: hipErrorUnknown (unknown error"}),
    [](const auto& instance) {
      std::string name = instance.param.call;
      std::replace_if(name.begin(), name.end(), [](char c) { return c == ':' || c == ','; }, '_');
      return name;
    });

TEST_P(HipFailure, NamesTheCallAndWhatItReturned) {
  const std::string said = in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", GetParam().call}}, use_everything);
  EXPECT_THAT(said, HasSubstr(GetParam().said));
  EXPECT_TRUE(said.starts_with("3 ") || said.starts_with("6 ")) << said;
}

TEST(HipModule, WithoutFailuresEverythingWorks) { EXPECT_EQ(in_child_with_device({}, use_everything), ""); }

TEST(HipModule, WhatTheDriverDoesNotTellOfMemoryIsUnknown) {
  EXPECT_EQ(in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", "hipMemGetInfo:1:1"}},
                                 [](Device& device) -> Result<void> {
                                   const int64_t unknown = device.memory_use().reserved_bytes;
                                   const int64_t known = device.memory_use().reserved_bytes;
                                   return unknown == -1 && known >= 0 ? Result<void>{} : wrong("not unknown");
                                 }),
            "");
}

TEST(HipModule, PeersThatCannotBeReachedAreSaid) {
  const std::map<std::string, std::string> said_of{
      {"hipDeviceCanAccessPeer:101:1", "6 hipDeviceCanAccessPeer: hipErrorInvalidDevice"},
      {"hipDeviceEnablePeerAccess:217:1", "6 hipDeviceEnablePeerAccess: hipErrorPeerAccessUnsupported"}};
  for (const auto& [call, said] : said_of) {
    EXPECT_THAT(in_child_with_backend({{"AACO_HIP_DOUBLE_FAIL", call}},
                                      [](ModuleBackend& backend) -> Result<void> {
                                        AACO_ASSIGN(Device * near, backend.open(0));
                                        AACO_ASSIGN(Device * far, backend.open(1));
                                        return near->enable_peer(*far);
                                      }),
                StartsWith(said));
  }
}

// What is given back when an object goes has nobody to tell: asked of the module's table itself.
TEST(HipModule, WhatCannotBeGivenBackIsSaid) {
  struct Case {
    const char* call;
    std::function<int32_t(const AacoModule&, void* device, void* stream)> give_back;
  };
  const std::vector<Case> cases{
      {"hipFree",
       [](const AacoModule& m, void* device, void*) {
         void* memory = nullptr;
         m.allocate(device, 64, 0, &memory);
         return m.release(device, 0, memory);
       }},
      {"hipHostFree",
       [](const AacoModule& m, void* device, void*) {
         void* memory = nullptr;
         m.allocate(device, 64, 1, &memory);
         return m.release(device, 1, memory);
       }},
      {"hipStreamDestroy", [](const AacoModule& m, void*, void* stream) { return m.stream_free(stream); }},
      {"hipEventDestroy",
       [](const AacoModule& m, void* device, void*) {
         void* event = nullptr;
         m.event_make(device, 0, &event);
         return m.event_free(event);
       }},
      {"hipGraphExecDestroy", [](const AacoModule& m, void*, void* stream) {
         void* graph = nullptr;
         int64_t kernels = 0;
         m.capture_begin(stream);
         m.capture_end(stream, &graph, &kernels);
         return m.graph_free(graph);
       }}};
  for (const Case& each : cases) {
    const std::string said = in_child_with_device(
        {{"AACO_HIP_DOUBLE_FAIL", std::string(each.call) + ":1:1"}}, [&](Device& device) -> Result<void> {
          const auto& opened = dynamic_cast<ModuleDevice&>(device);
          void* stream = nullptr;
          uint64_t id = 0;
          opened.module().stream_make(opened.handle(), 0, &stream, &id);
          return module_result(opened.module(), each.give_back(opened.module(), opened.handle(), stream));
        });
    EXPECT_THAT(said, StartsWith("6 " + std::string(each.call) + ": hipErrorInvalidValue"));
  }
}

// A stream that cannot be freed is not asked for failures any more: nothing is left of it.
TEST(HipModule, AStreamThatCannotBeFreedIsForgotten) {
  EXPECT_EQ(in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", "hipSetDevice:101:4"}},
                                 [](Device& device) -> Result<void> {
                                   const auto& opened = dynamic_cast<ModuleDevice&>(device);
                                   void* stream = nullptr;
                                   uint64_t id = 0;
                                   AACO_ASSIGN(const auto other, device.make_stream(0));
                                   opened.module().stream_make(opened.handle(), 0, &stream, &id);
                                   opened.module().launch(stream, kOpCount, nullptr);  // it has failed
                                   if (opened.module().stream_free(stream) == kAacoOk) {
                                     return wrong("it was freed");
                                   }
                                   other->begin_capture();
                                   other->launch(NullArgs{});
                                   AACO_TRY(other->end_capture());
                                   return {};
                                 }),
            "");
}

// A capture over two devices: what failed on the second is not in the graph.
TEST(HipModule, AFailureOnAnotherDeviceFailsTheCapture) {
  EXPECT_THAT(in_child_with_backend({},
                                    [](ModuleBackend& backend) -> Result<void> {
                                      AACO_ASSIGN(Device * near, backend.open(0));
                                      AACO_ASSIGN(Device * far, backend.open(1));
                                      AACO_ASSIGN(const auto first, near->make_stream(0));
                                      AACO_ASSIGN(const auto second, far->make_stream(0));
                                      AACO_ASSIGN(const auto fork, near->make_event(false));
                                      AACO_ASSIGN(const auto join, far->make_event(false));
                                      first->begin_capture();
                                      first->record(*fork);
                                      second->wait(*fork);
                                      second->record(*join);
                                      first->wait(*join);
                                      second->launch(static_cast<OpId>(kOpCount), nullptr);
                                      AACO_TRY(first->end_capture());
                                      return {};
                                    }),
              StartsWith("2 no such operation"));
}

TEST(HipModule, NoDeviceIsSaid) {
  EXPECT_THAT(in_child_with_device({{"AACO_HIP_DOUBLE_DEVICES", "0"}}, use_everything),
              StartsWith("3 no GPU is visible (hipGetDeviceCount: hipErrorNoDevice)"));
}

TEST(HipModule, AKernelThatIsNotThereFails) {
  const TemporaryFolder empty = TemporaryFolder::create().value();
  EXPECT_THAT(in_child_with_device({{"AACO_HIP_DOUBLE_KERNELS", empty.path() / "missing"}}, use_everything),
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
