// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprofv3_csv.h"

#include <filesystem>
#include <fstream>

#include "base/files/temporary_folder.h"
#include "ingest/test_reading.h"

namespace aaco {
namespace {

const std::string kKernelHeader =
    R"("Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id",)"
    R"("Start_Timestamp","End_Timestamp","LDS_Block_Size","Grid_Size_X")"
    "\n";
const std::string kKernel = R"-("KERNEL_DISPATCH","Agent 4",1,3,834,1,10,"add<float>(float*, int)",7,1000,1250,0,1024)-"
                            "\n";
const std::string kApiHeader =
    R"("Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp")"
    "\n";
const std::string kCounterHeader =
    R"("Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Kernel_Name","Counter_Name","Counter_Value",)"
    R"("Start_Timestamp","End_Timestamp")"
    "\n";

TEST(Rocprofv3Csv, AKernelOfTheNewGeneration) {
  const EventTable table = read_text(read_rocprofv3_csv, kKernelHeader + kKernel);
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(name_at(table, 0), "add<float>(float*, int)");
  EXPECT_EQ(table.start_ns[0], 1000);
  EXPECT_EQ(table.duration_ns[0], 250);
  EXPECT_EQ(table.correlation[0], 7);
  EXPECT_EQ(track_at(table, 0).device, 4);
  EXPECT_EQ(track_at(table, 0).stream, 3);
  EXPECT_EQ(argument_at(table, 0, "Dispatch_Id"), "1");
  EXPECT_EQ(argument_at(table, 0, "Thread_Id"), "834");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Rocprofv3Csv, AKernelWithoutItsStartHasNoTime) {
  const EventTable table =
      read_text(read_rocprofv3_csv,
                kKernelHeader + R"-("KERNEL_DISPATCH","Agent 4",1,3,834,1,10,"add",7,0,140469300947216,0,1024)-" +
                    "\n" + kKernel);
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(table.duration_ns[0], 0);
  EXPECT_EQ(argument_at(table, 0, "End_Timestamp"), "140469300947216");
  EXPECT_EQ(table.shape[1], EventShape::kSlice);
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
}

TEST(Rocprofv3Csv, AKernelOfTheOldGenerationHasItsQueueForAStream) {
  const EventTable table = read_text(
      read_rocprofv3_csv,
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\","
      "\"End_Timestamp\",\"Private_Segment_Size\"\n\"KERNEL_DISPATCH\",8,2,10,\"fill\",15,4484384343929154,"
      "4484384343935074,0\n");
  EXPECT_EQ(track_at(table, 0).device, 8);
  EXPECT_EQ(track_at(table, 0).stream, 2);
  EXPECT_EQ(table.duration_ns[0], 5920);
  EXPECT_EQ(argument_at(table, 0, "Agent_Id"), "none");
}

TEST(Rocprofv3Csv, MarkersAreRangesAndOtherCallsAreCalls) {
  const EventTable table =
      read_text(read_rocprofv3_csv, kApiHeader +
                                        "\"HIP_RUNTIME_API_EXT\",\"hipLaunchKernel\",5,6,7,900,950\n"
                                        "\"MARKER_CORE_API\",\"step\",5,6,8,800,990\n"
                                        "\"RCCL_API\",\"ncclAllReduce\",5,6,9,960,970\n");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.kind[0], EventKind::kHostCall);
  EXPECT_EQ(table.kind[1], EventKind::kHostRange);
  EXPECT_EQ(table.kind[2], EventKind::kHostCall);
  EXPECT_EQ(table.strings[table.category[0]], "HIP_RUNTIME_API_EXT");
  EXPECT_EQ(table.correlation[0], 7);
  EXPECT_EQ(table.strings[track_at(table, 0).process], "5");
  EXPECT_EQ(table.strings[track_at(table, 0).thread], "6");
}

TEST(Rocprofv3Csv, ACallHasItsOwnNameBesideItsKernels) {  // as rocprofv2 has it, an empty line below its header
  const EventTable table = read_text(read_rocprofv3_csv,
                                     "Domain,Function,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID\n\n"
                                     "HIP_API_DOMAIN,hipMalloc,,100,150,1\n"
                                     "HIP_API_DOMAIN,hipLaunchKernel,add,200,250,2\n");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.strings[table.name[0]], "hipMalloc");
  EXPECT_EQ(table.strings[table.name[1]], "hipLaunchKernel");
  EXPECT_EQ(argument_at(table, 1, "Kernel_Name"), R"("add")");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Rocprofv3Csv, TheGuidOfADatabaseIsAnArgument) {
  const EventTable table = read_text(
      read_rocprofv3_csv, "\"Guid\"," + kApiHeader + "\"0000ddb5\",\"HSA_CORE_API\",\"hsa_init\",5,6,7,900,950\n");
  EXPECT_EQ(table.kind[0], EventKind::kHostCall);
  EXPECT_EQ(argument_at(table, 0, "Guid"), "\"0000ddb5\"");
}

