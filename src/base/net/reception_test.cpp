// SPDX-License-Identifier: MIT
#include "base/net/reception.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test_sanitizer.h"
#include "base/test_skip.h"

namespace aaco {
namespace {

using testing::HasSubstr;

constexpr int64_t kMillisecondNs = 1'000'000;

int64_t in(int64_t milliseconds) { return monotonic_ns() + milliseconds * kMillisecondNs; }

ListeningSockets listening_here() {
  auto listening = listen_tcp_at("127.0.0.1", 0);
  EXPECT_TRUE(listening) << listening.error().message;
  return std::move(*listening);
}

// Takes who says four letters that begin with "a"; greets with "hi".
class Hall {
 public:
  explicit Hall(int64_t limit_ms = 10'000)
      : listening_(listening_here()),
        reception_(
            listening_.sockets, 4, limit_ms * kMillisecondNs, [](const Socket&) { return Result<std::string>("hi"); },
            [](Caller& caller) {
              return caller.said.front() == 'a' ? Result<size_t>(caller.said.size())
                                                : Error{ErrorKind::kUsage, "not an a", ""};
            }) {}

  Socket caller(const std::string& said) const {
    auto socket = connect_tcp("127.0.0.1", listening_.sockets.front().own_port(), in(5000));
    EXPECT_TRUE(socket) << socket.error().message;
    EXPECT_TRUE(socket->send_all(said.data(), said.size()));
    return std::move(*socket);
  }
  Reception& reception() { return reception_; }

 private:
  ListeningSockets listening_;
  Reception reception_;
};

TEST(Reception, HandsOutWhoIsKnownAndLeavesTheRestToBeRead) {
  Hall hall;
  const Socket there = hall.caller("abcdmore");
  const auto known = hall.reception().next(in(5000));
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->said, "abcd");
  EXPECT_EQ(known->greeting, "hi");
  char got[4];
  EXPECT_TRUE(known->socket.receive_all(got, sizeof got, in(5000)));
  EXPECT_EQ(std::string(got, sizeof got), "more");
  EXPECT_TRUE(there.receive_all(got, 2, in(5000)));
  EXPECT_EQ(hall.reception().turned_away(), "");
}

TEST(Reception, IsNotHeldUpByStrangers) {
  Hall hall;
  std::vector<Socket> strangers;
  for (int i = 0; i < 150; ++i) {
    strangers.push_back(hall.caller(i % 3 == 0 ? "" : i % 3 == 1 ? "a" : "bbbb"));
    strangers.back() = i % 5 == 0 ? Socket() : std::move(strangers.back());
  }
  const Socket late = hall.caller("abcd");
  const int64_t begun_ns = monotonic_ns();
  ASSERT_TRUE(hall.reception().next(in(5000)));
  EXPECT_LT(monotonic_ns() - begun_ns, 2000 * kMillisecondNs);
  EXPECT_THAT(hall.reception().turned_away(), HasSubstr("not an a"));
}

// The first has said three letters: those that have said nothing go before it.
TEST(Reception, DropsWhoHasComeLeastFarWhenTooManyCome) {
  Hall hall;
  const Socket first = hall.caller("abc");
  std::vector<Socket> strangers;
  for (size_t i = 0; i < Reception::kMostCallers + 50; ++i) {
    strangers.push_back(hall.caller(""));
    if (i % 50 == 0) {
      EXPECT_FALSE(hall.reception().next(in(0)));
    }
  }
  EXPECT_FALSE(hall.reception().next(in(50)));
  EXPECT_TRUE(first.send_all("d", 1));
  const auto known = hall.reception().next(in(5000));
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->said, "abcd");
  EXPECT_EQ(hall.reception().turned_away(), "51 turned away: 127.0.0.1 said nothing");
}

TEST(Reception, LetsGoOfWhoTakesTooLong) {
  Hall hall(60);
  const Socket slow = hall.caller("a");
  EXPECT_FALSE(hall.reception().next(in(30)));
  EXPECT_TRUE(slow.send_all("b", 1));
  EXPECT_FALSE(hall.reception().next(in(100)));
  EXPECT_EQ(hall.reception().turned_away(), "1 turned away: 127.0.0.1 did not say all");
}

// Leaves this process `spare` files more, whatever numbers those have that it inherited; gives all back at its end.
class FewFiles {
 public:
  explicit FewFiles(size_t spare) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit few = before_;
    few.rlim_cur = 1024;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    while (taken_.emplace_back(::dup(STDERR_FILENO))) {
    }
    taken_.resize(taken_.size() - 1 - spare);
  }
  ~FewFiles() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;

 private:
  rlimit before_{};
  std::vector<Socket> taken_;
};

struct Shortage {
  size_t spare_files;
  int later_strangers;
};

// With one file to spare, the last caller is the only one taken: nobody who does not come pushes it out. With strangers
// behind it, it has spoken before it would have to make room for them.
TEST(Reception, GoesOnWhereFilesAreShort) {
  if (kUndefinedSanitizer) {
    AACO_SKIP("this sanitizer opens a pipe to look at an object");
  }
  for (const auto& [spare_files, later_strangers] : {Shortage{1, 0}, {8, 0}, {1, 40}, {8, 40}}) {
    Hall hall;
    std::vector<Socket> strangers;
    for (int i = 0; i < 40; ++i) {
      strangers.push_back(hall.caller(""));
    }
    const Socket rank = hall.caller("abcd");
    for (int i = 0; i < later_strangers; ++i) {
      strangers.push_back(hall.caller(""));
    }
    Result<Caller> known = [&] {
      const FewFiles few(spare_files);
      return hall.reception().next(in(5000));
    }();
    EXPECT_TRUE(known) << known.error().message << "; " << hall.reception().turned_away();
  }
}

TEST(ListenTcpAt, IsOnTheAddressAloneWhereThatIsLocal) {
  const auto four = listen_tcp_at("127.0.0.1", 0);
  ASSERT_TRUE(four) << four.error().message;
  EXPECT_EQ(four->everywhere_because, "");
  EXPECT_EQ(four->sockets.front().own_address(), "127.0.0.1");
  const int port = four->sockets.front().own_port();
  EXPECT_FALSE(connect_tcp("127.0.0.2", port, in(50)));
  EXPECT_TRUE(connect_tcp("127.0.0.1", port, in(5000)));
  if (const auto six = listen_tcp_at("::1", 0); six && six->everywhere_because.empty()) {
    EXPECT_EQ(six->sockets.front().own_address(), "::1");
    EXPECT_TRUE(connect_tcp("::1", six->sockets.front().own_port(), in(5000)));
    EXPECT_FALSE(connect_tcp("127.0.0.1", six->sockets.front().own_port(), in(50)));
  }
}

TEST(ListenTcpAt, IsEverywhereWhereTheAddressIsAnothers) {
  for (const char* host : {"192.0.2.1", "0.0.0.0", "no-such-host.invalid"}) {
    const auto all = listen_tcp_at(host, 0);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_THAT(all->everywhere_because, HasSubstr(host));
    EXPECT_TRUE(connect_tcp("127.0.0.2", all->sockets.front().own_port(), in(5000)));
  }
}

}  // namespace
}  // namespace aaco
