// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprof_csv.h"

#include "ingest/test_reading.h"

namespace aaco {
namespace {

TEST(RocprofCsv, KernelsHaveTimesOrCountersOrBoth) {
  const EventTable timed = read_text(
      read_rocprof_csv,
      "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"pid\",\"obj\",\"DispatchNs\",\"BeginNs\",\"EndNs\","
      "\"CompleteNs\",\"DurationNs\"\n0,\"k<double>(double*, int) [clone .kd]\",8,1,33,\"0x7f\",90,100,350,400,250\n");
  ASSERT_EQ(timed.size(), 1);
  EXPECT_EQ(timed.kind[0], EventKind::kKernel);
  EXPECT_EQ(timed.start_ns[0], 100);
  EXPECT_EQ(timed.duration_ns[0], 250);
  EXPECT_EQ(name_at(timed, 0), "k<double>(double*, int) [clone .kd]");
  EXPECT_EQ(track_at(timed, 0).device, 8);
  EXPECT_EQ(track_at(timed, 0).stream, 1);
  EXPECT_EQ(argument_at(timed, 0, "DispatchNs"), "90");
  EXPECT_EQ(argument_at(timed, 0, "DurationNs"), "none");

  const EventTable counted = read_text(
      read_rocprof_csv, "Index,KernelName,gpu-id,queue-id,FETCH_SIZE\n0,\"k\",8,0,6.8125000000\n1,\"k\",8,0,7\n");
  ASSERT_EQ(counted.size(), 2);
  EXPECT_EQ(counted.shape[0], EventShape::kUntimed);
  EXPECT_EQ(argument_at(counted, 0, "FETCH_SIZE"), "6.8125");
  EXPECT_TRUE(counted.losses.entries().empty());
}

TEST(RocprofCsv, StatisticsAreUntimed) {
  const EventTable table = read_text(read_rocprof_csv,
                                     "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
                                     "\"hipMemcpy\",6,276004952,46000825,96.61\n");
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(table.kind[0], EventKind::kOther);
  EXPECT_EQ(argument_at(table, 0, "Calls"), "6");
}

TEST(RocprofCsv, NamesOfStatisticsMayHoldCommasWithoutQuotes) {  // those of kernels, as rocprof v1 writes them
  const EventTable table = read_text(read_rocprof_csv,
                                     "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
                                     "void k<float, 4, 2>(float*, int),2,600,300,75\r\n"
                                     "\"void q<1, 2>()\",1,100,100,12.5\n"
                                     "void k<1, 2>(),1,x,100,100,5\n"
                                     "\"void q()\",1,1,100,100,12.5\n");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.strings[table.name[0]], "void k<float, 4, 2>(float*, int)");
  EXPECT_EQ(argument_at(table, 0, "Calls"), "2");
  EXPECT_EQ(argument_at(table, 0, "TotalDurationNs"), "600");
  EXPECT_EQ(argument_at(table, 0, "Percentage"), "75");
  EXPECT_EQ(table.strings[table.name[1]], "void q<1, 2>()");
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 2);
}

TEST(RocprofCsv, FilesOfARunAreOneRecording) {
  for (const char* file : {"results.csv", "results.stats.csv", "results.hip_stats.csv", "results.copy_stats.csv"}) {
    EXPECT_EQ(rocprof_recording(std::string("out/") + file), "out/results");
  }
}

}  // namespace
}  // namespace aaco
