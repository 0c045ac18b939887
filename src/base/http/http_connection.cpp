// SPDX-License-Identifier: MIT
#include "base/http/http_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <exception>
#include <fmt/format.h>
#include <utility>

#include "base/clock.h"
#include "base/http/plain_request.h"

namespace aaco {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr size_t kFirstReadBytes = 1024;
constexpr size_t kMostDiscardedBytes = size_t{16} << 20;
constexpr std::chrono::seconds kDiscardLimit{2};

std::string reason_of(int status) {
  return status == 413   ? "the request's body is too large"
         : status == 431 ? "the request's header is too large"
                         : "the request is not HTTP/1.1";
}

// The status for a request that the parser refused; none where the connection is not worth an answer.
std::optional<int> status_of(const error_code& error) {
  if (error == http::error::header_limit) {
    return 431;
  }
  if (error == http::error::body_limit) {
    return 413;
  }
  const bool is_protocol = error.category() == http::make_error_code(http::error::bad_method).category();
  const bool is_cut_short = error == http::error::end_of_stream || error == http::error::partial_message;
  return is_protocol && !is_cut_short ? std::optional(400) : std::nullopt;
}

}  // namespace

void HttpGate::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (io_ != nullptr) {
    asio::post(*io_, std::move(work));
  }
}

void HttpGate::close() {
  const std::lock_guard lock(mutex_);
  io_ = nullptr;
}

HttpConnection::HttpConnection(Tcp::socket socket, HttpServerState& state)
    : state_(state),
      stream_(std::move(socket)),
      buffer_(state.options.max_header_bytes + state.options.max_body_bytes + kFirstReadBytes),
      place_(state.connections.insert(state.connections.end(), this)) {}

HttpConnection::~HttpConnection() {
  if (pieces_) {
    pieces_->detach();
  }
  state_.connections.erase(place_);
}

int HttpConnection::request_seconds() const { return state_.options.request_seconds; }

void HttpConnection::drop() {
  waiting_since_.reset();
  stream_.close();
}

void HttpConnection::forget_answer() {
  if (pieces_) {
    pieces_->detach();
    pieces_.reset();
  }
  const std::shared_ptr<HttpConnection> last = std::move(awaited_);
}

// For the first byte apart: a connection that is kept may be silent for long, one that speaks has to come to the end.
void HttpConnection::await_request(std::chrono::seconds limit) {
  waiting_since_ = monotonic_ns();
  if (buffer_.size() > 0) {
    read_request();
    return;
  }
  stream_.expires_after(limit);
  stream_.async_read_some(buffer_.prepare(kFirstReadBytes),
                          [self = shared_from_this()](const error_code& error, size_t bytes) {
                            if (!error) {
                              self->buffer_.commit(bytes);
                              self->read_request();
                            }
                          });
}

void HttpConnection::read_request() {
  parser_.emplace();
  parser_->header_limit(state_.options.max_header_bytes);
  parser_->body_limit(state_.options.max_body_bytes);
  stream_.expires_after(std::chrono::seconds(request_seconds()));
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const error_code& error, size_t) { self->answer(error); });
}

void HttpConnection::answer(const error_code& error) {
  waiting_since_.reset();
  if (error) {
    if (const std::optional<int> status = status_of(error)) {
      request_ = {};
      unread_ = true;
      refuse({.status = *status, .body = reason_of(*status) + "\n", .headers = {}});
    }
    return;
  }
  const http::request<http::string_body> request = parser_->release();
  request_ = {request.version(), request.keep_alive(), request.method() == http::verb::head};
  HttpRequest plain = plain_request(request);
  if (std::optional<HttpResponse> refusal = refuse_client(plain, state_.options.access)) {
    refuse(std::move(*refusal));
    return;
  }
  ask_handler(std::move(plain));
}

void HttpConnection::refuse(HttpResponse refusal) {
  if (state_.options.refusal) {
    HttpResponse formed =
        state_.options.refusal(refusal.status, refusal.body.substr(0, refusal.body.find_last_not_of('\n') + 1));
    formed.headers.insert(formed.headers.end(), refusal.headers.begin(), refusal.headers.end());
    refusal = std::move(formed);
  }
  respond(std::move(refusal));
}