TEST(Rocprofv3Csv, ACopyLiesOnTheGpu) {
  const EventTable table =
      read_text(read_rocprofv3_csv,
                "\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\","
                "\"Start_Timestamp\",\"End_Timestamp\"\n"
                "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",2,\"Agent 0\",\"Agent 4\",1,10,20\n"
                "\"MEMORY_COPY\",\"MEMORY_COPY_DEVICE_TO_HOST\",2,\"Agent 4\",\"Agent 0\",2,30,45\n");
  ASSERT_EQ(table.size(), 2);
  for (const size_t i : {0, 1}) {
    EXPECT_EQ(table.kind[i], EventKind::kCopy);
    EXPECT_EQ(track_at(table, i).device, 4);
    EXPECT_EQ(track_at(table, i).stream, 2);
  }
  EXPECT_EQ(argument_at(table, 1, "Source_Agent_Id"), "\"Agent 4\"");
}

TEST(Rocprofv3Csv, MemoryAndScratchAreNeitherCallsNorDeviceWork) {
  const EventTable table =
      read_text(read_rocprofv3_csv,
                "\"Kind\",\"Operation\",\"Agent_Id\",\"Allocation_Size\",\"Address\",\"Correlation_Id\","
                "\"Start_Timestamp\",\"End_Timestamp\"\n\"MEMORY_ALLOCATION\",\"MEMORY_ALLOCATION_FREE\",\"\",0,"
                "\"0x00007ffb26354000\",7,100,110\n");
  EXPECT_EQ(table.kind[0], EventKind::kOther);
  EXPECT_EQ(table.duration_ns[0], 10);
  EXPECT_EQ(argument_at(table, 0, "Address"), "\"0x00007ffb26354000\"");
}

TEST(Rocprofv3Csv, SamplesAreInstants) {
  const EventTable table = read_text(
      read_rocprofv3_csv,
      "\"Sample_Timestamp\",\"Exec_Mask\",\"Dispatch_Id\",\"Instruction\",\"Instruction_Comment\",\"Correlation_Id\","
      "\"Stall_Reason\"\n390705261841337,18446744073709551615,24,\"s_waitcnt vmcnt(0)\",\"\",24,\"WAITCNT\"\n");
  EXPECT_EQ(table.shape[0], EventShape::kInstant);
  EXPECT_EQ(table.start_ns[0], 390705261841337);
  EXPECT_EQ(name_at(table, 0), "s_waitcnt vmcnt(0)");
  EXPECT_EQ(argument_at(table, 0, "Exec_Mask"), "\"18446744073709551615\"");  // more than an integer holds
  EXPECT_EQ(argument_at(table, 0, "Stall_Reason"), "\"WAITCNT\"");
}

TEST(Rocprofv3Csv, StatisticsAndAgentsAreUntimed) {
  const EventTable sums =
      read_text(read_rocprofv3_csv,
                "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n"
                "\"hipMalloc\",2,30,15.000000,100.00,10,20,5.0\n");
  EXPECT_EQ(sums.shape[0], EventShape::kUntimed);
  EXPECT_EQ(sums.duration_ns[0], 0);
  EXPECT_EQ(argument_at(sums, 0, "TotalDurationNs"), "30");
  const EventTable agents = read_text(
      read_rocprofv3_csv, "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\"\n4,0,\"GPU\",\"gfx942\"\n");
  EXPECT_EQ(agents.shape[0], EventShape::kUntimed);
  EXPECT_EQ(name_at(agents, 0), "gfx942");
  EXPECT_TRUE(agents.losses.entries().empty());
}

