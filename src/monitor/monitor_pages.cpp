// SPDX-License-Identifier: MIT
#include "monitor/monitor_pages.h"

#include "monitor/exposition.h"

namespace aaco {

namespace {

constexpr const char* kIndex =
    "<!doctype html><html lang=\"en\"><title>aaco monitor</title><h1>aaco monitor</h1>"
    "<p><a href=\"/metrics\">/metrics</a>: for Prometheus</p><p><a href=\"/healthz\">/healthz</a>: this "
    "runs</p></html>\n";

}  // namespace

HttpResponse monitor_response(const HttpRequest& request, const std::function<MetricSet()>& metrics) {
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .body = "only GET and HEAD\n", .headers = {{"Allow", "GET, HEAD"}}};
  }
  if (request.path == "/metrics") {
    const ExpositionFormat format = exposition_format(request.header("accept"));
    return {.status = 200,
            .content_type = content_type(format),
            .body = exposition_text(metrics(), format),
            .headers = {{"Vary", "Accept"}}};
  }
  if (request.path == "/healthz") {
    return {.status = 200, .body = "ok\n", .headers = {}};
  }
  if (request.path == "/") {
    return {.status = 200, .content_type = "text/html; charset=utf-8", .body = kIndex, .headers = {}};
  }
  return {.status = 404, .body = "there is /metrics and /healthz\n", .headers = {}};
}

}  // namespace aaco
