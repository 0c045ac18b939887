// SPDX-License-Identifier: MIT
import type { Route } from "./route";

export type Leave = () => void;

// Fills the main element; what it returns ends whatever the page started.
export type Page = (main: HTMLElement, route: Route) => Leave | undefined;
