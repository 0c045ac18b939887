// SPDX-License-Identifier: MIT
#include "kind/model_run/report/run_report.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "report/plot/svg.h"
#include "report/sections/latency_plots.h"
#include "report/sinks.h"
#include "report/test_markup.h"
#include "report/test_session.h"

namespace aaco::report {
namespace {

Report report_of(const OpenSession& session, const Json* verdict = nullptr) {
  return build_report(session, analyse(session.recording), verdict);
}

// Every character that markup, Markdown or a terminal could take for its own.
constexpr const char* kHostile = "</title><script>alert(1)</script>\"'&|`*\x1b[31m\xff\xE2\x80\xAE\xC2\x9B";

OpenSession hostile_session() {
  OpenSession session = test::whole_session({.iterations = 30, .profiled = 3, .nodes = 6});
  session.recording.facts.model_name = kHostile;
  session.recording.facts.backend = kHostile;
  session.info.session_id = kHostile;
  session.info.command_line.emplace_back(kHostile);
  session.losses.emplace_back(kHostile);
  (*session.environment)[kHostile] = {{kHostile, kHostile}};
  for (KernelRow& row : session.recording.kernels) {
    row.op_type += kHostile;
    row.node_name += kHostile;
  }
  for (GraphNodeRow& row : session.recording.nodes) {
    row.op_type += kHostile;
    row.name += kHostile;
  }
  return session;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::string without_namespace(std::string text) {
  const std::string name = "http://www.w3.org/2000/svg";
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
    text.erase(at, name.size());
  }
  return text;
}

TEST(RunReport, PageIsWellFormedForEverySession) {
  for (const OpenSession& session :
       {test::whole_session(), test::token_session(), test::empty_session(), hostile_session()}) {
    const std::string html = render_html(report_of(session));
    EXPECT_EQ(test::markup_problem(html), "") << session.info.session_id;
  }
}

TEST(RunReport, NothingIsLoadedFromAnywhere) {
  const Report report = report_of(test::whole_session());
  const std::string html = without_namespace(render_html(report));
  for (const char* request : {"http:", "https:", "src=", "url(//", "@import", "<link", "<img", "<iframe"}) {
    EXPECT_EQ(html.find(request), std::string::npos) << request;
  }
  EXPECT_NE(html.find("default-src &#39;none&#39;"), std::string::npos);
  for (const plot::Chart* chart : charts_of(report)) {
    EXPECT_EQ(without_namespace(plot::render_svg(*chart, plot::SvgUse::kStandAlone)).find("http"), std::string::npos);
  }
}

TEST(RunReport, HostileNamesStayText) {
  const Report report = report_of(hostile_session());
  const std::string html = render_html(report);
  EXPECT_EQ(count_of(html, "<script"), 1U) << "only the page's own";
  for (const std::string& document : {html, render_text(report)}) {
    EXPECT_EQ(document.find('\x1b'), std::string::npos);
    EXPECT_EQ(document.find('\xff'), std::string::npos);
    EXPECT_EQ(document.find("\xE2\x80\xAE"), std::string::npos) << "direction override";
    EXPECT_EQ(document.find("\xC2\x9B"), std::string::npos) << "CSI as one character";
  }
  EXPECT_EQ(count_of(render_markdown(report, ""), "<script"), 1U) << "in the fenced command line, which is literal";
  for (const plot::Chart* chart : charts_of(report)) {
    EXPECT_EQ(test::markup_problem(plot::render_svg(*chart, plot::SvgUse::kStandAlone)), "") << chart->id;
  }
}

TEST(RunReport, SameSessionGivesSameBytes) {
  EXPECT_EQ(render_html(report_of(test::whole_session())), render_html(report_of(test::whole_session())));
}

TEST(RunReport, DemoPageIsSmall) { EXPECT_LT(render_html(report_of(test::whole_session())).size(), 2'000'000U); }

TEST(RunReport, GraphOfFiveThousandNodesStaysSmall) {
  const OpenSession session = test::whole_session({.iterations = 30, .profiled = 4, .nodes = 5'000, .base_ns = 3e8});
  EXPECT_LT(render_html(report_of(session)).size(), 2'000'000U);
}

TEST(RunReport, ManyProcessesStaySmall) {
  OpenSession session = test::empty_session();
  for (int64_t process = 0; process < 20'000; ++process) {
    IterationRow row;
    row.process = process;
    row.phase = IterationPhase::kMeasure;
    row.t_start_ns = process * 2'000'000;
    row.t_end_ns = row.t_start_ns + 1'000'000 + process;
    session.recording.iterations.push_back(row);
    session.recording.facts.process_facts.push_back(
        test::process_facts(process, ProcessRole::kMeasure, row.t_start_ns, row.t_end_ns, 0));
  }
  SystemRow sample;
  sample.cpu_pct = 50;
  session.recording.collected.rows<SystemRow>() = {sample};
  const std::string html = render_html(report_of(session));
  EXPECT_LT(html.size(), 1'000'000U);
  EXPECT_NE(html.find("The first 200 of 20000 processes."), std::string::npos);
}

// The last profiled process is four times as slow as the others: no fault of the profiler's resolution.
TEST(RunReport, ProcessesThatDisagreeAreSaidToDisagree) {
  OpenSession session = test::whole_session({.iterations = 30, .profiled = 3, .nodes = 6});
  const int64_t last = session.recording.kernels.back().process;
  for (KernelRow& row : session.recording.kernels) {
    row.dur_ns *= row.process == last ? 4 : 1;
  }
  const std::string text = render_text(report_of(session));
  EXPECT_NE(text.find("processes disagree"), std::string::npos);
  EXPECT_NE(text.find("more processes (--processes)"), std::string::npos);
  EXPECT_EQ(text.find("shorter than the profiler resolves"), std::string::npos);
}

TEST(RunReport, EcdfSaysHowManyIterationsItLeavesOut) {
  const plot::Chart chart = latency_ecdf(test::whole_session().recording);
  ASSERT_TRUE(chart.x.max);
  EXPECT_NE(chart.caption.find("slower than the axis shows."), std::string::npos);
}

TEST(RunReport, LostProfilerEventsAreCounted) {
  OpenSession session = test::whole_session({.iterations = 30, .profiled = 3, .nodes = 6});
  EXPECT_NE(render_text(report_of(session)).find("none lost"), std::string::npos);
  session.recording.facts.profiler_cost->events_lost = 7;
  session.recording.facts.profiler_cost->event_limit_hit = true;
  const std::string text = render_text(report_of(session));
  EXPECT_NE(text.find("7 lost or more"), std::string::npos);
  EXPECT_NE(text.find("the profile holds fewer inferences than were run"), std::string::npos);
}

TEST(RunReport, AThrottledRunNamesItsQuota) {
  OpenSession session = test::whole_session({.iterations = 30, .profiled = 3, .nodes = 6});
  EXPECT_NE(render_json(report_of(session)).dump().find("cpu.stat was not read"), std::string::npos);
  int64_t measuring = 0;
  for (ProcessFacts& process : session.recording.facts.process_facts) {
    process.quota.unavailable.clear();
    process.quota.groups.push_back({"/cg/job", "cpu.max is 50000 100000", 0.5, 143, 140, process.t_end_ns, 0});
    measuring += process.role == ProcessRole::kMeasure ? 1 : 0;
  }
  EXPECT_NE(render_json(report_of(session))
                .dump()
                .find(" of the steady time: cpu.max is 50000 100000 (/cg/job), throttled in " +
                      std::to_string(140 * measuring) + " of " + std::to_string(143 * measuring) + " periods"),
            std::string::npos);
}

TEST(RunReport, EmptySessionSaysWhatIsMissing) {
  const Report report = report_of(test::empty_session());
  const std::string text = render_text(report);
  EXPECT_NE(text.find("incomplete"), std::string::npos);
  EXPECT_NE(text.find("no unprofiled iteration was recorded"), std::string::npos);
  EXPECT_NE(text.find("Lost: journal/iterations_0.journal: 1 row torn"), std::string::npos);
  EXPECT_NE(text.find("the run was killed"), std::string::npos);
  EXPECT_EQ(text.find("no NaN and no infinity"), std::string::npos) << "nothing ran, so nothing was checked";
  EXPECT_NE(text.find("the session does not hold its command line"), std::string::npos);
  for (const plot::Chart* chart : charts_of(report)) {
    EXPECT_NE(plot::render_svg(*chart, plot::SvgUse::kInline).find("no data: "), std::string::npos) << chart->id;
  }
}

TEST(RunReport, EverySinkTellsTheSameMedian) {
  const OpenSession session = test::whole_session();
  const Report report = report_of(session);
  const auto& figures = std::get<KeyFigures>(report.sections[0].blocks[0]).figures;
  const std::string median = shown_text(figures[0].value.cell);
  EXPECT_EQ(figures[0].label, "median latency");
  for (const std::string& document : {render_html(report), render_text(report), render_markdown(report, "plots")}) {
    EXPECT_NE(document.find(median), std::string::npos);
  }
}

TEST(RunReport, SaysWhichShapesTheModelWasFed) {
  OpenSession session = test::whole_session();
  EXPECT_EQ(render_text(report_of(session)).find("input shapes"), std::string::npos) << "not recorded";
  session.recording.facts.input_shapes = {{"rate", {}}, {"x", {1, 3, 48, 192}}};
  EXPECT_NE(render_text(report_of(session)).find("rate=scalar, x=1x3x48x192"), std::string::npos);
}

TEST(RunReport, TokensHaveTheirSection) {
  for (const Section& section : report_of(test::token_session()).sections) {
    EXPECT_NE(section.id, "latency") << "a decoder has prefill and decode instead";
  }
  const std::string text = render_text(report_of(test::token_session()));
  EXPECT_NE(text.find("time to first token"), std::string::npos);
  EXPECT_EQ(render_text(report_of(test::whole_session())).find("time to first token"), std::string::npos);
}

TEST(RunReport, HostEnqueueTimeIsNeverCalledDeviceTime) {
  OpenSession session = test::whole_session({.iterations = 30, .profiled = 3});
  for (KernelRow& row : session.recording.kernels) {
    row.activity = NodeActivity::kHostEnqueue;
  }
  Analysis analysis = analyse(session.recording);
  ASSERT_EQ(analysis.node_time_kind, NodeActivity::kHostEnqueue);
  const std::string text = render_text(build_report(session, analysis, nullptr));
  EXPECT_NE(text.find("host enqueue times per node"), std::string::npos);
}

TEST(RunReport, VerdictLeads) {
  const Json verdict{{"verdict", "regressed"}, {"reason", "the interval lies above 2 %"}};
  const Report report = report_of(test::whole_session(), &verdict);
  EXPECT_EQ(report.badges.back().text, "verdict: regressed");
  EXPECT_EQ(std::get<Paragraph>(report.sections[0].blocks[0]).text,
            "Against the baseline: regressed. the interval lies above 2 %");
}

TEST(RunReport, ReproducedCommandIsQuotedForAShell) {
  const std::string text = render_text(report_of(test::whole_session()));
  EXPECT_NE(text.find("--input 'data=my image'\\''s.npy'"), std::string::npos);
}

TEST(RunReport, FilesAreWritten) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.error().message;
  const std::filesystem::path& root = folder->path();
  OpenSession whole = test::whole_session();
  for (auto& [name, session] : std::map<std::string, OpenSession>{
           {"whole", whole}, {"tokens", test::token_session()}, {"empty", test::empty_session()}}) {
    const auto written = write_report(session, analyse(session.recording), root / name);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_TRUE(std::filesystem::exists(root / name / "report.html"));
  }
  const auto svg = read_file(root / "whole" / "plots" / "latency-series.svg");
  ASSERT_TRUE(svg);
  EXPECT_EQ(test::markup_problem(*svg), "");
}

// Texts of the row of `name` in the table of operators.
std::vector<std::string> operator_row(const Report& report, const std::string& name) {
  for (const Section& section : report.sections) {
    for (const Block& block : section.blocks) {
      const auto* folded = std::get_if<FoldedBlocks>(&block);
      for (size_t i = 0; folded != nullptr && i < folded->blocks.size(); ++i) {
        const auto* table = std::get_if<TableBlock>(&folded->blocks[i]);
        for (size_t row = 0; table != nullptr && table->id == "operators" && row < table->rows.size(); ++row) {
          if (table->rows[row].front().text == name) {
            std::vector<std::string> texts;
            for (const Cell& cell : table->rows[row]) {
              texts.push_back(shown_text(cell));
            }
            return texts;
          }
        }
      }
    }
  }
  return {};
}

GraphNodeRow work_node(const std::string& op_type, const std::string& scope, std::optional<double> executions) {
  GraphNodeRow row;
  row.graph = GraphForm::kOptimized;
  row.op_type = op_type;
  row.scope = scope;
  row.executions = executions;
  row.flops = 100;
  row.bytes = 8;
  return row;
}

// A product at the top and one in a body that ran 20 times: 2100 FLOPs of 21 executions. Tanh is in a body of which
// nobody knows, Abs in a branch that was not taken.
TEST(RunReport, OperatorsCountAsOftenAsTheyRan) {
  OpenSession session = test::empty_session();
  session.recording.nodes = {work_node("MatMul", "", std::nullopt), work_node("MatMul", "loop.body", 20),
                             work_node("Tanh", "scan.body", std::nullopt), work_node("Abs", "if.then_branch", 0)};
  const Report report = report_of(session);
  EXPECT_EQ(operator_row(report, "MatMul"), (std::vector<std::string>{"MatMul", "2", "21", "2.10 kFLOP", "168 B"}));
  EXPECT_EQ(operator_row(report, "Tanh"), (std::vector<std::string>{"Tanh", "1", "unknown", "unknown", "unknown"}));
  EXPECT_EQ(operator_row(report, "Abs"), (std::vector<std::string>{"Abs", "1", "0", "0 FLOP", "0 B"}));
}

}  // namespace
}  // namespace aaco::report
