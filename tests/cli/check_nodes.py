#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_nodes.py AACO: `aaco overlap run` on two nodes of two CPU ranks each, as a launcher starts them. The nodes are processes of this
machine with nothing in common but TCP: folders of their own for work and temporary files, and, where this user may make them, network
namespaces of their own with a link between; else that is said, and both use the loopback. No second machine is needed, or shown."""
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

CONFIG = ("model.kind=llama model.vocab_size=64 model.model_dim=32 model.num_heads=4 model.num_layers=2 model.mlp_hidden_dim=64 "
          "dataset.sequence_length=16 training.batch_size=1 training.max_steps=6 training.mixed_precision=fp32 training.unmeasured_steps=1 "
          "scheduler.warmup_steps=0 scheduler.total_steps=0").split()
RANKS, LOCAL = 4, 2
LIMIT_S = 120


class Machines:
    """Two of them: how a command is put on each, and where the first is found."""

    def __init__(self, stack):
        self.address, self.prefixes = "127.0.0.1", ([], [])
        names = [f"aaco{os.getpid()}{side}" for side in "ab"]
        made = [["ip", "netns", "add", names[0]], ["ip", "netns", "add", names[1]],
                ["ip", "link", "add", "left", "netns", names[0], "type", "veth", "peer", "name", "right", "netns", names[1]]]
        for name, link, address in ((names[0], "left", "10.77.0.1/24"), (names[1], "right", "10.77.0.2/24")):
            made += [["ip", "-n", name, "addr", "add", address, "dev", link], ["ip", "-n", name, "link", "set", link, "up"],
                     ["ip", "-n", name, "link", "set", "lo", "up"]]
        for name in names:
            stack.callback(subprocess.run, ["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)
        for command in made:
            try:
                subprocess.run(command, check=True, capture_output=True, text=True)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"nodes: no network namespaces here, both nodes use the loopback: {getattr(error, 'stderr', '') or error}".strip())
                return
        print("nodes: a network namespace each, with a link between")
        self.address = "10.77.0.1"
        self.prefixes = tuple(["ip", "netns", "exec", name] for name in names)


def free_port():
    with contextlib.closing(socket.socket()) as listening:
        listening.bind(("", 0))
        return listening.getsockname()[1]


def agent_before_free_port():
    """A listening socket whose port is followed by one to listen on. Both lie below those that the kernel gives out by itself: of these, a
    connection of another test may hold the next one, for a minute after its end too."""
    for port in random.sample(range(10000, 32000, 2), 1000):
        agent = socket.socket()
        with contextlib.closing(socket.socket()) as after, contextlib.suppress(OSError):
            after.bind(("", port + 1))
            agent.bind(("", port))
            agent.listen()
            return agent
        agent.close()
    raise SystemExit("nodes: no port is followed by a free one")


def variables(rank, address, port, **more):
    return {"RANK": rank, "WORLD_SIZE": RANKS, "LOCAL_RANK": rank % LOCAL, "LOCAL_WORLD_SIZE": LOCAL, "MASTER_ADDR": address,
            "MASTER_PORT": port, "TORCHELASTIC_RUN_ID": "a job", **more}


# As torchrun does it on a node: one parent for the node's ranks, which starts them and waits for them.
PARENT = "import subprocess, sys, json\nspec = json.loads(sys.argv[1])\n" \
         "started = [subprocess.Popen(spec['command'], env=env) for env in spec['environments']]\n" \
         "sys.exit(max(process.wait() for process in started))"


class Node:
    def __init__(self, aaco, root, prefix, environments, words):
        self.folder = root
        for name in ("work", "tmp"):
            (root / name).mkdir(parents=True, exist_ok=True)
        spec = {"command": [aaco, "overlap", "run", "--quiet", "--device", "cpu:0,cpu:1", "--override", *CONFIG, *words],
                "environments": [{**os.environ, "TMPDIR": str(root / "tmp"), **{name: str(value) for name, value in one.items()}}
                                 for one in environments]}
        self.process = subprocess.Popen([*prefix, sys.executable, "-c", PARENT, json.dumps(spec)], cwd=root / "work", stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True)

    def end(self):
        """Exit code, stdout, stderr. A node that does not end is killed with its ranks, and says so by its exit code."""
        try:
            out, err = self.process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, err = self.process.communicate()
        return self.process.returncode, out, err


def run(aaco, folder, machines, words=(), of_second=None, only=(0, 1), port=None):
    """What each node's processes gave: exit code, stdout, stderr."""
    port = port or free_port()
    started = []
    for node in only:
        more = (of_second or {}) if node == 1 else {}
        environments = [variables(rank, machines.address, port, **more) for rank in range(node * LOCAL, node * LOCAL + LOCAL)]
        started.append(Node(aaco, folder / f"node{node}", machines.prefixes[node], environments, words))
    return [node.end() for node in started]


def session_of(folder):
    found = sorted((folder / "node0" / "work" / "sessions").iterdir())
    return json.loads((found[-1] / "metrics" / "overlap.json").read_text())