TEST(Rocprofv3Csv, ADispatchIsOneKernelHoweverManyCountersItHas) {
  const std::string row = R"(1,1,"Agent 4",1,15,"k",)";
  const EventTable table = read_text(
      read_rocprofv3_csv, kCounterHeader + row + "\"WAVES\",16384.0,1000,1250\n" + row + "\"CYCLES\",7,1000,1250\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(argument_at(table, 0, "WAVES"), "16384");
  EXPECT_EQ(argument_at(table, 0, "CYCLES"), "7");
}

TEST(Rocprofv3Csv, CountersDoNotCountADispatchOfTheTraceTwice) {
  const std::string counters = kCounterHeader + "7,1,\"Agent 4\",1,15,\"k\",\"WAVES\",9,1000,1250\n" +
                               "8,2,\"Agent 4\",1,15,\"only counted\",\"WAVES\",9,2000,2250\n";
  const std::string trace = kKernelHeader + kKernel;
  for (const bool counters_first : {true, false}) {
    EventTable table;
    read_more(read_rocprofv3_csv, counters_first ? counters : trace, table);
    read_more(read_rocprofv3_csv, counters_first ? trace : counters, table);
    read_more(read_rocprofv3_csv, counters, table, 1);  // of another recording
    ASSERT_EQ(table.size(), 5);
    const size_t counted = counters_first ? 0 : 1;
    const size_t traced = counters_first ? 2 : 0;
    EXPECT_EQ(table.shape[counted], EventShape::kUntimed);
    EXPECT_EQ(table.duration_ns[counted], 250);
    EXPECT_EQ(argument_at(table, counted, "WAVES"), "9");
    EXPECT_EQ(argument_at(table, counted, "Start_Timestamp"), "1000");
    EXPECT_EQ(table.shape[traced], EventShape::kSlice);
    EXPECT_EQ(table.shape[counted + 1], EventShape::kSlice);
    EXPECT_EQ(table.shape[3], EventShape::kSlice);
  }
}

TEST(Rocprofv3Csv, FilesOfARunAreOneRecording) {
  for (const char* file : {"kernel_trace", "hip_api_trace", "marker_api_trace", "memory_copy_trace", "agent_info",
                           "counter_collection", "domain_stats", "kernel_stats", "pc_sampling_host_trap"}) {
    EXPECT_EQ(rocprofv3_recording(std::string("out/host/1234_") + file + ".csv"), "out/host/1234") << file;
  }
  EXPECT_EQ(rocprofv3_recording("out/kernel_trace.csv"), "out/kernel_trace.csv");
  EXPECT_EQ(rocprofv3_recording("out/_kernel_trace.csv"), "out/_kernel_trace.csv");
}

TEST(Rocprofv3Csv, AFolderOfARunJoinsCallsAndKernels) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path run = folder->path() / "host";
  std::filesystem::create_directories(run);
  std::ofstream(run / "12_kernel_trace.csv") << kKernelHeader << kKernel;
  std::ofstream(run / "12_hip_api_trace.csv")
      << kApiHeader << "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",12,12,7,900,950\n";
  std::ofstream(run / "13_kernel_trace.csv") << kKernelHeader << kKernel;
  std::ofstream(run / "notes.txt") << "not a trace\n";
  const std::filesystem::path paths[] = {folder->path()};
  const auto trace = read_trace(paths);
  ASSERT_TRUE(trace) << trace.error().message;
  const EventTable& table = trace->events;
  ASSERT_EQ(table.size(), 3);
  ASSERT_EQ(table.recordings.size(), 2);
  EXPECT_EQ(table.recordings[0].name, (run / "12").string());
  EXPECT_EQ(table.kind[0], EventKind::kHostCall);
  EXPECT_EQ(table.correlation[0], table.correlation[1]);
  EXPECT_EQ(track_at(table, 0).recording, track_at(table, 1).recording);
  EXPECT_EQ(track_at(table, 2).recording, 1);
  EXPECT_EQ(trace->unknown.size(), 1);
}

TEST(Rocprofv3Csv, TakesNoOthersFiles) {
  EXPECT_TRUE(is_rocprofv3_csv(kKernelHeader));
  EXPECT_FALSE(is_rocprofv3_csv("Dispatch_ID,Kernel_Name,GPU_ID,Counter_Name,Counter_Value\n"));
  EXPECT_FALSE(is_rocprofv3_csv("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"));
  EXPECT_FALSE(is_rocprofv3_csv("{\"traceEvents\": []}"));
}

}  // namespace
}  // namespace aaco
