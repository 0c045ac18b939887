// SPDX-License-Identifier: MIT
#include "device/backends/module_backend.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include "base/files/temporary_folder.h"
#include "record/device/activity_table.h"

namespace aaco {
namespace {

using testing::HasSubstr;

// A module without a device: every failure is chosen by the test.
struct Fake {
  int32_t devices = 1;
  int32_t count_status = kAacoOk;
  int32_t allocate_status = kAacoOk;
  int32_t stream_status = kAacoOk;
  int32_t communicator_status = kAacoOk;
  int32_t joined_rank = -1;
  int32_t allocated_kind = -1;
  AacoCommunicatorOptions joined_as{};
  size_t registered_bytes = 0;
  const char* failure = "";
  uint32_t last_op = kOpCount;
  int live_streams = 0;
};
Fake fake;

int32_t open_fake(int32_t, void** device, AacoDeviceProperties* properties) {
  *device = &fake;
  std::snprintf(properties->name, sizeof(properties->name), "fake");
  properties->compute_units = 3;
  properties->highest_priority = -5;
  return kAacoOk;
}

int32_t push_one(const AacoSink* sink, void** collector) {
  ActivityRecord record;
  record.start_ns = 7;
  record.name = sink->intern(sink->self, "spin_kernel", 4);
  sink->push(sink->self, &record, 1);
  sink->dropped(sink->self, 2);
  *collector = &fake;
  return kAacoOk;
}

const AacoModule& fake_module() {
  static const AacoModule module = [] {
    AacoModule aaco_module{};
    aaco_module.version = kModuleApiVersion;
    aaco_module.op_count = kOpCount;
    aaco_module.backend = "cuda";
    aaco_module.failure = [] { return fake.failure; };
    aaco_module.device_count = [](int32_t* count) {
      *count = fake.devices;
      return fake.count_status;
    };
    aaco_module.device_open = open_fake;
    aaco_module.memory_free = [](void*, int64_t* unused, int64_t* total) {
      *unused = 300;
      *total = 1000;
      return int32_t{kAacoOk};
    };
    aaco_module.library_memory = [](void*) { return int64_t{70}; };
    aaco_module.allocate = [](void*, size_t bytes, int32_t kind, void** memory) {
      fake.allocated_kind = kind;
      *memory = fake.allocate_status == kAacoOk ? std::malloc(bytes) : nullptr;
      return fake.allocate_status;
    };
    aaco_module.release = [](void*, int32_t, void* memory) {
      std::free(memory);
      return int32_t{kAacoOk};
    };
    aaco_module.stream_make = [](void*, int32_t, void** stream, uint64_t* native_id) {
      *stream = &fake;
      *native_id = 13;
      ++fake.live_streams;
      return int32_t{kAacoOk};
    };
    aaco_module.stream_free = [](void*) {
      --fake.live_streams;
      return int32_t{kAacoOk};
    };
    aaco_module.stream_synchronize = [](void*) { return fake.stream_status; };
    aaco_module.launch = [](void*, uint32_t op, const void*) {
      fake.last_op = op;
      return int32_t{kAacoOk};
    };
    aaco_module.communicator_make = [](void* const*, int32_t, void**, char*, size_t) {
      return fake.communicator_status;
    };
    aaco_module.communicator_free = [](void*) { return int32_t{kAacoOk}; };
    aaco_module.communicator_id = [](void* id, size_t size) {
      std::memset(id, 0, size);
      std::memcpy(id, "fake", 4);
      return fake.communicator_status;
    };
    aaco_module.communicator_join = [](void*, const void* id, size_t size, int32_t rank, int32_t,
                                       const AacoCommunicatorOptions* options, void** communicator, char* library,
                                       size_t library_size) {
      fake.joined_as = *options;
      fake.joined_rank = size == 128 && std::memcmp(id, "fake", 5) == 0 ? rank : -1;
      *communicator = &fake;
      std::snprintf(library, library_size, "FCCL 1.2.3");
      return fake.communicator_status;
    };
    aaco_module.memory_register = [](void* communicator, void*, size_t bytes, void** registration) {
      fake.registered_bytes = bytes;
      *registration = communicator;
      return fake.communicator_status;
    };
    aaco_module.memory_unregister = [](void*) {
      fake.registered_bytes = 0;
      return int32_t{kAacoOk};
    };
    aaco_module.collector_start = push_one;
    aaco_module.collector_flush = [](void*) { return int32_t{kAacoOk}; };
    aaco_module.collector_stop = [](void*) { return int32_t{kAacoOk}; };
    return aaco_module;
  }();
  return module;
}

class ModuleBackendTest : public testing::Test {
 protected:
  void SetUp() override { fake = {}; }
  ModuleBackend backend_{cuda_vendor(), &fake_module()};
};

// Sets a variable of the environment for one test.
class ModulesIn {
 public:
  explicit ModulesIn(const std::filesystem::path& folder) {
    const char* before = std::getenv("AACO_MODULES");
    before_ = before != nullptr ? before : "";
    setenv("AACO_MODULES", folder.c_str(), 1);
  }
  ~ModulesIn() { before_.empty() ? unsetenv("AACO_MODULES") : setenv("AACO_MODULES", before_.c_str(), 1); }
  ModulesIn(const ModulesIn&) = delete;
  ModulesIn& operator=(const ModulesIn&) = delete;

