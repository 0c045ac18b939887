// SPDX-License-Identifier: MIT
// Sends a body to an HTTP server, for those that only need to know whether it was taken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco {

struct HttpUrl {
  std::string host;  // without brackets
  int port = 80;
  std::string path;  // "/"
};

// "http://localhost:4318/v1/metrics"; `default_port` where it names none. Errors: kUsage for anything else, https among
// it, since nothing here speaks TLS.
Result<HttpUrl> parse_http_url(std::string_view text, int default_port);

// The status of the answer. Errors: kResource where nobody answers by the deadline (monotonic_ns()), or not in HTTP;
// kInterrupted.
Result<int> http_post(const HttpUrl& url, std::string_view content_type, std::string_view body, int64_t deadline_ns);

}  // namespace aaco
