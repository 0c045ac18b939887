// SPDX-License-Identifier: MIT
#include "base/http/http_server.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <utility>
#include <vector>

#include "base/http/http_connection.h"
#include "base/net/socket.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr auto kPauseWithoutFiles = std::chrono::milliseconds(100);

Result<asio::ip::address> address_of(const HttpServerOptions& options) {
  error_code error;
  const asio::ip::address address =
      asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
  if (error) {
    return Error{ErrorKind::kUsage, fmt::format("{} is not an IP address", options.host),
                 "give an address of this machine as numbers, 0.0.0.0 for all of them"};
  }
  if (!address.is_loopback() && options.access.token.empty() && !options.access.by_handler) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} can be reached from other machines, and there is no token", options.host),
                 "make one (openssl rand -hex 32 >token) and add --token-file token, or stay on 127.0.0.1"};
  }
  return address;
}

Error listening_error(const HttpServerOptions& options, const error_code& error) {
  if (error == asio::error::address_in_use) {
    return {ErrorKind::kResource, fmt::format("port {} is in use", options.port),
            fmt::format("choose another with --port, or 0 for one that is free; who has it: ss -ltnp sport = :{}",
                        options.port)};
  }
  return {error == asio::error::access_denied ? ErrorKind::kResource : ErrorKind::kUsage,
          fmt::format("cannot listen on {} port {}: {}", options.host, options.port, error.message()),
          "choose an address of this machine, and a port from 1024 on"};
}

}  // namespace

class HttpServer::Core {
 public:
  Core(HttpServerOptions options, HttpLaterHandler handler)
      : state_{std::move(options), std::move(handler), nullptr, {}} {
    state_.gate = std::make_shared<HttpGate>(io_);
  }
  ~Core() { stop(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Result<void> start() {
    AACO_ASSIGN(const asio::ip::address address, address_of(state_.options));
    const Tcp::endpoint place(address, static_cast<uint16_t>(state_.options.port));
    error_code error;
    acceptor_.open(place.protocol(), error);
    if (!error) {
      acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
      acceptor_.bind(place, error);
    }
    if (!error) {
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
      return listening_error(state_.options, error);
    }
    place_ = acceptor_.local_endpoint();
    accept();
    AACO_ASSIGN(thread_, start_thread([this] { io_.run(); }));
    return {};
  }

  void stop() {
    state_.gate->close();
    io_.stop();
    if (thread_.joinable()) {
      thread_.join();
    }
    // Each goes from the list when it ends, which it may do at once.
    const std::vector<HttpConnection*> open(state_.connections.begin(), state_.connections.end());
    for (HttpConnection* connection : open) {
      connection->forget_answer();
    }
  }

  const Tcp::endpoint& place() const { return place_; }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, Tcp::socket socket) {
      if (error) {  // no more files, mostly: to try again at once would only heat the processor
        pause_.expires_after(kPauseWithoutFiles);
        pause_.async_wait([this](const error_code&) { accept(); });
        return;
      }
      if (state_.connections.size() < state_.options.max_connections || drop_longest_waiting()) {
        std::make_shared<HttpConnection>(std::move(socket), state_)->start();
      }
      accept();
    });
  }

  bool drop_longest_waiting() {
    HttpConnection* longest = nullptr;
    for (HttpConnection* connection : state_.connections) {
      if (connection->waiting_since() &&
          (longest == nullptr || *connection->waiting_since() < *longest->waiting_since())) {
        longest = connection;
      }
    }
    if (longest != nullptr) {
      longest->drop();
    }
    return longest != nullptr;
  }

  HttpServerState state_;  // outlives the connections, which io_ holds
  asio::io_context io_{1};
  Tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  Tcp::endpoint place_;
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, HttpHandler handler) {
  return start_later(
      std::move(options),
      [handler = std::move(handler)](const HttpRequest& request, const HttpReply& reply) { reply(handler(request)); });
}

Result<std::unique_ptr<HttpServer>> HttpServer::start_later(HttpServerOptions options, HttpLaterHandler handler) {
  auto core = std::make_unique<Core>(std::move(options), std::move(handler));
  AACO_TRY(core->start());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

int HttpServer::port() const { return core_->place().port(); }

std::string HttpServer::url() const { return "http://" + address_text(core_->place().address().to_string(), port()); }

void HttpServer::stop() { core_->stop(); }

}  // namespace aaco
