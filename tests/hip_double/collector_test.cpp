// SPDX-License-Identifier: MIT
// The HIP module's collector on the doubles of HIP and of rocprofiler-sdk: what it records, what it counts as lost, and
// what it says where it cannot record.
#include <algorithm>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/clock.h"
#include "base/files/temporary_folder.h"
#include "child.h"
#include "record/device/activity_table.h"
#include "record/device/device_rows.h"

namespace aaco {
namespace {

using ::testing::StartsWith;

Environment with_rocprofiler(Environment more = {}) {
  more.emplace("ROCM_PATH", ROCM_FOLDER);
  return more;
}

// By start.
std::vector<EventRow> kernels_of(const EventTable& events) {
  std::vector<EventRow> kernels = work_as_executed(events);
  std::erase_if(kernels, [&](EventRow row) { return events.kind[row] != EventKind::kKernel; });
  return kernels;
}

std::string name_of(const EventTable& events, EventRow row) { return std::string(events.strings[events.name[row]]); }

bool is_of_graph(const EventTable& events, EventRow row) {
  for (size_t i = events.arguments.begin(row); i < events.arguments.end(row); ++i) {
    if (events.strings[events.arguments[i].key] == device_row::kGraphNode) {
      return true;
    }
  }
  return false;
}

struct CollectorSetup {
  ActivityTable sink;
  std::unique_ptr<ActivityCollector> collector;
  Device* device = nullptr;
  std::unique_ptr<Buffer> memory;
  std::unique_ptr<Stream> first;
  std::unique_ptr<Stream> second;

