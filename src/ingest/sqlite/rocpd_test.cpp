// SPDX-License-Identifier: MIT
// Databases made after the documented schemas, which is all that is known of rocpd here: no recording was at hand.
#include <bit>

#include "ingest/sqlite/test_database.h"

namespace aaco {
namespace {

// What both schemas share.
std::string shared(const std::string& end) {
  const auto table = [&](const char* name) { return "CREATE TABLE rocpd_" + (name + end); };
  const auto into = [&](const char* name) { return "INSERT INTO rocpd_" + (name + end); };
  return table("metadata") + " (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);" + table("string") +
         " (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);" + into("string") +
         " VALUES (1, 'g', 'hipLaunchKernel'), (2, 'g', 'HIP_RUNTIME_API'), (3, 'g', 'KERNEL_DISPATCH'), "
         "(4, 'g', 'MEMORY_COPY_DEVICE_TO_HOST'), (5, 'g', 'step 1'), (6, 'g', 'MARKER_CORE_API');" +
         table("info_process") + " (id INTEGER PRIMARY KEY, pid INTEGER, command TEXT, environment TEXT);" +
         into("info_process") + " VALUES (1, 4242, './app', '{\"TOKEN\": \"secret\"}');" + table("info_thread") +
         " (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, name TEXT);" + into("info_thread") +
         " VALUES (1, 1, 4243, 'main');" + table("info_agent") + " (id INTEGER PRIMARY KEY, type TEXT, name TEXT);" +
         into("info_agent") + " VALUES (0, 'CPU', 'EPYC'), (2, 'GPU', 'gfx942');" + table("info_kernel_symbol") +
         " (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);" + into("info_kernel_symbol") +
         " VALUES (8, '_Z1kv.kd', 'k()');" + table("info_pmc") + " (id INTEGER PRIMARY KEY, name TEXT);" +
         into("info_pmc") + " VALUES (1, 'SQ_WAVES');" + table("pmc_event") +
         " (id INTEGER PRIMARY KEY, event_id INTEGER, pmc_id INTEGER, value REAL);" + into("pmc_event") +
         " VALUES (1, 2, 1, 96.0);" + table("arg") +
         " (id INTEGER PRIMARY KEY, event_id INTEGER, position INTEGER, type TEXT, name TEXT, value TEXT);" +
         into("arg") + " VALUES (1, 1, 0, 'int', 'stream', '0x7f');";
}

// Event 1 calls, events 2 and 3 are what it started; event 4 is a marker.
std::string schema_3(const std::string& end) {
  return shared(end) + "CREATE TABLE rocpd_event" + end +
         " (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id "
         "INTEGER, call_stack TEXT, extdata TEXT);"
         "INSERT INTO rocpd_event" +
         end +
         " VALUES (1, 2, 31, 0, 0, '{}', '{}'), (2, 3, 31, 31, 0, '{}', '{}'), (3, 3, 31, 31, 0, '{}', '{}'), "
         "(4, 6, 0, 0, 0, '{}', '{\"message\": 1}');"
         "CREATE TABLE rocpd_region" +
         end +
         " (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, "
         "name_id INTEGER, event_id INTEGER, extdata TEXT);"
         "INSERT INTO rocpd_region" +
         end +
         " VALUES (1, 'g', 1, 1, 1, 100, 110, 1, 1, '{}'), (2, 'g', 1, 1, 1, 90, 300, 5, 4, '{}');"
         "CREATE TABLE rocpd_kernel_dispatch" +
         end +
         " (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id "
         "INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start INTEGER, end INTEGER, "
         "grid_size_x INTEGER, event_id INTEGER, extdata TEXT);"
         "INSERT INTO rocpd_kernel_dispatch" +
         end +
         " VALUES (1, 'g', 1, 1, 1, 2, 8, 77, 5, 6, 120, 150, 256, 2, '{}');"
         "CREATE TABLE rocpd_memory_copy" +
         end +
         " (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, "
         "name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, stream_id INTEGER, event_id "
         "INTEGER);"
         "INSERT INTO rocpd_memory_copy" +
         end + " VALUES (1, 'g', 1, 1, 1, 150, 170, 4, 0, 2, 4096, 6, 3);";
}

// Times, and where events lie, by number.
std::string schema_4() {
  return shared("") +
         "CREATE TABLE rocpd_info_category (id INTEGER PRIMARY KEY, name TEXT);"
         "INSERT INTO rocpd_info_category VALUES (1, 'HIP_RUNTIME_API'), (2, 'KERNEL_DISPATCH');"
         "CREATE TABLE rocpd_event (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, correlation_id "
         "INTEGER);"
         "INSERT INTO rocpd_event VALUES (1, 1, 31, 0), (2, 2, 31, 0), (3, 2, 0, 0);"
         "CREATE TABLE rocpd_track (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id "
         "INTEGER, stream_id INTEGER, name_id INTEGER);"
         "INSERT INTO rocpd_track VALUES (1, 1, 1, NULL, NULL, NULL, NULL), (2, 1, 1, 2, 5, 6, NULL);"
         "CREATE TABLE rocpd_timestamp (id INTEGER PRIMARY KEY, value INTEGER);"
         "INSERT INTO rocpd_timestamp VALUES (1, 120), (2, 150), (3, 100), (4, 110), (5, 135);"
         "CREATE TABLE rocpd_region (id INTEGER PRIMARY KEY, track_id INTEGER, name_id INTEGER, start_id INTEGER, "
         "end_id INTEGER, event_id INTEGER);"
         "INSERT INTO rocpd_region VALUES (1, 1, 1, 3, 4, 1);"
         "CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, track_id INTEGER, kernel_id INTEGER, dispatch_id "
         "INTEGER, start_id INTEGER, end_id INTEGER, event_id INTEGER);"
         "INSERT INTO rocpd_kernel_dispatch VALUES (1, 2, 8, 77, 1, 2, 2);"
         "CREATE TABLE rocpd_sample (id INTEGER PRIMARY KEY, track_id INTEGER, name_id INTEGER, timestamp_id INTEGER, "
         "event_id INTEGER);"
         "INSERT INTO rocpd_sample VALUES (1, 2, 5, 5, 3);"
         "INSERT INTO rocpd_pmc_event VALUES (2, 3, 1, 7.0);";
}

void expect_a_launched_kernel(EventTable& table) {
  const size_t kernel = events_named(table, "k()").at(0);
  EXPECT_EQ(table.kind[kernel], EventKind::kKernel);
  EXPECT_EQ(table.start_ns[kernel], 120);
  EXPECT_EQ(table.duration_ns[kernel], 30);
  EXPECT_EQ(table.strings[table.category[kernel]], "KERNEL_DISPATCH");
  EXPECT_EQ(table.correlation[kernel], 31);
  EXPECT_EQ(table.external_id[kernel], kNoId);
  const Track& stream = table.tracks[table.track[kernel]];
  EXPECT_EQ(stream.device, 2);
  EXPECT_EQ(stream.stream, 6);
  EXPECT_EQ(table.strings[stream.process], "4242");
  EXPECT_EQ(argument_text(table, kernel, "symbol"), "_Z1kv.kd");
  EXPECT_EQ(argument_text(table, kernel, "dispatch_id"), "77");
  const auto waves = table.arguments.find(kernel, table.strings.intern("SQ_WAVES"));
  ASSERT_TRUE(waves);
  EXPECT_EQ(std::bit_cast<double>(waves->bits), 96.0);

  const size_t call = events_named(table, "hipLaunchKernel").at(0);
  EXPECT_EQ(table.kind[call], EventKind::kHostCall);
  EXPECT_EQ(table.correlation[call], 31);
  EXPECT_EQ(argument_text(table, call, "stream"), "0x7f");
  const Track& thread = table.tracks[table.track[call]];
  EXPECT_EQ(table.strings[thread.thread], "4243");
  EXPECT_EQ(table.strings[thread.thread_name], "main");
  EXPECT_EQ(table.strings[thread.process_name], "./app");
}

TEST(Rocpd, Schema3) {
  EventTable table = read_sql(schema_3("_0001"));
  EXPECT_EQ(table.recordings[0].format, "rocpd");
  ASSERT_EQ(table.size(), 4);
  expect_a_launched_kernel(table);
  const size_t copy = events_named(table, "MEMORY_COPY_DEVICE_TO_HOST").at(0);
  EXPECT_EQ(table.kind[copy], EventKind::kCopy);
  EXPECT_EQ(table.tracks[table.track[copy]].device, 2);  // its source: it goes to the host
  EXPECT_EQ(argument_text(table, copy, "size"), "4096");
  const size_t marker = events_named(table, "step 1").at(0);
  EXPECT_EQ(table.kind[marker], EventKind::kHostRange);
  EXPECT_EQ(table.correlation[marker], kNoId);
  EXPECT_EQ(argument_text(table, marker, "event_extdata"), "{\"message\": 1}");
  EXPECT_TRUE(table.losses.entries().empty()) << table.losses.entries()[0].example;
}

TEST(Rocpd, Schema4) {
  EventTable table = read_sql(schema_4());
  ASSERT_EQ(table.size(), 3);
  expect_a_launched_kernel(table);
  const size_t sample = events_named(table, "step 1").at(0);
  EXPECT_EQ(table.shape[sample], EventShape::kCounter);
  EXPECT_EQ(table.start_ns[sample], 135);
  EXPECT_EQ(std::bit_cast<double>(table.arguments.find(sample, table.strings.intern("SQ_WAVES"))->bits), 7.0);
  EXPECT_TRUE(table.losses.entries().empty()) << table.losses.entries()[0].example;
}

TEST(Rocpd, EachEndingIsARecording) {
  const EventTable table = read_sql(schema_3("_0001") + schema_3("_0002"));
  ASSERT_EQ(table.size(), 8);
  ASSERT_EQ(table.recordings.size(), 2);
  EXPECT_EQ(table.recordings[1].name, "t.db (_0002)");
  EXPECT_EQ(table.tracks[table.track[0]].recording, 0);
  EXPECT_EQ(table.tracks[table.track[7]].recording, 1);
}

TEST(Rocpd, TheEnvironmentStaysWhereItIs) {
  const EventTable table = read_sql(schema_3("_0001"));
  for (StringId i = 0; i < table.strings.size(); ++i) {
    EXPECT_EQ(table.strings[i].find("secret"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace aaco
