// SPDX-License-Identifier: MIT
#include "kind/queue_probe/queue_probe_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

TEST(QueueProbeDocument, ReadsWhatItWrites) {
  QueueProbeDocument probe;
  probe.version = "1";
  probe.bundle = "s/d/probe";
  probe.request.device = "cuda:1";
  probe.device_name = "a device";
  probe.independent.kernels = 7;
  probe.launches.resize(2);
  probe.launches[1].threads = 4;
  probe.limit.queues = 8;
  probe.records.kernels = 5;
  const Json written = Json(probe);
  const auto read = read_queue_probe({{"document", written}, {"raw", Json::array()}}, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(*read).dump(), written.dump());
}

TEST(QueueProbeDocument, RefusesWhatIsNone) {
  for (const Json& file : {Json(), Json::array(), Json{{"document", 3}}, Json{{"document", {{"kind", "queue_run"}}}}}) {
    EXPECT_THAT(read_queue_probe(file, "x.json").error().message,
                testing::HasSubstr("x.json: not what aaco queue probe wrote"));
  }
  EXPECT_FALSE(read_queue_probe({{"document", {{"kind", "queue_probe"}}}}, "x.json"));
}

}  // namespace
}  // namespace aaco
