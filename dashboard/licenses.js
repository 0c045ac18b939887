// SPDX-License-Identifier: MIT
// Prints the licences of the libraries that vite puts into dist/app.js and dist/app.css: those that package.json depends on.
import { readdirSync, readFileSync } from "node:fs";

const folder = (name) => new URL(`node_modules/${name}/`, import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const parts = Object.keys(dependencies)
  .sort()
  .map((name) => {
    const { version, license, dependencies: more = {} } = JSON.parse(readFileSync(new URL("package.json", folder(name)), "utf8"));
    if (Object.keys(more).length > 0) {
      throw new Error(`${name} depends on ${Object.keys(more).join(", ")}, whose licences licenses.js does not print`);
    }
    const file = readdirSync(folder(name)).find((each) => /^licen[cs]e/iu.test(each));
    return `${name} ${version} (${license})\n\n${readFileSync(new URL(file, folder(name)), "utf8").trim()}\n`;
  });
process.stdout.write(parts.join(`\n${"-".repeat(80)}\n\n`));
