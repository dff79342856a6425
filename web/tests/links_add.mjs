// SPDX-License-Identifier: Apache-2.0
// Add links to links.json: node tests/links_add.mjs '#1/cradle?balls=3' ... What stands there stays.
import { readFileSync, writeFileSync } from "node:fs";
import { launch, meaning, open, probe } from "./browser.mjs";

const file = new URL("links.json", import.meta.url);
let known = [];
try { known = JSON.parse(readFileSync(file, "utf8")); } catch { /* the first ones */ }
const browser = await launch();
for (const link of process.argv.slice(2)) {
    if (known.some((entry) => entry.link === link)) continue;
    const { page, context } = await open(browser, link);
    known.push({ link, scene: meaning((await probe(page)).scene) });
    await context.close();
}
await browser.close();
writeFileSync(file, `[\n${known.map((entry) => `  ${JSON.stringify(entry)}`).join(",\n")}\n]\n`);