 private:
  std::string before_;
};

TEST(CheckModule, TakesItsOwnVersionOnly) {
  AacoModule module{};
  module.version = kModuleApiVersion;
  module.op_count = kOpCount;
  EXPECT_TRUE(check_module(module, "libaaco_cuda.so"));
  module.version = kModuleApiVersion + 1;
  const auto other_version = check_module(module, "libaaco_cuda.so");
  ASSERT_FALSE(other_version);
  EXPECT_EQ(other_version.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(other_version.error().message, HasSubstr("libaaco_cuda.so is of another version"));
  EXPECT_THAT(other_version.error().hint, HasSubstr("same build"));
  module.version = kModuleApiVersion;
  module.op_count = kOpCount - 1;
  EXPECT_FALSE(check_module(module, "libaaco_cuda.so"));
}

TEST(ModuleFile, MissingOneSaysThatTheProgramWasBuiltWithout) {
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const ModulesIn modules(folder->path());
  for (const ModuleVendor* vendor : {&cuda_vendor(), &hip_vendor()}) {
    ModuleBackend backend(*vendor);
    const auto count = backend.device_count();
    ASSERT_FALSE(count);
    EXPECT_EQ(count.error().kind, ErrorKind::kUnavailable);
    EXPECT_EQ(count.error().message,
              std::string("built without ") + vendor->title + ": no " + vendor->file + " beside the program");
    EXPECT_THAT(count.error().hint, HasSubstr("-DAACO_"));
    EXPECT_THAT(count.error().message, Not(HasSubstr("\n")));
    const auto device = backend.open(0);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().message, count.error().message);
  }
}

TEST(ModuleFile, WhatIsNoLibraryDoesNotOpen) {
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  std::ofstream(folder->path() / cuda_vendor().file) << "no library";
  const ModulesIn modules(folder->path());
  ModuleBackend backend(cuda_vendor());
  const auto count = backend.device_count();
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(count.error().message, HasSubstr("cannot open"));
}

TEST(ModuleFile, AnotherLibraryIsNoModule) {
  link_map* map = nullptr;  // of this program's libc, whatever malloc is when a sanitizer is in
  void* handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(handle, nullptr);
  ASSERT_EQ(dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)), 0);
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  std::filesystem::create_symlink(map->l_name, folder->path() / cuda_vendor().file);
  const ModulesIn modules(folder->path());
  ModuleBackend backend(cuda_vendor());
  const auto count = backend.device_count();
  ASSERT_FALSE(count);
  EXPECT_THAT(count.error().message, HasSubstr("is no module of aaco"));
  dlclose(handle);
}

TEST_F(ModuleBackendTest, FailureOfTheDriverKeepsItsTextAndNamesARemedy) {
  fake.count_status = kAacoDevice;
  fake.failure = "cudaGetDeviceCount: cudaErrorUnknown (unknown error) at device/gpu/device.cpp:1";
  const auto count = backend_.device_count();
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(count.error().message, fake.failure);
  EXPECT_EQ(count.error().hint, cuda_vendor().how_to_install);
}

TEST_F(ModuleBackendTest, NoDeviceIsUnavailable) {
  fake.devices = 0;
  const auto count = backend_.device_count();
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(count.error().message, "CUDA finds no device");
}

TEST_F(ModuleBackendTest, DevicesAreMadeOnce) {
  fake.devices = 2;
  const auto first = backend_.open(1);
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->properties().id, "cuda:1");
  EXPECT_EQ((*first)->properties().name, "fake");
  EXPECT_EQ((*first)->properties().compute_units, 3);
  EXPECT_EQ((*first)->properties().highest_priority, -5);
  EXPECT_EQ(*backend_.open(1), *first);
  for (const int index : {-1, 2}) {
    const auto none = backend_.open(index);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(none.error().hint, "there are cuda:0 to cuda:1");
  }
}

TEST_F(ModuleBackendTest, MemoryIsCounted) {
  Device& device = **backend_.open(0);
  auto first = device.allocate(100, MemoryKind::kDevice);
  ASSERT_TRUE(first);
  {
    const auto second = device.allocate(50, MemoryKind::kPinnedHost);
    ASSERT_TRUE(second);
    EXPECT_EQ(device.memory_use().allocated_bytes, 100);
    EXPECT_EQ(device.memory_use().pinned_bytes, 50);
    const auto third = device.allocate(30, MemoryKind::kDevice);
    ASSERT_TRUE(third);
  }
  EXPECT_EQ(device.memory_use().allocated_bytes, 100);
  EXPECT_EQ(device.memory_use().peak_bytes, 130);
  EXPECT_EQ(device.memory_use().pinned_bytes, 0);
  EXPECT_EQ(device.memory_use().pinned_peak_bytes, 50);
  EXPECT_EQ(device.memory_use().library_bytes, 70);
  EXPECT_EQ(device.memory_use().reserved_bytes, 700);  // 1000 - 300 free
  device.reset_peak();
  EXPECT_EQ(device.memory_use().peak_bytes, 100);
  EXPECT_EQ(device.memory_use().pinned_peak_bytes, 0);
}

