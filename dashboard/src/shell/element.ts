// SPDX-License-Identifier: MIT
// Makes elements. Text goes in as text, never as markup: names come from files that others wrote.

export type Child = Node | string | null | undefined | false;

interface Attributes {
  [name: string]: string | number | boolean | undefined | ((event: never) => void);
}

// Attributes that are functions become listeners ("onclick"), true is an attribute without a value, false and undefined are left out.
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      node.addEventListener(name.slice(2), value as EventListener);
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== false && value !== undefined) {
      node.setAttribute(name, String(value));
    }
  }
  append(node, children);
  return node;
}

export function append(node: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      node.append(child);
    }
  }
}

export function replace(node: Element, ...children: Child[]): void {
  node.replaceChildren();
  append(node, children);
}

export function button(text: string, press: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return element("button", { type: "button", onclick: press, ...attributes }, text);
}

// Long names break behind a sign rather than at any letter.
export function breakable(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  text.split(/(?<=[:_#/])(?=.)/u).forEach((part, index) => {
    if (index > 0) {
      fragment.append(document.createElement("wbr"));
    }
    fragment.append(part);
  });
  return fragment;
}