// What the handler throws is its failure, not the server's.
void HttpConnection::ask_handler(HttpRequest request) {
  awaited_ = shared_from_this();
  const HttpReply reply = [gate = state_.gate, connection = weak_from_this(),
                           number = answers_](HttpResponse response) {
    gate->post([connection, number, response = std::move(response)]() mutable {
      const std::shared_ptr<HttpConnection> self = connection.lock();
      if (self && self->awaited_ && self->answers_ == number) {
        self->respond(std::move(response));
      }
    });
  };
  try {
    state_.handler(std::move(request), reply);
  } catch (const std::exception& exception) {
    refuse({.status = 500, .body = fmt::format("failed: {}\n", exception.what()), .headers = {}});
  }
}

void HttpConnection::respond(HttpResponse response) {
  ++answers_;
  const std::shared_ptr<HttpConnection> self = shared_from_this();
  awaited_.reset();
  response_ = {};
  response_.version(request_.version);
  response_.result(static_cast<unsigned>(response.status));
  response_.set(http::field::server, "aaco");
  response_.set(http::field::content_type, response.content_type);
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) {
    response_.set(name, value);
  }
  response_.keep_alive(request_.keep_alive);
  const bool streams = response.stream != nullptr && !request_.head;
  if (response.stream != nullptr) {
    response_.chunked(true);
  } else if (request_.head) {
    response_.content_length(response.body.size());
  } else {
    response_.body() = std::move(response.body);
    response_.prepare_payload();
  }
  stream_.expires_after(std::chrono::seconds(state_.options.response_seconds));
  if (streams || request_.head) {
    if (streams && !response.body.empty()) {
      response.stream->push(std::move(response.body));
    }
    send_header(streams ? response.stream : nullptr);
    return;
  }
  http::async_write(stream_, response_, [self, keep_alive = request_.keep_alive](const error_code& error, size_t) {
    self->after_response(error, keep_alive);
  });
}

// Of an answer to HEAD, whose length is that of a body which does not come, and of one that comes in pieces.
void HttpConnection::send_header(const std::shared_ptr<HttpStream>& stream) {
  auto serializer = std::make_shared<http::response_serializer<http::string_body>>(response_);
  serializer->split(true);
  http::async_write_header(stream_, *serializer,
                           [self = shared_from_this(), serializer, stream](const error_code& error, size_t) {
                             if (error || !stream) {
                               if (stream) {
                                 stream->detach();
                               }
                               self->after_response(error, self->request_.keep_alive);
                               return;
                             }
                             self->pieces_ = stream;
                             self->awaited_ = self;
                             stream->attach([gate = self->state_.gate, connection = std::weak_ptr(self)] {
                               gate->post([connection] {
                                 if (const std::shared_ptr<HttpConnection> open = connection.lock()) {
                                   open->send_pieces();
                                 }
                               });
                             });
                           });
}

void HttpConnection::send_pieces() {
  if (!pieces_ || sending_) {
    return;
  }
  const std::optional<std::string> text = pieces_->take();
  if (text && text->empty()) {
    return;
  }
  if (pieces_->has_failed()) {
    const std::shared_ptr<HttpConnection> self = shared_from_this();
    end_pieces();
    drop();
    return;
  }
  sending_ = true;
  stream_.expires_after(std::chrono::seconds(state_.options.response_seconds));
  piece_ = text ? fmt::format("{:x}\r\n{}\r\n", text->size(), *text) : "0\r\n\r\n";
  asio::async_write(stream_, asio::buffer(piece_),
                    [self = shared_from_this(), last = !text](const error_code& error, size_t) {
                      self->sending_ = false;
                      if (error || last) {
                        self->end_pieces();
                        self->after_response(error, self->request_.keep_alive);
                      } else {
                        self->send_pieces();
                      }
                    });
}

void HttpConnection::end_pieces() {
  const std::shared_ptr<HttpConnection> self = shared_from_this();
  pieces_->detach();
  pieces_.reset();
  awaited_.reset();
}

void HttpConnection::after_response(const error_code& error, bool keep_alive) {
  if (error || !keep_alive) {
    error_code ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);  // the client may have gone already
    if (!error && unread_) {
      waiting_since_ = monotonic_ns();
      stream_.expires_after(kDiscardLimit);
      discard(kMostDiscardedBytes);
    }
    return;
  }
  await_request(std::chrono::seconds(state_.options.idle_seconds));
}

// What a refused client goes on to send: closed at once, the connection would be reset, and the client would not read
// why.
void HttpConnection::discard(size_t left) {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kFirstReadBytes),
                          [self = shared_from_this(), left](const error_code& error, size_t bytes) {
                            if (!error && bytes < left) {
                              self->discard(left - bytes);
                            }
                          });
}

}  // namespace aaco
