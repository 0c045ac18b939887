// SPDX-License-Identifier: MIT
#include "base/http/http_post.h"

#include <fmt/format.h>
#include <optional>
#include <sys/socket.h>

#include "base/interrupt.h"
#include "base/net/socket.h"
#include "base/text/number_text.h"

namespace aaco {

namespace {

constexpr size_t kMostHeaderBytes = 16'384;

// The lines of an answer's header, until the server ends it, or the time does. What follows is left unread.
class AnswerLines {
 public:
  AnswerLines(const Socket& socket, int64_t deadline_ns) : socket_(socket), deadline_ns_(deadline_ns) {}

  // Without its end; none where it has none.
  std::optional<std::string> next() {
    size_t end = text_.find('\n', start_);
    for (char piece[1024]; end == std::string::npos; end = text_.find('\n', start_)) {
      if (text_.size() >= kMostHeaderBytes || !socket_.wait(deadline_ns_)) {
        return std::nullopt;
      }
      const ssize_t got = ::recv(socket_.descriptor(), piece, sizeof piece, 0);
      if (got <= 0) {
        return std::nullopt;
      }
      text_.append(piece, static_cast<size_t>(got));
    }
    std::string line = text_.substr(start_, end - start_);
    start_ = end + 1;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    return line;
  }

  bool empty() const { return text_.empty(); }

 private:
  const Socket& socket_;
  int64_t deadline_ns_;
  std::string text_;
  size_t start_ = 0;
};

// "HTTP/1.1 200 OK"; the words may be missing, with the blank before them.
std::optional<int> status_of_line(std::string_view line) {
  constexpr std::string_view kForm = "HTTP/1.d ddd";
  if (line.size() < kForm.size() || (line.size() > kForm.size() && line[kForm.size()] != ' ')) {
    return std::nullopt;
  }
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == 'd' ? line[i] >= '0' && line[i] <= '9' : line[i] == kForm[i];
    if (!fits) {
      return std::nullopt;
    }
  }
  const std::optional<int32_t> status = number_of_text<int32_t>(line.substr(kForm.size() - 3, 3));
  return status && *status >= 100 ? std::optional<int>(*status) : std::nullopt;
}

// Of the answer behind those that only tell that it comes (100 Continue).
std::optional<int> final_status(AnswerLines& lines) {
  while (const std::optional<std::string> line = lines.next()) {
    const std::optional<int> status = status_of_line(*line);
    if (!status || *status >= 200) {
      return status;
    }
    std::optional<std::string> header = lines.next();
    while (header && !header->empty()) {
      header = lines.next();
    }
  }
  return std::nullopt;
}

}  // namespace

Result<HttpUrl> parse_http_url(std::string_view text, int default_port) {
  constexpr std::string_view kScheme = "http://";
  const auto failure = [&](const char* hint) {
    return Error{ErrorKind::kUsage, fmt::format("{} is no address to send to", text), hint};
  };
  if (text.starts_with("https://")) {
    return failure("aaco speaks no TLS: send to a collector on this machine, which passes it on");
  }
  if (!text.starts_with(kScheme) || text.find_first_of(" \r\n\t?#@") != std::string_view::npos) {
    return failure("for example http://localhost:4318");
  }
  text.remove_prefix(kScheme.size());
  const size_t slash = text.find('/');
  std::string_view place = text.substr(0, slash);
  HttpUrl url{"", default_port, slash == std::string_view::npos ? "/" : std::string(text.substr(slash))};
  const size_t bracket = place.find(']');
  const size_t colon = place.find(':', place.starts_with('[') && bracket != std::string_view::npos ? bracket : 0);
  if (colon != std::string_view::npos) {
    const std::optional<int32_t> port = number_of_text<int32_t>(place.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) {
      return failure("a port is a number from 1 to 65535");
    }
    url.port = *port;
    place = place.substr(0, colon);
  }
  url.host = place.starts_with('[') && place.ends_with(']') ? place.substr(1, place.size() - 2) : place;
  return url.host.empty() ? Result<HttpUrl>(failure("for example http://localhost:4318")) : url;
}

Result<int> http_post(const HttpUrl& url, std::string_view content_type, std::string_view body, int64_t deadline_ns) {
  const std::string place = address_text(url.host, url.port);
  const auto failure = [&](const std::string& what) {
    return interrupted() ? Error{ErrorKind::kInterrupted, "interrupted", ""}
                         : Error{ErrorKind::kResource, place + " " + what, "is it an HTTP server, and does it run?"};
  };
  AACO_ASSIGN(const Socket socket, connect_tcp(url.host, url.port, deadline_ns));
  const timeval limit{5, 0};  // of a receiver that reads nothing
  (void)::setsockopt(socket.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // fails for no open socket
  const std::string head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: aaco\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n",
      url.path, place, content_type, body.size());
  if (!socket.send_all(head.data(), head.size()) || !socket.send_all(body.data(), body.size())) {
    return failure("closed the connection");
  }
  AnswerLines lines(socket, deadline_ns);
  const std::optional<int> status = final_status(lines);
  return status ? Result<int>(*status) : failure(lines.empty() ? "did not answer" : "did not answer in HTTP");
}

}  // namespace aaco