TEST_F(ModuleBackendTest, TooMuchMemorySaysHowMuchThereIs) {
  Device& device = **backend_.open(0);
  fake.allocate_status = kAacoMemory;
  fake.failure = "cudaMalloc: cudaErrorMemoryAllocation (out of memory) at device/gpu/device.cpp:1";
  const auto none = device.allocate(4096, MemoryKind::kDevice);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kResource);
  EXPECT_THAT(none.error().message, HasSubstr("4096 bytes of cuda:0 were asked for, 300 of 1000 are free"));
  EXPECT_EQ(device.memory_use().allocated_bytes, 0);
}

TEST_F(ModuleBackendTest, StreamsPassOnWhatTheyAreGiven) {
  Device& device = **backend_.open(0);
  {
    auto stream = device.make_stream(-3);
    ASSERT_TRUE(stream);
    EXPECT_EQ((*stream)->priority(), -3);
    EXPECT_EQ((*stream)->native_id(), 13U);
    (*stream)->launch(NullArgs{});
    EXPECT_EQ(fake.last_op, static_cast<uint32_t>(OpId::kNull));
    EXPECT_TRUE((*stream)->synchronize());
    fake.stream_status = kAacoDevice;
    fake.failure = "cudaLaunchKernel: cudaErrorInvalidValue (invalid argument) at device/kernels/rows.cu:1";
    const auto failed = (*stream)->synchronize();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::kResource);
    EXPECT_EQ(failed.error().message, fake.failure);
    EXPECT_EQ(fake.live_streams, 1);
  }
  EXPECT_EQ(fake.live_streams, 0);
}

TEST_F(ModuleBackendTest, ARankJoinsWithTheIdThatItIsGiven) {
  Device* device = *backend_.open(0);
  const auto id = backend_.make_rank_id();
  ASSERT_TRUE(id);
  const auto joined =
      backend_.join_communicator(*device, *id, 3, 4, {.copy_engine = true, .least_blocks = 2, .most_blocks = 8});
  ASSERT_TRUE(joined);
  EXPECT_EQ(fake.joined_rank, 3);
  EXPECT_EQ(fake.joined_as.copy_engine, 1);
  EXPECT_EQ(fake.joined_as.least_blocks, 2);
  EXPECT_EQ(fake.joined_as.most_blocks, 8);
  EXPECT_EQ((*joined)->info().ranks, 4);
  EXPECT_EQ((*joined)->info().library, "FCCL 1.2.3");
  fake.communicator_status = kAacoDevice;
  fake.failure = "ncclGetUniqueId: no network";
  EXPECT_EQ(backend_.make_rank_id().error().message, fake.failure);
  EXPECT_EQ(backend_.join_communicator(*device, *id, 0, 2, {}).error().message, fake.failure);
}

TEST_F(ModuleBackendTest, MemoryForCollectivesIsRegisteredAsLongAsItIsWanted) {
  Device* device = *backend_.open(0);
  const auto joined = backend_.join_communicator(*device, *backend_.make_rank_id(), 0, 2, {});
  ASSERT_TRUE(joined);
  const auto memory = device->allocate(96, MemoryKind::kCollective);
  ASSERT_TRUE(memory);
  EXPECT_EQ(fake.allocated_kind, kAacoCollectiveMemory);
  EXPECT_EQ(device->memory_use().allocated_bytes, 96);
  {
    const auto registered = (*joined)->add_memory(**memory);
    ASSERT_TRUE(registered);
    EXPECT_EQ(fake.registered_bytes, 96U);
  }
  EXPECT_EQ(fake.registered_bytes, 0U);
  fake.communicator_status = kAacoUnavailable;
  fake.failure = "FCCL 1.2.3 has no symmetric memory";
  EXPECT_EQ((*joined)->add_memory(**memory).error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(make_cpu_communicator(2)->add_memory(**memory).error().message,
            "collectives in process have no symmetric memory");
}

TEST_F(ModuleBackendTest, SecondLineOfAFailureIsItsRemedy) {
  Device* device = *backend_.open(0);
  fake.communicator_status = kAacoUnavailable;
  fake.failure = "libnccl.so.2 not found\npip install nvidia-nccl-cu13";
  const auto none = backend_.make_communicator(std::span(&device, 1));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(none.error().message, "libnccl.so.2 not found");
  EXPECT_EQ(none.error().hint, "pip install nvidia-nccl-cu13");
}

TEST_F(ModuleBackendTest, RecordsReachTheSink) {
  ActivityTable sink;
  const auto collector = backend_.collect(sink);
  ASSERT_TRUE(collector);
  EXPECT_TRUE((*collector)->flush());
  const EventTable events = sink.take();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.start_ns[0], 7);
  EXPECT_EQ(events.strings[events.name[0]], "spin");
  EXPECT_EQ(events.losses.count(Loss::kDropped), 2U);
  EXPECT_EQ(sink.dropped_count(), 2U);
}

}  // namespace
}  // namespace aaco
