// SPDX-License-Identifier: MIT
#include "report/host/host_section.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "report/sinks.h"
#include "report/test_markup.h"
#include "report/test_session.h"

namespace aaco::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Of the whole session every slow iteration of process 0 is one in which "hog <b>" ran for what it is over the median.
Recording with_hog() {
  Recording recording = test::whole_session().recording;
  StackRow stack;
  stack.stack = 1;
  stack.kernel_frames = "do_syscall_64;futex_wait;schedule";
  stack.user_frames = "main;wait<int>";
  recording.collected.rows<StackRow>().push_back(stack);
  for (const SlowIteration& slow : find_spikes(recording).slow) {
    if (slow.process != 0) {
      continue;
    }
    OffCpuRow row;
    row.process_id = row.thread_id = 4000;
    row.thread_name = "aaco";
    row.t_start_ns = slow.t_start_ns + 1000;
    row.t_end_ns = row.t_start_ns + static_cast<int64_t>(slow.excess_ns());
    row.reason = OffCpuReason::kPreempted;
    row.next_thread_id = 9;
    row.next_name = "hog <b>";
    recording.collected.rows<OffCpuRow>().push_back(row);
    row.reason = OffCpuReason::kSleep;
    row.t_start_ns = row.t_end_ns + 1000;
    row.t_end_ns = row.t_start_ns + 20'000;
    row.next_name.reset();
    row.stack = row.waker_stack = 1;
    row.waker_name = "worker";
    recording.collected.rows<OffCpuRow>().push_back(row);
  }
  return recording;
}

TEST(HostSection, says_who_kept_the_threads_off_a_processor) {
  const auto section = host_section(with_hog(), true);
  ASSERT_TRUE(section);
  Report report;
  report.sections.push_back(*section);
  EXPECT_THAT(render_text(report), AllOf(HasSubstr("by hog <b>), asleep"), Not(HasSubstr("No data"))));
  const std::string page = render_html(report);
  EXPECT_THAT(page, HasSubstr("aaco;main;wait&lt;int&gt;;do_syscall_64;futex_wait;schedule 20"));
  EXPECT_THAT(page, HasSubstr("worker;main;wait&lt;int&gt;;do_syscall_64;futex_wait;schedule 20"));
  EXPECT_EQ(test::markup_problem(page), "");
  EXPECT_EQ(charts_of(report).size(), 2);
}

TEST(HostSection, says_no_data_and_why_where_it_was_asked_for) {
  Recording recording = test::whole_session().recording;
  EXPECT_FALSE(host_section(recording, false));
  recording.planes["kernel_plane"] = {PlaneStatus::kUnavailable, "needs CAP_BPF; run as root"};
  Report report;
  report.sections.push_back(*host_section(recording, true));
  EXPECT_THAT(render_text(report), HasSubstr("No data: needs CAP_BPF; run as root."));
  EXPECT_FALSE(spikes_section(recording, false));
}

TEST(SpikesSection, names_the_cause_in_every_form) {
  const Recording recording = with_hog();
  const Spikes spikes = find_spikes(recording);
  ASSERT_GE(std::ranges::count(spikes.slow, 0, &SlowIteration::process), 1);
  Report report;
  report.sections.push_back(spikes_answer(spikes, 3, false));
  const std::string text = render_lines(report);
  EXPECT_THAT(text, HasSubstr("what took most of them: preempted by hog <b>"));
  EXPECT_THAT(text, HasSubstr("Tukey's outer fence"));
  EXPECT_EQ(test::markup_problem(render_html(report)), "");
  const Json json = spikes_json(spikes, 3);
  EXPECT_EQ(json.at("causes").at(0).at("name"), "hog <b>");
  EXPECT_EQ(json.at("causes").at(0).at("beyond_chance"), true);
  EXPECT_EQ(json.at("slow"), spikes.slow.size());
  EXPECT_LE(json.at("iterations").size(), 3);
  EXPECT_EQ(json.at("no_kernel_rows"), Json());
}

TEST(SpikesSection, without_rows_says_so) {
  Recording recording = test::whole_session().recording;
  recording.collected = CollectedRows();
  recording.planes.clear();
  Report report;
  report.sections.push_back(spikes_answer(find_spikes(recording), 3, false));
  EXPECT_THAT(render_lines(report), HasSubstr("no cause can be named: recorded without --kernel-plane"));
}

TEST(SpikesSection, with_lost_records_says_nothing_of_what_did_not_come_with_them) {
  Recording recording = with_hog();
  recording.collected = CollectedRows();
  Report report;
  report.sections.push_back(spikes_answer(find_spikes(recording), 3, true));
  const std::string text = render_lines(report);
  EXPECT_THAT(text, HasSubstr("cannot be told, since records of this session are lost"));
  EXPECT_THAT(text, HasSubstr("not known: records are lost"));
  EXPECT_THAT(text, Not(HasSubstr("nothing that was recorded")));
}

TEST(HostSection, says_which_source_recorded_and_how_to_get_the_better) {
  Recording recording = with_hog();
  recording.planes["kernel_plane"] = {PlaneStatus::kRecorded, "perf_event_open; better: needs CAP_BPF: run as root"};
  Report report;
  report.sections.push_back(*host_section(recording, true));
  EXPECT_THAT(render_text(report), HasSubstr("Source: perf_event_open; better: needs CAP_BPF: run as root"));
  recording.planes["kernel_plane"].reason = "ebpf";
  report.sections = {*host_section(recording, true)};
  EXPECT_THAT(render_text(report), Not(HasSubstr("Source:")));
}

}  // namespace
}  // namespace aaco::report
