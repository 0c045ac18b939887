// SPDX-License-Identifier: MIT
// The address restores the view: "#/timeline/NAME?from=0&to=100" is a page, its subjects and its parameters.

export interface Route {
  page: string;
  subjects: string[];
  parameters: URLSearchParams;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/u, "").split(/\?(.*)/su);
  const [page = "", ...subjects] = path.split("/").map(decoded);
  return { page: page === "" ? "sessions" : page, subjects: subjects.filter((part) => part !== ""), parameters: new URLSearchParams(query) };
}

export function addressOf(page: string, subjects: readonly string[] = [], parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
  return `#/${[page, ...subjects].map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`;
}

// Changes parameters of the address without a new page; an empty value removes one.
export function keepParameters(changes: Record<string, string>): void {
  const route = routeOf(location.hash);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") {
      route.parameters.delete(name);
    } else {
      route.parameters.set(name, value);
    }
  }
  const address = addressOf(route.page, route.subjects, Object.fromEntries(route.parameters));
  if (address !== location.hash) {
    history.replaceState(null, "", address);
  }
}
