// SPDX-License-Identifier: MIT
#include "serve/access/page_access.h"

#include <gtest/gtest.h>

namespace aaco::serve {
namespace {

const PageAccess kAccess{"0123456789abcdef", "aaco_token_1", true};

int status_of(HttpHeaders headers, const std::string& query = "") {
  HttpRequest request{"GET", "/", query, std::move(headers), "", ""};
  const std::optional<HttpResponse> answer = answer_for_access(request, kAccess);
  return answer ? answer->status : 200;
}

TEST(PageAccess, WantsTheTokenInSomeForm) {
  EXPECT_EQ(status_of({{"host", "localhost:1"}}), 401);
  EXPECT_EQ(status_of({{"host", "localhost:1"}}, "token=0123456789abcdee"), 401);
  EXPECT_EQ(status_of({{"host", "localhost:1"}}, "token=0123456789abcdef"), 303);
  EXPECT_EQ(status_of({{"host", "localhost:1"}, {"cookie", "x=1; aaco_token_1=0123456789abcdef"}}), 200);
  EXPECT_EQ(status_of({{"host", "localhost:1"}, {"cookie", "xaaco_token_1=0123456789abcdef"}}), 401);
  EXPECT_EQ(status_of({{"host", "localhost:1"}, {"authorization", "Bearer 0123456789abcdef"}}), 200);
}

TEST(PageAccess, RefusesOtherNamesAndOrigins) {
  const std::pair<std::string, std::string> token{"authorization", "Bearer 0123456789abcdef"};
  EXPECT_EQ(status_of({{"host", "evil.example"}, token}), 421);
  EXPECT_EQ(status_of({{"host", "localhost:1"}, {"origin", "http://evil.example"}, token}), 403);
  EXPECT_EQ(status_of({{"host", "localhost:1"}, {"origin", "null"}, token}), 403);
  EXPECT_EQ(status_of({{"host", "localhost:1"}, {"origin", "http://localhost:1"}, token}), 200);
  EXPECT_EQ(status_of({{"host", "localhost:1"}, {"origin", "http://localhost:2"}, token}), 403);
}

}  // namespace
}  // namespace aaco::serve
