// SPDX-License-Identifier: MIT
// What a client asks and what it is answered.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aaco {

class HttpStream;

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;   // "GET"
  std::string path;     // "/metrics", as the client wrote it
  std::string query;    // behind the "?"
  HttpHeaders headers;  // names in lower case
  std::string body;
  // Of a target in absolute form (GET http://localhost/metrics), as proxies get it; "localhost".
  std::string authority = {};

  // All values of a header with commas between them; empty where there is none. `name` is in lower case.
  std::string header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  HttpHeaders headers;  // beside those of every answer
  // Where there is one, what follows `body`, for as long as it is open (http_stream.h).
  std::shared_ptr<HttpStream> stream = nullptr;
};

// Called on the server's thread, so that it must not wait: a slow answer holds up every other client.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Gives the answer, from any thread and at any time: the first call counts, and none does where the client has gone.
using HttpReply = std::function<void(HttpResponse)>;
// Called on the server's thread too; who has to wait keeps the reply for later. What it throws is an answer of 500.
using HttpLaterHandler = std::function<void(HttpRequest, HttpReply)>;

}  // namespace aaco
