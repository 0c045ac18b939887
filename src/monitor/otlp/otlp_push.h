// SPDX-License-Identifier: MIT
// Sends metrics to a collector of OpenTelemetry, on a thread of its own: one that is slow or away costs the monitor
// nothing but metrics that are not sent, which are counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/http/http_post.h"
#include "base/result.h"

namespace aaco {

// "http://localhost:4318"; the path is /v1/metrics where it names none. Errors: as parse_http_url().
Result<HttpUrl> parse_otlp_url(std::string_view text);

class OtlpPush {
 public:
  struct Counts {
    int64_t sent = 0;
    int64_t lost = 0;          // a newer one came first, or the collector refused it, or was away for too long
    std::string last_failure;  // of the last try; empty where it worked
  };

  // Errors: kResource where there can be no thread.
  static Result<std::unique_ptr<OtlpPush>> start(HttpUrl url);
  OtlpPush(const OtlpPush&) = delete;
  OtlpPush& operator=(const OtlpPush&) = delete;
  ~OtlpPush();

  // Sends `body`, an OTLP request in JSON. Does not wait. One at most waits to be sent: the newest.
  void offer(std::string body);
  Counts counts() const;
  void stop();

  // How often one request is sent at most, 1, 2, 4, 8 s apart.
  static constexpr int kMostTries = 5;

 private:
  explicit OtlpPush(HttpUrl url) : url_(std::move(url)) {}
  void run();
  void send(const std::string& body);
  // False when the thread shall end, or there is something newer to send.
  bool pause(int64_t ns);

  const HttpUrl url_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> waiting_;
  Counts counts_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace aaco
