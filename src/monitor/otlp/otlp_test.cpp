// SPDX-License-Identifier: MIT
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "base/clock.h"
#include "base/http/http_server.h"
#include "base/json/json.h"
#include "monitor/otlp/otlp_metrics.h"
#include "monitor/otlp/otlp_push.h"

namespace aaco {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

Json metric_of(const FamilyInfo& info, double value = 1) {
  MetricSet metrics;
  metrics.add(info, {{"device", "0000:1b:00.0"}, {"vendor", "nvidia"}}, value);
  return otlp_request(metrics, {1, 2}, "node")["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0];
}

std::string attribute_of(const Json& metric, const char* data, const std::string& key) {
  for (const Json& attribute : metric[data]["dataPoints"][0]["attributes"]) {
    if (attribute["key"] == key) {
      return attribute["value"]["stringValue"];
    }
  }
  return "";
}

TEST(OtlpMetrics, HardwareHasTheNamesOfTheConventions) {
  const Json power = metric_of({"aaco_gpu_power_watts", MetricType::kGauge, "watts", "of the board"}, 687.5);
  EXPECT_EQ(power["name"], "hw.power");
  EXPECT_EQ(power["unit"], "W");
  EXPECT_EQ(power["gauge"]["dataPoints"][0]["asDouble"], 687.5);
  EXPECT_EQ(power["gauge"]["dataPoints"][0]["timeUnixNano"], "2");
  EXPECT_EQ(attribute_of(power, "gauge", "hw.id"), "0000:1b:00.0");
  EXPECT_EQ(attribute_of(power, "gauge", "hw.type"), "gpu");
  EXPECT_EQ(attribute_of(power, "gauge", "hw.vendor"), "nvidia");
  const Json heat = metric_of({"aaco_gpu_temperature_celsius", MetricType::kGauge, "celsius", ""});
  EXPECT_EQ(heat["name"], "hw.temperature");
  EXPECT_EQ(heat["unit"], "Cel");
  EXPECT_EQ(attribute_of(heat, "gauge", "hw.type"), "temperature");
  EXPECT_EQ(attribute_of(heat, "gauge", "hw.parent"), "0000:1b:00.0");
  EXPECT_EQ(metric_of({"aaco_gpu_busy_ratio", MetricType::kGauge, "ratio", ""})["name"], "hw.gpu.utilization");
  const Json memory = metric_of({"aaco_gpu_memory_used_bytes", MetricType::kGauge, "bytes", ""});
  EXPECT_EQ(memory["name"], "hw.gpu.memory.usage");
  EXPECT_EQ(memory["sum"]["isMonotonic"], false);
  const Json energy = metric_of({"aaco_gpu_energy_joules", MetricType::kCounter, "joules", ""});
  EXPECT_EQ(energy["name"], "hw.energy");
  EXPECT_EQ(energy["sum"]["isMonotonic"], true);
  EXPECT_EQ(energy["sum"]["aggregationTemporality"], 2);
  EXPECT_EQ(energy["sum"]["dataPoints"][0]["startTimeUnixNano"], "1");
}

TEST(OtlpMetrics, EverythingElseIsOurs) {
  const Json clock = metric_of({"aaco_gpu_core_clock_hertz", MetricType::kGauge, "hertz", ""});
  EXPECT_EQ(clock["name"], "aaco.gpu.core_clock");
  EXPECT_EQ(clock["unit"], "Hz");
  EXPECT_EQ(metric_of({"aaco_gpu_throttled", MetricType::kGauge, "", ""})["name"], "aaco.gpu.throttled");
  EXPECT_EQ(metric_of({"aaco_gpu_throttled_seconds", MetricType::kCounter, "seconds", ""})["name"],
            "aaco.gpu.throttled_time");
  EXPECT_EQ(metric_of({"process_open_fds", MetricType::kGauge, "", ""})["name"], "aaco.process.open_fds");
}

// A collector that answers what it is told to.
class OtlpPushTo : public testing::Test {
 protected:
  void SetUp() override {
    auto started = HttpServer::start({}, [this](const HttpRequest&) {
      const int count = ++requests_;
      return HttpResponse{.status = count <= failures_ ? failure_.load() : 200, .body = {}, .headers = {}};
    });
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  OtlpPush::Counts counts_after(int64_t total, OtlpPush& push) {
    const int64_t deadline_ns = monotonic_ns() + 20 * kSecondNs;
    while (push.counts().sent + push.counts().lost < total && monotonic_ns() < deadline_ns) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return push.counts();
  }
  static std::unique_ptr<OtlpPush> push_to(int port) {
    auto push = OtlpPush::start({"127.0.0.1", port, "/v1/metrics"});
    EXPECT_TRUE(push) << push.error().message;
    return std::move(*push);
  }

  std::atomic<int> requests_{0};
  std::atomic<int> failures_{0};
  std::atomic<int> failure_{503};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(OtlpPushTo, ABusyCollectorIsTriedAgain) {
  failures_ = 1;
  const auto sender = push_to(server_->port());
  sender->offer("{}");
  EXPECT_EQ(counts_after(1, *sender).sent, 1);
  EXPECT_EQ(requests_, 2);
}

TEST_F(OtlpPushTo, ARefusalIsFinal) {
  failures_ = 1;
  failure_ = 400;
  const auto sender = push_to(server_->port());
  sender->offer("{}");
  const OtlpPush::Counts counts = counts_after(1, *sender);
  EXPECT_EQ(counts.lost, 1);
  EXPECT_EQ(counts.last_failure, "status 400");
  EXPECT_EQ(requests_, 1);
}

TEST_F(OtlpPushTo, NobodyThereCostsTheCallerNothing) {
  server_->stop();
  const int port = server_->port();
  server_.reset();
  const auto sender = push_to(port);
  const int64_t start_ns = monotonic_ns();
  for (int i = 0; i < 1000; ++i) {
    sender->offer("{}");
  }
  EXPECT_LT(monotonic_ns() - start_ns, kSecondNs);
  EXPECT_GE(sender->counts().lost, 990);  // one waits, one is under way, and a few may have been tried
}

TEST(OtlpUrl, HasThePathOfMetrics) {
  EXPECT_EQ(parse_otlp_url("http://localhost")->path, "/v1/metrics");
  EXPECT_EQ(parse_otlp_url("http://localhost:4318/")->path, "/v1/metrics");
  EXPECT_EQ(parse_otlp_url("http://localhost/otlp/v1/metrics")->path, "/otlp/v1/metrics");
  EXPECT_FALSE(parse_otlp_url("https://localhost"));
}

}  // namespace
}  // namespace aaco
