#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_sharded_with_torch.py SHARDED_STEPS MODEL: the losses of 50 steps of a sharded training (ranking or llama) on two ranks beside
PyTorch's, from the same weights, on the same data: one process, and FSDP2 over two ranks with gloo. AdamW, clipping included. Exit code 77,
with the reason, where there is no PyTorch.

Both compute in fp32 and sum in other orders, so that the curves part slowly; the bound is for the largest difference of a loss.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip  # noqa: E402

LOSS_BOUND = 5e-6
RANKS = 2


class Ranking:
    """Dense and categorical inputs, encoder layers, a scorer; what torch.nn has is torch.nn's."""

    def __init__(self, torch, shape):
        self.torch, self.shape = torch, shape

    def module(self, parameters):
        nn, shape = self.torch.nn, self.shape
        model = nn.Module()
        model.embedding = nn.EmbeddingBag(shape["vocabulary"], shape["embedding"], mode="mean")
        model.dense = nn.Linear(shape["dense"], shape["hidden"])
        model.sparse = nn.Linear(shape["embedding"], shape["hidden"])
        model.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(shape["hidden"], shape["heads"], shape["inner"], 0.0, "gelu", batch_first=True)
            for _ in range(shape["layers"]))
        model.norm = nn.LayerNorm(shape["hidden"])
        model.score1 = nn.Linear(shape["hidden"], shape["inner"])
        model.score2 = nn.Linear(shape["inner"], 1)
        linears = {"dense": model.dense, "sparse": model.sparse, "score1": model.score1, "score2": model.score2}
        norms = {"norm": model.norm}
        for i, layer in enumerate(model.layers):
            linears[f"layers.{i}.projection"] = layer.self_attn.out_proj
            linears[f"layers.{i}.up"], linears[f"layers.{i}.down"] = layer.linear1, layer.linear2
            norms[f"layers.{i}.norm1"], norms[f"layers.{i}.norm2"] = layer.norm1, layer.norm2

        def put(where, name, transposed=False):
            values = self.torch.tensor(parameters.pop(name))
            values = values.reshape(where.shape[::-1]).T if transposed else values.reshape(where.shape)
            where.data.copy_(values)

        put(model.embedding.weight, "embedding")
        for name, linear in linears.items():
            put(linear.weight, name + ".weight", True)
            put(linear.bias, name + ".bias")
        for name, norm in norms.items():
            put(norm.weight, name + ".weight")
            put(norm.bias, name + ".bias")
        for i, layer in enumerate(model.layers):
            put(layer.self_attn.in_proj_weight, f"layers.{i}.qkv.weight", True)
            put(layer.self_attn.in_proj_bias, f"layers.{i}.qkv.bias")
        model.forward = lambda batch: self.loss(model, batch)
        return model

    def loss(self, model, batch):
        torch, shape = self.torch, self.shape
        dense = torch.tensor(batch["dense"]).reshape(-1, shape["length"], shape["dense"])
        pooled = model.embedding(torch.tensor(batch["categories"]).reshape(-1, shape["categories"]))
        x = model.dense(dense) + model.sparse(pooled.reshape(*dense.shape[:2], -1))
        for layer in model.layers:
            x = layer(x)
        score = model.score2(torch.nn.functional.gelu(model.score1(model.norm(x)))).flatten()
        return torch.nn.functional.binary_cross_entropy_with_logits(score, torch.tensor(batch["target"]), torch.tensor(batch["weight"]))


