#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_names_test.py REPOSITORY: scripts/check_names finds names that say nothing, and states that are compared as text."""
import importlib.machinery
import importlib.util
import pathlib
import sys


def load(path):
    loader = importlib.machinery.SourceFileLoader("check_names", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_names", loader))
    loader.exec_module(module)
    return module


def main():
    names = load(pathlib.Path(sys.argv[1]) / "scripts" / "check_names")

    def empty(text, file="src/report/x.cpp"):
        return [finding.split(": ")[1].split()[2] for finding in names.empty_names(file, names.blank(text))]

    assert empty("for (const Rank& one : ranks) {\n  use(one);\n}") == ["one", "one"]
    assert empty("rows.of(3); auto made = 1; int taken, found; its.x") == ["of", "made", "taken", "found", "its"]
    assert empty('int one_rank = found_; // one of its\nconst char* text = "made of one";') == []
    assert empty("int one;", "src/kind/x.cpp") == [] and empty("int one;", "tests/x.cpp") == []

    def types(text):
        return [finding.split("type ")[1].split()[0] for finding in names.participles("src/x.h", text)]

    assert types("struct LaidOut {};\nclass HeldUp {};\nstruct LayingOut {};\nstruct Known {};") == [
        "LaidOut", "HeldUp", "LayingOut", "Known"]
    assert types("struct SlotLayout {};\nstruct QueuedCommand {};\nenum class Setup {};\nclass Readout {};") == []

    def states(text, file="src/report/x.cpp"):
        return len(list(names.state_literals(file, text)))

    assert states('if (offender.kind == "host group") {') == 1
    assert states('if (kind == "host groups") {') == 0 and states('text("host group");') == 0
    assert states('x == "undetermined"', "src/analysis/model_run/results.h") == 0
    print("summary: empty names, participles and states are told")


main()
