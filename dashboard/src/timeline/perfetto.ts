// SPDX-License-Identifier: MIT
// Hands a trace to Perfetto's page, which asks for it by messages. Nothing leaves the machine before this click; the page there keeps the
// trace in the browser.
import { request, sessionPath } from "../server/requests";
import { say } from "../shell/copy";

const PERFETTO = "https://ui.perfetto.dev";
const PATIENCE = 15_000; // milliseconds until the other page must have answered
const ASK_EVERY = 100;

export async function openInPerfetto(name: string): Promise<void> {
  const page = window.open(PERFETTO, "_blank");
  if (page === null) {
    say("The browser blocked the new tab");
    return;
  }
  try {
    const response = await request(`/api/timeline/${sessionPath(name)}/export?format=perfetto`);
    const buffer = await response.arrayBuffer();
    await untilReady(page);
    page.postMessage({ perfetto: { buffer, title: name } }, PERFETTO);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

function untilReady(page: Window): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearInterval(asking);
      clearTimeout(patience);
      removeEventListener("message", hear);
    };
    const hear = (event: MessageEvent): void => {
      if (event.source === page && event.origin === PERFETTO && event.data === "PONG") {
        end();
        resolve();
      }
    };
    const asking = setInterval(() => page.postMessage("PING", PERFETTO), ASK_EVERY);
    const patience = setTimeout(() => {
      end();
      reject(new Error("Perfetto's page does not answer"));
    }, PATIENCE);
    addEventListener("message", hear);
  });
}
