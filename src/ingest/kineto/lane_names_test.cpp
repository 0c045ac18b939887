// SPDX-License-Identifier: MIT
#include "ingest/kineto/lane_names.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(LaneNames, XlasDevices) {
  const LaneName stream = lane_of_names("/device:GPU:1", "Stream #118(MemcpyD2H,MemcpyD2D,Compute,Memset)");
  EXPECT_EQ(stream.role, LaneRole::kStream);
  EXPECT_EQ(stream.device, 1);
  EXPECT_EQ(stream.stream, 118);
  EXPECT_EQ(lane_of_names("/device:TPU:0", "XLA Ops").role, LaneRole::kOps);
  EXPECT_EQ(lane_of_names("/device:TPU:0 (pid 3)", "XLA Modules").role, LaneRole::kDeviceRanges);
  EXPECT_EQ(lane_of_names("/device:TPU:0", "Steps").role, LaneRole::kDeviceRanges);
  EXPECT_EQ(lane_of_names("/device:TPU:0", "Something new").role, LaneRole::kUnknown);
  EXPECT_EQ(lane_of_names("/host:CPU", "python").role, LaneRole::kHostRanges);
}

TEST(LaneNames, TensorFlowsTimelines) {
  const LaneName stream = lane_of_names("/device:GPU:0/stream:7 Compute", "1");
  EXPECT_EQ(stream.role, LaneRole::kStream);
  EXPECT_EQ(stream.stream, 7);
  EXPECT_EQ(lane_of_names("/device:GPU:0/stream:all Compute", "1").role, LaneRole::kAllStreams);
  EXPECT_EQ(lane_of_names("/job:localhost/replica:0/task:0/device:GPU:0 Compute", "1").role, LaneRole::kHostRanges);
}

TEST(LaneNames, Ascends) {
  EXPECT_EQ(lane_of_names("Ascend Hardware", "Stream 3").stream, 3);
  EXPECT_EQ(lane_of_names("Communication", "Group 0 Communication").role, LaneRole::kCollectives);
  EXPECT_EQ(lane_of_names("HCCL", "Plane 1").role, LaneRole::kDeviceRanges);
  EXPECT_EQ(lane_of_names("Overlap Analysis", "Computing").role, LaneRole::kDerived);
  EXPECT_EQ(lane_of_names("Python", "1").role, LaneRole::kUnknown);
}

TEST(LaneNames, PyTorchBeforeKineto) {
  EXPECT_EQ(lane_of_names("CUDA functions", "7").device, 7);
  EXPECT_EQ(lane_of_names("CPU functions", "1").role, LaneRole::kHostOps);
}

TEST(LaneNames, ThoseOfUnknownDevices) {
  for (const char* name : {"GPU 0", "cuda:1", "NPU stream", "/device:FPGA", "Device #3", "HIP Queue"}) {
    EXPECT_TRUE(is_like_a_device(name)) << name;
  }
  for (const char* name : {"python", "upstreamer", "CrGpuMain", "devices", "", "100"}) {
    EXPECT_FALSE(is_like_a_device(name)) << name;
  }
}

TEST(LaneNames, WhatRunsOnAStream) {
  EXPECT_EQ(kind_on_stream("MemcpyD2H", ""), EventKind::kCopy);
  EXPECT_EQ(kind_on_stream("Memset", ""), EventKind::kSet);
  EXPECT_EQ(kind_on_stream("loop_add_fusion", ""), EventKind::kKernel);
  EXPECT_EQ(kind_on_stream("EVENT_WAIT", "EVENT_WAIT"), EventKind::kDeviceSync);
  EXPECT_EQ(kind_on_stream("task", "MEMCPY_ASYNC"), EventKind::kCopy);
  EXPECT_EQ(kind_on_stream("MatMulV2", "AI_CORE"), EventKind::kKernel);
}

}  // namespace
}  // namespace aaco
