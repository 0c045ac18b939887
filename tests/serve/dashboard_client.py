# SPDX-License-Identifier: MIT
"""aaco serve as a process, and a client that knows its token. For the tests here and bench/serve.py."""
import http.client
import json
import re
import signal
import socket
import subprocess


class Dashboard:
    """Serves until the block ends, then by SIGTERM, and has to end well."""

    def __init__(self, aaco, sessions, *flags, environment=None):
        self.command = [str(aaco), "serve", "--sessions", str(sessions), "--json", *flags]
        self.environment = environment

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.url = json.loads(line)["url"]
        self.port = int(re.search(r":(\d+)/", self.url).group(1))
        self.token = self.url.split("token=")[1]
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        self.errors = self.process.stderr.read()
        assert kind or code == 0, (code, self.errors)

    def connection(self, timeout=120):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, path, method="GET", body=None, token=True, connection=None, **headers):
        connection = connection or self.connection()
        if token:
            headers["Authorization"] = f"Bearer {self.token}"
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    def raw(self, request):
        """What the server answers to these bytes, until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def json(self, path, expect=200, **arguments):
        status, headers, body = self.ask(path, **arguments)
        assert status == expect, (path, status, body[:500])
        assert headers["Content-Type"] == "application/json", headers
        return json.loads(body)

    def sql(self, session, statement, expect=200, **more):
        body = json.dumps({"session": session, "statement": statement, **more})
        return self.json("/api/sql", expect, method="POST", body=body)

    def resident_bytes(self):
        """Of the server alone, files that are mapped included."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