class Llama:
    """RMS norms, rotary positions of neighbouring pairs, SwiGLU, the embedding as the head."""

    def __init__(self, torch, shape):
        self.torch, self.shape = torch, shape

    def module(self, parameters):
        torch, shape = self.torch, self.shape
        model = torch.nn.Module()

        def parameter(name, *dims):
            return torch.nn.Parameter(torch.tensor(parameters.pop(name)).reshape(*dims))

        hidden, inner = shape["hidden"], shape["inner"]
        dims = {"norm1": [hidden], "norm2": [hidden], "q": [hidden, hidden], "k": [hidden, hidden], "v": [hidden, hidden],
                "o": [hidden, hidden], "gate": [inner, hidden], "up": [inner, hidden], "down": [hidden, inner]}
        model.embedding = parameter("embedding", shape["vocabulary"], hidden)
        model.norm = parameter("norm", hidden)
        model.layers = torch.nn.ModuleList()
        for i in range(shape["layers"]):
            layer = torch.nn.Module()
            for name, of in dims.items():
                setattr(layer, name, parameter(f"layers.{i}.{name}", *of))
            layer.forward = lambda x, turns, layer=layer: self.layer(layer, x, turns)
            model.layers.append(layer)
        model.forward = lambda batch: self.loss(model, batch)
        return model

    def normed(self, x, weight):
        return self.torch.nn.functional.rms_norm(x, x.shape[-1:], weight, self.shape["epsilon"])

    def layer(self, layer, x, turns):
        torch, linear, heads = self.torch, self.torch.nn.functional.linear, self.shape["heads"]
        h = self.normed(x, layer.norm1)

        def split(weight, turned):
            y = linear(h, weight).view(*x.shape[:2], heads, -1)
            if turned:
                pairs = torch.view_as_complex(y.reshape(*y.shape[:-1], -1, 2))
                y = torch.view_as_real(pairs * turns[:, None, :]).flatten(-2)
            return y.transpose(1, 2)

        seen = torch.nn.functional.scaled_dot_product_attention(split(layer.q, True), split(layer.k, True), split(layer.v, False),
                                                                is_causal=True)
        x = x + linear(seen.transpose(1, 2).reshape(x.shape), layer.o)
        h = self.normed(x, layer.norm2)
        return x + linear(torch.nn.functional.silu(linear(h, layer.gate)) * linear(h, layer.up), layer.down)

    def loss(self, model, batch):
        torch, shape = self.torch, self.shape
        tokens = torch.tensor(batch["tokens"]).reshape(-1, shape["length"] + 1)
        head_dim = shape["hidden"] // shape["heads"]
        steps = shape["theta"] ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
        angles = torch.outer(torch.arange(shape["length"], dtype=torch.float64), steps)
        turns = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
        x = model.embedding[tokens[:, :-1]]
        for layer in model.layers:
            x = layer(x, turns)
        logits = torch.nn.functional.linear(self.normed(x, model.norm), model.embedding)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def train(torch, ours, model, batches):
    """`batches(step)`: what this process trains on. The losses, of this process."""
    optimiser = torch.optim.AdamW(model.parameters(), **ours["adamw"])
    losses = []
    for step in range(len(ours["losses"])):
        optimiser.zero_grad()
        loss = model(batches(step))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), ours["clip_norm"])
        optimiser.step()
        losses.append(loss.item())
    return losses


def built(torch, ours, kind):
    parameters = dict(ours["parameters"])
    model = {"ranking": Ranking, "llama": Llama}[kind](torch, ours["model"]).module(parameters)
    assert not parameters, f"no place for {sorted(parameters)}"
    return model


def train_as_rank(path, kind):
    import torch
    import torch.distributed as dist
    from torch.distributed.fsdp import fully_shard

    with open(path) as file:
        ours = json.load(file)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    mesh = dist.device_mesh.init_device_mesh("cpu", (RANKS,))
    model = built(torch, ours, kind)
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    own = ours["batches"][rank]
    losses = torch.tensor(train(torch, ours, model, lambda step: own[step % len(own)]))
    dist.all_reduce(losses)
    if rank == 0:
        print("LOSSES", json.dumps((losses / RANKS).tolist()))
    dist.destroy_process_group()


def fsdp2_losses(path, kind):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = []
    for rank in range(RANKS):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(RANKS), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), OMP_NUM_THREADS="1")
        ranks.append(subprocess.Popen([sys.executable, "-B", __file__, "--rank", path, kind], env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True))
    outputs = [rank.communicate(timeout=240) for rank in ranks]
    for rank, (_, said) in zip(ranks, outputs):
        if rank.returncode != 0:
            sys.exit(f"FSDP2 failed: {said[-1500:]}")
    return json.loads(outputs[0][0].split("LOSSES", 1)[1])


def main(program, kind):
    try:
        import torch
    except ImportError:
        skip("PyTorch not here")
    ours = json.loads(subprocess.run([program, kind], capture_output=True, check=True, text=True).stdout)
    of_ranks = ours["batches"]

    def whole(step):
        parts = [of_rank[step % len(of_rank)] for of_rank in of_ranks]
        return {key: sum((part[key] for part in parts), []) for key in parts[0]}

    curves = {"one process": train(torch, ours, built(torch, ours, kind), whole)}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ours.json")
        with open(path, "w") as file:
            json.dump(ours, file)
        curves[f"FSDP2 on {RANKS} ranks"] = fsdp2_losses(path, kind)
    failed = False
    for name, losses in curves.items():
        difference = max(abs(a - b) for a, b in zip(ours["losses"], losses, strict=True))
        wrong = not difference <= LOSS_BOUND
        failed = failed or wrong
        print(f"{kind}: {len(losses)} steps, loss {losses[0]:.6f} to {losses[-1]:.6f}, PyTorch {torch.__version__} {name}: largest difference "
              f"{difference:.2g}, {LOSS_BOUND:g} is allowed{': TOO FAR' if wrong else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--rank":
        train_as_rank(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
