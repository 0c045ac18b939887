// SPDX-License-Identifier: MIT
// Hands a trace to a page of Perfetto, which asks for it by messages ("PING" is answered by "PONG"). Nothing leaves this page before a click.
import { fetchExport } from "../server/requests";

export const PERFETTO = "https://ui.perfetto.dev";
const PATIENCE = 30_000; // milliseconds until the other page must have answered
const ASK_EVERY = 100;

// The address that messages may go to, or null where it is none.
export function originOf(address: string): string | null {
  try {
    const { protocol, origin } = new URL(address);
    return protocol === "https:" || protocol === "http:" ? origin : null;
  } catch {
    return null;
  }
}

// To be called by a click, else the browser opens no window. How many events the file lacks.
export async function handToPerfetto(name: string, address: string): Promise<number> {
  const origin = originOf(address);
  const page = origin === null ? null : window.open(address, "_blank");
  if (origin === null || page === null) {
    throw new Error(origin === null ? `${address}: no address of a page` : "The browser blocked the new tab. Allow it for this page, then try again.");
  }
  const [trace] = await Promise.all([fetchExport(name, "perfetto"), untilReady(page, origin)]);
  page.postMessage({ perfetto: { buffer: trace.buffer, title: name } }, origin);
  return trace.leftOut;
}

function untilReady(page: Window, origin: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearInterval(asking);
      clearTimeout(patience);
      removeEventListener("message", hear);
    };
    const hear = (event: MessageEvent): void => {
      if (event.source === page && event.origin === origin && event.data === "PONG") {
        end();
        resolve();
      }
    };
    // An origin that is not there yet: the browser drops the message.
    const asking = setInterval(() => page.postMessage("PING", origin), ASK_EVERY);
    const patience = setTimeout(() => {
      end();
      reject(new Error(`The page at ${origin} does not answer. Is it Perfetto?`));
    }, PATIENCE);
    addEventListener("message", hear);
  });
}
