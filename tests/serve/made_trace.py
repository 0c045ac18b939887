# SPDX-License-Identifier: MIT
"""A trace as PyTorch's profiler writes it, of any number of events: a thread that launches kernels on two streams, with pauses, and a counter."""
import random

SPIKE_US = 2000


def write_trace(path, events, seed=1):
    numbers = random.Random(seed)
    host, device = 0.0, 0.0
    with open(path, "w", encoding="ascii") as file:
        file.write('{"traceEvents":[\n{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}}')
        for i in range(events // 4):
            # The first two operators have one name and no pause.
            operator = ("mm", "add", "relu", "softmax")[i % 4 if i > 1 else 0]
            host = (0, 6.5)[i] if i < 2 else host + 2 + 6 * numbers.random()
            device = max(device, host + 5)
            length = SPIKE_US if i == events // 8 else 0.5 + 8 * numbers.random()
            file.write(f',\n{{"ph":"X","cat":"cpu_op","name":"aten::{operator}","pid":1,"tid":1,"ts":{host:.3f},"dur":6.5,"args":{{"External id":{i}}}}}'
                       f',\n{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{host + 1:.3f},"dur":3,'
                       f'"args":{{"correlation":{i},"External id":{i}}}}}'
                       f',\n{{"ph":"X","cat":"kernel","name":"kernel_{operator}_{i % 7}","pid":0,"tid":{7 + i % 2},"ts":{device:.3f},"dur":{length:.3f},'
                       f'"args":{{"device":0,"stream":{7 + i % 2},"correlation":{i},"External id":{i}}}}}'
                       f',\n{{"ph":"C","name":"power","pid":1,"tid":1,"ts":{host:.3f},"args":{{"watts":{300 + 50 * numbers.random():.1f}}}}}')
            device += length
            host = max(host, device - 40) + 7
        file.write("\n]}")