def trains(aaco, folder, machines):
    (first, printed, said), (second, silent, said_there) = run(aaco, folder, machines)
    if (first, second) != (0, 0):
        yield f"two nodes: exit codes {first} and {second}: {said} {said_there}"
        return
    if "RESULT ranks=4" not in printed or silent:
        yield f"two nodes: rank 0 printed {printed[-80:]!r}, the other node {silent[-80:]!r}"
    document = session_of(folder)
    if [rank["rank"] for rank in document["ranks"]] != list(range(RANKS)) or any(len(rank["losses"]) != 6 for rank in document["ranks"]):
        yield "two nodes: not all ranks are in rank 0's session"
    if {rank["library"] for rank in document["ranks"]} != {"between nodes"}:
        yield f"two nodes: collectives went {[rank['library'] for rank in document['ranks']]}"
    if not all(gate["passed"] for gate in document["gates"]) or not document["figures"] or len(document["figures"]["ranks"]) != RANKS:
        yield f"two nodes: gates {document['gates']}, figures of {document['figures'] and len(document['figures']['ranks'])} ranks"
    if not any("2 nodes: ranks 0 to 1 here, 2 to 3 at" in note for note in document["notes"]):
        yield f"two nodes: the notes do not say so: {document['notes']}"
    # A node has the logs of its own ranks, in its own training.output_dir, and rank 0's has all else.
    left = sorted(str(path.relative_to(folder / "node1")) for path in (folder / "node1").rglob("*") if path.is_file())
    if left != ["work/artifacts/rank2.log", "work/artifacts/rank3.log"]:
        yield f"two nodes: the other node left {left}"
    logs = sorted(path.name for path in (folder / "node0" / "work" / "artifacts").glob("*.log"))
    if logs != ["rank0.log", "rank1.log"]:
        yield f"two nodes: rank 0's node has the logs {logs}"
    alone = subprocess.run([aaco, "overlap", "run", "--quiet", "--json", "--device", "cpu:0,cpu:1,cpu:2,cpu:3", "--override", *CONFIG],
                           cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=True)
    if json.loads(alone.stdout)["losses"] != document["losses"]:
        yield "two nodes: losses are not those of four ranks of one machine, bit by bit"


def refuses(aaco, folder, machines):
    quick = ("distributed.timeout=3",)
    (first, _, said), (second, _, said_there) = run(aaco, folder, machines, quick, {"AACO_JOB_SECRET": "another"})
    if (first, second) != (6, 2) or "2 of 4 ranks have come" not in said or "is of another job" not in said or "is of another job" not in said_there:
        yield f"another job's node: exit codes {first} and {second}: {said} {said_there}"
    (first, _, said), = run(aaco, folder, machines, quick, only=(0,))
    if first != 6 or "2 of 4 ranks have come to port" not in said:
        yield f"a node that does not come: exit code {first}: {said}"
    (second, _, said), = run(aaco, folder, machines, quick, only=(1,))
    if second != 6 or "no connection to" not in said:
        yield f"no rank 0: exit code {second}: {said}"
    (first, _, said), (second, _, said_there) = run(aaco, folder, machines, quick, {"WORLD_SIZE": 6})
    if (first, second) != (2, 2) or "started with 6 ranks, rank 0 with 4" not in said or "refuses this one" not in said_there:
        yield f"nodes that do not fit: exit codes {first} and {second}: {said} {said_there}"


def survives_strangers(aaco, folder, _):
    """Bytes of strangers before the other node comes, on the loopback: none of them ends or holds up the run. MASTER_PORT is an agent's."""
    with contextlib.closing(agent_before_free_port()) as agent:
        yield from trains_among_strangers(aaco, folder, agent.getsockname()[1])


def trains_among_strangers(aaco, folder, port):
    words = ("profiling.enabled=false",)
    environments = [[variables(rank, "127.0.0.1", port, TORCHELASTIC_USE_AGENT_STORE="True") for rank in range(node * LOCAL, node * LOCAL + LOCAL)] for node in (0, 1)]
    first = Node(aaco, folder / "node0", [], environments[0], words)
    for said in (b"", b"GET / HTTP/1.1\r\n\r\n" * 20, b"aacojoin" + b"\0" * 200, os.urandom(4096)):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with contextlib.suppress(ConnectionRefusedError), contextlib.closing(socket.create_connection(("127.0.0.1", port + 1), 5)) as stranger:
                stranger.sendall(said)
                break
            time.sleep(0.02)
    codes = [node.end() for node in (first, Node(aaco, folder / "node1", [], environments[1], words))]
    if [code for code, _, _ in codes] != [0, 0]:
        yield f"strangers at rank 0's port: {codes}"


def main():
    aaco = os.path.abspath(sys.argv[1])
    problems = []
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        machines = Machines(stack)
        for check in (trains, refuses, survives_strangers):
            problems += check(aaco, folder / check.__name__, machines)
    print("\n".join(problems) or "nodes: as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
