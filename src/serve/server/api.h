// SPDX-License-Identifier: MIT
// The API of the pages: what each path answers. All of it runs on one thread, which starts processes for what takes
// long and replies when they have ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/http/http_message.h"
#include "serve/answers/answer_cache.h"
#include "serve/children/child_pool.h"
#include "serve/live/live_feed.h"
#include "serve/server/growing_timelines.h"
#include "serve/sessions/session_cards.h"
#include "serve/timeline/timeline_cache.h"

namespace aaco::serve {

class Api {
 public:
  // `history`: of the guard.
  Api(std::filesystem::path sessions, std::filesystem::path history, std::string program);

  // Replies at once or later; a path that is none is answered with 404.
  void handle(const HttpRequest& request, const HttpReply& reply);

  ChildPool& children() { return children_; }
  LiveFeed& live() { return live_; }

 private:
  using Steps = std::vector<std::string>;
  using IndexUser = std::function<void(const std::shared_ptr<const TimelineIndex>&)>;

  void handle_session(const Steps& steps, const HttpReply& reply);
  void handle_diff(const HttpRequest& request, const HttpReply& reply);
  void handle_series(const HttpReply& reply);
  void handle_sql(const HttpRequest& request, const HttpReply& reply);
  void handle_timeline(const Steps& steps, const HttpRequest& request, const HttpReply& reply);
  void answer_event(const SessionEntry& session, const TimelineIndex& index, const std::string& row,
                    const HttpReply& reply);
  void answer_path(const SessionEntry& session, const HttpReply& reply);
  void answer_export(const SessionEntry& session, const std::string& query, const HttpReply& reply);
  // By a process, one for all who ask for the same `key` meanwhile; kept under it. Empty: it is nobody else's.
  void compute(const std::string& role, const std::vector<std::string>& arguments, const std::string& key,
               const HttpReply& reply);
  // When the index is there, which may have to be built; else replies with why it is not.
  // `newest`: of a session that is still being recorded, as it is now (growing_timelines.h).
  void with_index(const SessionEntry& session, bool newest, const HttpReply& reply, const IndexUser& use);

  SessionCards sessions_;
  std::filesystem::path history_;
  ChildPool children_;
  AnswerCache answers_;
  TimelineCache timelines_;
  GrowingTimelines growing_;
  LiveFeed live_;
  bool exports_ = false;                                    // a process writes one
  std::map<std::string, std::vector<HttpReply>> computed_;  // by key, while a process is at it
  // By bundle, while a process builds its index.
  std::map<std::filesystem::path, std::vector<std::pair<HttpReply, IndexUser>>> builds_;
};

}  // namespace aaco::serve