  // The collector first, as the worker of a profiled run does it.
  Result<void> begin(ModuleBackend& backend, int index) {
    AACO_ASSIGN(collector, backend.collect(sink));
    AACO_ASSIGN(device, backend.open(index));
    AACO_ASSIGN(memory, device->allocate(4096, MemoryKind::kDevice));
    AACO_ASSIGN(first, device->make_stream(0));
    AACO_ASSIGN(second, device->make_stream(0));
    return {};
  }
  void fill(Stream& stream, int times) const {
    for (int i = 0; i < times; ++i) {
      stream.launch(FillArgs{.out = memory->data(), .n = 1024, .value = 1});
    }
  }
};

// Each record of the device has the call that started it: of the same correlation, begun before it.
Result<void> check_correlation(const EventTable& events, EventRow work) {
  for (EventRow call = 0; call < events.size(); ++call) {
    if (is_launch_call(events, call) && events.correlation[call] == events.correlation[work]) {
      return events.start_ns[call] <= events.start_ns[work] && events.duration_ns[call] >= 0 &&
                     events.strings[events.tracks[events.track[call]].thread] == "thread " + std::to_string(getpid())
                 ? Result<void>{}
                 : wrong("its call does not fit");
    }
  }
  return wrong("no call has the correlation " + std::to_string(events.correlation[work]));
}

TEST(HipCollector, KernelsHaveNameStreamDeviceCallAndTimesOfTheSession) {
  EXPECT_EQ(in_child_with_backend(with_rocprofiler(),
                                  [](ModuleBackend& backend) -> Result<void> {
                                    CollectorSetup run;
                                    AACO_TRY(run.begin(backend, 1));
                                    const int64_t begun_ns = monotonic_ns();
                                    run.fill(*run.first, 3);
                                    AACO_TRY(run.first->synchronize());
                                    run.second->launch(SpinArgs{.duration_ns = 3'000'000});
                                    AACO_TRY(run.second->synchronize());
                                    const int64_t ended_ns = monotonic_ns();
                                    AACO_TRY(run.collector->flush());
                                    const EventTable events = run.sink.take();
                                    const std::vector<EventRow> kernels = kernels_of(events);
                                    if (kernels.size() != 4 || run.sink.dropped_count() != 0) {
                                      return wrong(std::to_string(kernels.size()) + " kernels");
                                    }
                                    for (size_t i = 0; i < 4; ++i) {
                                      const EventRow kernel = kernels[i];
                                      const std::string name = name_of(events, kernel);
                                      if (name.find(i < 3 ? "fill" : "spin") == std::string::npos ||
                                          name.find("_Z") != std::string::npos || name.ends_with(".kd")) {
                                        return wrong("named " + name);
                                      }
                                      const DeviceStream place = stream_of(events, kernel);
                                      if (place != DeviceStream{1, (i < 3 ? run.first : run.second)->native_id()} ||
                                          is_of_graph(events, kernel)) {
                                        return wrong("device " + std::to_string(place.device) + ", stream " +
                                                     std::to_string(place.stream));
                                      }
                                      if (events.start_ns[kernel] < begun_ns || events.duration_ns[kernel] < 0 ||
                                          events.end_ns(kernel) > ended_ns) {
                                        return wrong("from " + std::to_string(events.start_ns[kernel]) + " to " +
                                                     std::to_string(events.end_ns(kernel)));
                                      }
                                      const KernelResources resources = resources_of(events, kernel);
                                      if (resources.block_threads != 256 || resources.shared_bytes != 4096 ||
                                          resources.local_bytes != 48 || resources.registers != 0) {
                                        return wrong("what a launch takes");
                                      }
                                      AACO_TRY(check_correlation(events, kernel));
                                    }
                                    const int64_t spun_ns = events.duration_ns[kernels.back()];
                                    return spun_ns >= 3'000'000 ? Result<void>{}
                                                                : wrong("spun for " + std::to_string(spun_ns));
                                  }),
            "");
}

TEST(HipCollector, CopiesHaveDirectionAndBytesAndSetsAreKernels) {
  EXPECT_EQ(in_child_with_backend(
                with_rocprofiler(),
                [](ModuleBackend& backend) -> Result<void> {
                  CollectorSetup run;
                  AACO_TRY(run.begin(backend, 1));
                  std::vector<char> host(4096);
                  run.first->set(run.memory->data(), 0, 100);
                  run.first->copy(host.data(), run.memory->data(), 100);
                  run.first->copy(run.memory->data(), host.data(), 200);
                  run.first->copy(static_cast<char*>(run.memory->data()) + 1024, run.memory->data(), 300);
                  AACO_TRY(run.collector->flush());
                  const EventTable events = run.sink.take();
                  const std::vector<EventRow> kernels = kernels_of(events);
                  const DeviceStream place{1, run.first->native_id()};
                  std::string said;
                  for (const EventRow copy : work_as_executed(events)) {
                    if (events.kind[copy] != EventKind::kCopy) {
                      continue;
                    }
                    said += name_of(events, copy) + ' ' +
                            std::to_string(events.arguments[events.arguments.begin(copy)].bits) + ", ";
                    if (stream_of(events, copy) != place) {
                      return wrong("a copy on another stream or device");
                    }
                    AACO_TRY(check_correlation(events, copy));
                  }
                  if (said != "copy device to host 100, copy host to device 200, copy within the device 300, ") {
                    return wrong(said);
                  }
                  return kernels.size() == 1 && name_of(events, kernels[0]) == "__amd_rocclr_fillBufferAligned" &&
                                 stream_of(events, kernels[0]) == place
                             ? Result<void>{}
                             : wrong("the set is no kernel of its stream");
                }),
            "");
}

TEST(HipCollector, CallsThatWaitAreRecorded) {
  EXPECT_EQ(in_child_with_backend(with_rocprofiler(),
                                  [](ModuleBackend& backend) -> Result<void> {
                                    CollectorSetup run;
                                    AACO_TRY(run.begin(backend, 0));
                                    AACO_ASSIGN(const auto event, run.device->make_event(false));
                                    run.first->record(*event);
                                    AACO_TRY(event->synchronize());
                                    AACO_TRY(run.first->synchronize());
                                    AACO_TRY(run.device->synchronize());
                                    AACO_TRY(run.collector->flush());
                                    std::set<std::string> names;
                                    const EventTable events = run.sink.take();
                                    for (EventRow row = 0; row < events.size(); ++row) {
                                      if (events.strings[events.category[row]] == device_row::kSynchronize) {
                                        names.insert(name_of(events, row));
                                      }
                                    }
                                    return names == std::set<std::string>{"hipDeviceSynchronize", "hipEventSynchronize",
                                                                          "hipStreamSynchronize"}
                                               ? Result<void>{}
                                               : wrong(std::to_string(names.size()) + " of 3");
                                  }),
            "");
}

// Their branches run where HIP wants: the stream that launched the graph is not theirs.
TEST(HipCollector, KernelsOfAGraphAreMarkedAndKeepTheirQueue) {
  EXPECT_EQ(in_child_with_backend(with_rocprofiler(),
                                  [](ModuleBackend& backend) -> Result<void> {
                                    CollectorSetup run;
                                    AACO_TRY(run.begin(backend, 0));
                                    run.first->begin_capture();
                                    run.fill(*run.first, 2);
                                    AACO_ASSIGN(const auto graph, run.first->end_capture());
                                    for (int i = 0; i < 3; ++i) {
                                      run.first->launch(*graph);
                                    }
                                    AACO_TRY(run.collector->flush());
                                    const EventTable events = run.sink.take();
                                    const std::vector<EventRow> kernels = kernels_of(events);
                                    if (kernels.size() != 6) {
                                      return wrong(std::to_string(kernels.size()) + " kernels");
                                    }
                                    for (const EventRow kernel : kernels) {
                                      AACO_TRY(check_correlation(events, kernel));
                                      const DeviceStream place = stream_of(events, kernel);
                                      if (!is_of_graph(events, kernel) || place.stream == run.first->native_id() ||
                                          place.device != 0) {
                                        return wrong("not marked");
                                      }
                                    }
                                    return {};
                                  }),
            "");
}

// RCCL's double launches by no call that is traced.
TEST(HipCollector, AKernelOfAnUnknownCallIsOnNoStreamThatWeKnow) {
  EXPECT_EQ(
      in_child_with_backend(with_rocprofiler(),
                            [](ModuleBackend& backend) -> Result<void> {
                              CollectorSetup run;
                              AACO_TRY(run.begin(backend, 0));
                              AACO_ASSIGN(Device * other, backend.open(1));
                              AACO_ASSIGN(const auto far, other->make_stream(0));
                              Device* both[] = {run.device, other};
                              AACO_ASSIGN(const auto communicator, backend.make_communicator(both));
                              AACO_ASSIGN(const auto there, other->allocate(4096, MemoryKind::kDevice));
                              run.fill(*run.first, 1);
                              const CollectivePart parts[] = {{run.first.get(), run.memory->data(), run.memory->data()},
                                                              {far.get(), there->data(), there->data()}};
                              communicator->enqueue(Collective::kAllReduce, parts, 16, Dtype::kF32);
                              AACO_TRY(run.first->synchronize());
                              AACO_TRY(far->synchronize());
                              AACO_TRY(run.collector->flush());
                              const EventTable events = run.sink.take();
                              for (const EventRow kernel : kernels_of(events)) {
                                const bool is_collective = name_of(events, kernel).starts_with("nccl");
                                const uint64_t stream = stream_of(events, kernel).stream;
                                if (is_collective == (stream == run.first->native_id())) {
                                  return wrong("stream " + std::to_string(stream) + " of " + name_of(events, kernel));
                                }
                              }
                              return {};
                            }),
      "");
}

TEST(HipCollector, WhatIsDroppedIsCountedOnce) {
  EXPECT_EQ(in_child_with_backend(with_rocprofiler({{"AACO_ROCPROFILER_DOUBLE_DROP", "2"}}),
                                  [](ModuleBackend& backend) -> Result<void> {
                                    CollectorSetup run;
                                    AACO_TRY(run.begin(backend, 0));
                                    run.fill(*run.first, 3);
                                    AACO_TRY(run.collector->flush());
                                    run.fill(*run.first, 2);
                                    AACO_TRY(run.collector->flush());
                                    const size_t kernels = kernels_of(run.sink.take()).size();
                                    return kernels == 3 && run.sink.dropped_count() == 2
                                               ? Result<void>{}
                                               : wrong(std::to_string(kernels) + " kernels, " +
                                                       std::to_string(run.sink.dropped_count()) + " dropped");
                                  }),
            "");
}

TEST(HipCollector, ARecordThatNeverComesIsWaitedForAndCounted) {
  EXPECT_EQ(in_child_with_backend(with_rocprofiler({{"AACO_ROCPROFILER_DOUBLE_LOSE", "2"}}),
                                  [](ModuleBackend& backend) -> Result<void> {
                                    CollectorSetup run;
                                    AACO_TRY(run.begin(backend, 0));
                                    run.fill(*run.first, 3);
                                    AACO_TRY(run.collector->flush());
                                    const size_t kernels = kernels_of(run.sink.take()).size();
                                    return kernels == 2 && run.sink.dropped_count() == 1
                                               ? Result<void>{}
                                               : wrong(std::to_string(kernels) + " kernels, " +
                                                       std::to_string(run.sink.dropped_count()) + " dropped");
                                  }),
            "");
}

TEST(HipCollector, AKernelWithoutNameIsSaidToHaveNone) {
  EXPECT_EQ(in_child_with_backend(with_rocprofiler({{"AACO_ROCPROFILER_DOUBLE_MUTE", "1"}}),
                                  [](ModuleBackend& backend) -> Result<void> {
                                    CollectorSetup run;
                                    AACO_TRY(run.begin(backend, 0));
                                    run.fill(*run.first, 1);
                                    AACO_TRY(run.collector->flush());
                                    const EventTable events = run.sink.take();
                                    const auto kernels = kernels_of(events);
                                    return wrong(kernels.empty() ? "none" : name_of(events, kernels[0]));
                                  }),
            "70 kernel 1, name not told");
}

TEST(HipCollector, AnotherOneMayFollowAndOnlyOneRunsAtATime) {
  EXPECT_EQ(
      in_child_with_backend(with_rocprofiler(),
                            [](ModuleBackend& backend) -> Result<void> {
                              CollectorSetup run;
                              AACO_TRY(run.begin(backend, 0));
                              ActivityTable second;
                              if (backend.collect(second)) {
                                return wrong("two at a time");
                              }
                              run.fill(*run.first, 1);
                              run.collector.reset();
                              run.fill(*run.first, 5);  // nobody's
                              AACO_TRY(run.first->synchronize());
                              AACO_ASSIGN(const auto collector, backend.collect(second));
                              run.fill(*run.first, 2);
                              AACO_TRY(collector->flush());
                              const size_t before = kernels_of(run.sink.take()).size();
                              const EventTable events = second.take();
                              const auto kernels = kernels_of(events);
                              return before == 1 && kernels.size() == 2 &&
                                             name_of(events, kernels[0]).find("fill") != std::string::npos
                                         ? Result<void>{}
                                         : wrong(std::to_string(before) + " and " + std::to_string(kernels.size()));
                            }),
      "");
}

Result<void> only_begin(ModuleBackend& backend) {
  CollectorSetup run;
  AACO_TRY(run.begin(backend, 0));
  run.fill(*run.first, 1);
  return run.collector->flush();
}

TEST(HipCollector, WithoutTheLibraryItSaysSo) {
  const TemporaryFolder empty = TemporaryFolder::create().value();
  EXPECT_THAT(in_child_with_backend({{"ROCM_PATH", empty.path() / "missing"}}, only_begin),
              StartsWith("3 librocprofiler-sdk.so.1 not found"));
}

// HIP has registered itself, and with nobody, at its first call.
TEST(HipCollector, AfterHipsFirstCallItIsRefused) {
  for (int attempt = 0; attempt < 2; ++attempt) {  // the second time in one process it is no other
    EXPECT_THAT(in_child_with_backend(with_rocprofiler(),
                                      [attempt](ModuleBackend& backend) -> Result<void> {
                                        AACO_TRY(backend.device_count());
                                        ActivityTable sink;
                                        for (int i = 0; i < attempt; ++i) {
                                          static_cast<void>(backend.collect(sink));
                                        }
                                        AACO_TRY(backend.collect(sink));
                                        return {};
                                      }),
                StartsWith("3 HIP has not registered with rocprofiler-sdk: it was in use before the collector"));
  }
}

TEST(HipCollector, PartsOfADeviceCannotBeToldApart) {
  EXPECT_THAT(in_child_with_backend(with_rocprofiler({{"AACO_ROCPROFILER_DOUBLE_PARTS", "1"}}), only_begin),
              StartsWith("3 2 of rocprofiler-sdk's agents are where HIP device 0 is on the PCI bus"));
}

// 32 readings when it begins.
TEST(HipCollector, AClockThatMovedIsFoundOut) {
  const std::string said =
      in_child_with_backend(with_rocprofiler({{"AACO_ROCPROFILER_DOUBLE_SLEEP", "32"}}), only_begin);
  const std::string before = "6 rocprofiler-sdk's clock and the session's have moved apart by ";
  ASSERT_THAT(said, StartsWith(before));
  EXPECT_NEAR(std::stod(said.substr(before.size())), 1e9, 1e4);
  EXPECT_EQ(in_child_with_backend(with_rocprofiler({{"AACO_ROCPROFILER_DOUBLE_SLEEP", "64"}}), only_begin), "");
}

struct InjectedFault {
  const char* call;
  const char* said;
};
class HipCollectorFailure : public ::testing::TestWithParam<InjectedFault> {};
INSTANTIATE_TEST_SUITE_P(
    Module, HipCollectorFailure,
    ::testing::Values(
        InjectedFault{"rocprofiler_force_configure:16:1",
                      "3 another profiler is attached to this process (rocprofiler_force_configure: "
                      "ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED (16))"},
        InjectedFault{"rocprofiler_create_context:1:1", "6 rocprofiler_create_context: ROCPROFILER_STATUS_ERROR (1)"},
        InjectedFault{"rocprofiler_start_context:12:1", "3 rocprofiler_start_context: unknown (12)"},
        InjectedFault{"rocprofiler_create_buffer:19:1", "6 rocprofiler_create_buffer: unknown (19)"},
        InjectedFault{"trace_by_callback:17:1", "3 rocprofiler_configure_callback_tracing_service: "},
        InjectedFault{"trace_by_callback:1:2", "6 rocprofiler_configure_callback_tracing_service: "},
        InjectedFault{"trace_by_callback:1:3", "6 rocprofiler_configure_callback_tracing_service: "},
        InjectedFault{"trace_to_buffer:4:1", "6 rocprofiler_configure_buffer_tracing_service: "},
        InjectedFault{"trace_to_buffer:4:3", "6 rocprofiler_configure_buffer_tracing_service: "},
        InjectedFault{"rocprofiler_query_available_agents:18:1", "3 rocprofiler_query_available_agents: "},
        InjectedFault{"rocprofiler_get_timestamp:1:1", "6 rocprofiler_get_timestamp: "},
        InjectedFault{"rocprofiler_get_timestamp:1:33", "6 rocprofiler_get_timestamp: "},
        InjectedFault{"rocprofiler_flush_buffer:3:1", "6 rocprofiler_flush_buffer: "},
        InjectedFault{"hipGetDeviceCount:100:1", "3 no GPU is visible (hipGetDeviceCount: hipErrorNoDevice)"},
        InjectedFault{"hipGetDevicePropertiesR0600:101:1", "6 hipGetDevicePropertiesR0600: hipErrorInvalidDevice"},
        InjectedFault{"hipDeviceSynchronize:719:1", "6 hipDeviceSynchronize: hipErrorLaunchFailure"}),
    [](const auto& instance) {
      std::string name = instance.param.call;
      std::replace(name.begin(), name.end(), ':', '_');
      return name;
    });

TEST_P(HipCollectorFailure, NamesTheCallAndWhatItReturned) {
  EXPECT_THAT(in_child_with_backend(with_rocprofiler({{"AACO_HIP_DOUBLE_FAIL", GetParam().call}}), only_begin),
              StartsWith(GetParam().said));
}

TEST(HipCollector, WithoutFailuresItBegins) { EXPECT_EQ(in_child_with_backend(with_rocprofiler(), only_begin), ""); }

}  // namespace
}  // namespace aaco
