// SPDX-License-Identifier: MIT
// Sockets that close themselves, and TCP between machines. TCP's own probes end a connection on which nothing was said
// for a minute where the other machine has gone. What was sent and is not answered is sent again for as long as the
// system does (a quarter of an hour), unless the connection is told to end (end_when_unanswered()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  // All of it. False: the other end has gone, an interrupt came, or `deadline_ns` (monotonic_ns(); 0: none) passed.
  bool send_all(const void* data, size_t bytes) const;
  bool receive_all(void* data, size_t bytes, int64_t deadline_ns = 0) const;
  // Whether there is something to receive or to accept, or the other end has gone. False as above.
  bool wait(int64_t deadline_ns) const;
  // From now on a minute without an answer to what was sent ends the connection, also where the other end lives and
  // does not read. Not for ranks' data: one that is stopped reads nothing, and a watch is to say so.
  void end_when_unanswered() const;
  // Whether the system's calls wait; they do at first.
  void block(bool wait) const;
  // Ends the connection for both sides, and whoever waits for it; the descriptor stays.
  void shut() const;

  // Of a TCP socket: "10.0.0.2", "fe80::1%eth0", as numbers. Empty where there is none.
  std::string own_address() const;
  std::string peer_address() const;
  int own_port() const;
  // Whether both ends are this very socket. TCP connects so where nobody listens on a port of this machine and the
  // system gives that port to the one who tries to connect to it.
  bool leads_to_itself() const;

 private:
  int descriptor_;
};

// "10.0.0.2:4000", "[::1]:4000".
std::string address_text(const std::string& host, int port);

// On all addresses of this machine. Port 0: one that is free. Errors: kResource naming the port.
Result<Socket> listen_tcp(int port);

struct ListeningSockets {
  std::vector<Socket> sockets;
  std::string everywhere_because;  // why it is on all addresses; empty where it is on those of the host
};

// On the addresses of `host`, where they are this machine's; else on all, as where the host is a service or another
// machine hands its connections on. Also on all: a name, other than localhost, that leads to the loopback here and
// elsewhere may lead to this machine. Port 0: one that is free, of a host with one address. Errors: as listen_tcp().
Result<ListeningSockets> listen_tcp_at(const std::string& host, int port);

// One that waits already; none with errno set.
Socket accept_waiting(const Socket& listening);
// The next that comes. Errors: kResource where none has come at the deadline; kInterrupted.
Result<Socket> accept_from(const Socket& listening, int64_t deadline_ns);
// Tries again until the deadline, since the other side may not be there yet; of several addresses each for three
// seconds. Errors: kUsage for a host that has no
// address; kResource naming the address; kInterrupted.
Result<Socket> connect_tcp(const std::string& host, int port, int64_t deadline_ns);

}  // namespace aaco
