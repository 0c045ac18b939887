# SPDX-License-Identifier: MIT
"""The part of bench/results/README.md that the raw files of trainings' gates make."""

HEAD = """
# Gates of trainings

`bench/training_gates.py`: `aaco llama run` of each version, its gates recorded by the device's own collector. *Timed kernels*: those of the
recorded steps, by name; *in a gate*: of these, how many were executed by a gate that compares values and passed. *Largest error* of the gates at
the run's own size, over what they allow: gradients with the run's heads against the fp64 oracle; operations against the CPU; the whole step against
another version in fp32. *Gates took*: all of them together, in the process that holds them, its start apart. *Weights*: whether two processes that trained
the same steps were left with the same, bit by bit.

"""


def gate_of(document, start):
    return next((gate for gate in document["gates"] if gate["name"].startswith(start)), None)


def words_of(gate):
    return "not made" if gate is None else "not known" if gate["passed"] is None else gate["found"] if gate["passed"] else f"**{gate['found']}**"


WEIGHTS = {True: "alike", False: "**differ**", None: "not compared"}
OWN_SIZE = ("gradients are the oracle's, the run", "operations of the run", "a step of the run")


def row_of(run):
    document = run["document"]
    gates = document["gates"]
    timed = {use["name"] for use in document["activity"]["uses"]} if document["activity"] else set()
    executed = {name for gate in gates if gate["against"] and gate["passed"] for name in gate["kernels"] or []}
    own = " | ".join(words_of(gate_of(document, start)) for start in OWN_SIZE)
    return (f"| {run['case'].replace(':', ', ')} | V{run['training']} | {sum(gate['passed'] is True for gate in gates)} of {len(gates)} | {len(timed)} | "
            f"{len(timed & executed)} | {own} | {sum(gate['seconds'] or 0 for gate in gates):.1f} | "
            f"{WEIGHTS[document['figures'].get('same_weights')]} |\n")


# What must be known of a file before its rows are read.
REMARKS = {"llama-gates-h100.json": "Version 1's operations of the run's size are red because the check was wrong, not the device: of a batch of products it "
           "computed a band of each product's rows, and compared the rows between the bands too. It takes whole products of a batch since, with which "
           "version 1 holds: llama-gates-h100-b.json and -c.json. The file was written before revisions were kept in such files, by the program of the change that follows 86878511."}


def gates_section(name, result):
    environment = result["environment"]
    remark = f"{REMARKS[name]}\n\n" if name in REMARKS else ""
    built = f"; revision {result['revision']}" if result.get("revision") else ""
    return (f"## {name}\n\n{environment['gpu']}; {environment['cpu']}; {environment['date']}{built}.\n\n{remark}"
            "| case | version | gates that hold | timed kernels | in a gate | the run's heads | the run's operations | the run's step | gates took, s | weights |\n"
            "|---|---|---|---:|---:|---|---|---|---:|---|\n" + "".join(row_of(run) for run in result["training_gates"]))
