// SPDX-License-Identifier: Apache-2.0
// The site build/web: index.html, app.js, app.css and engine.js. Browsers let a page in a folder
// neither fetch a module nor start a worker from a file, so engine.js carries both as text.
import { build } from "esbuild";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Engine } from "./src/engine.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const site = join(root, "build", "web");
const options = { bundle: true, minify: true, format: "iife", target: "es2022", legalComments: "none", logLevel: "warning" };

/** The built-in scenes that the module can solve: it has neither CHOLMOD nor cminpack. */
function scenes(wasm) {
    const engine = new Engine(new WebAssembly.Module(wasm));
    const folder = join(root, "examples");
    const names = readdirSync(folder).filter((name) => name.endsWith(".json")).map((name) => basename(name, ".json")).sort();
    const texts = names.map((name) => [name, readFileSync(join(folder, `${name}.json`), "utf8")]);
    return Object.fromEntries(texts.filter(([, text]) => !engine.open(text).includes("not in this build")));
}

const header = readFileSync(join(root, "include", "carom", "base.h"), "utf8");
const version = /define CAROM_VERSION\s+"([^"]+)"/.exec(header)[1];
const schema = JSON.stringify(JSON.parse(readFileSync(join(root, "schema", "scene.schema.json"), "utf8")));
const module = join(root, "build", "wasm", "web", "wasm", "carom.wasm");
const wasm = readFileSync(module);

rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });

const worker = await build({ ...options, entryPoints: [join(here, "src", "worker.ts")], write: false });
const packed = readFileSync(`${module}.xz`).toString("base64"); // by scripts/web.sh
writeFileSync(join(site, "engine.js"),
    `globalThis.CAROM={worker:${JSON.stringify(worker.outputFiles[0].text)},wasm:"${packed}",` +
    `schema:${schema},scenes:${JSON.stringify(scenes(wasm))}};\n`);
await build({
    ...options, entryPoints: [join(here, "src", "app.ts")], outfile: join(site, "app.js"),
    define: { CAROM_VERSION: JSON.stringify(version) }, loader: { ".css": "css" },
});
writeFileSync(join(site, "index.html"), readFileSync(join(here, "src", "index.html")));

let total = 0;
for (const name of readdirSync(site)) total += gzipSync(readFileSync(join(site, name)), { level: 9 }).length;
console.log(`build/web: ${(total / 1000).toFixed(0)} kB compressed (the module alone: ${(wasm.length / 1000).toFixed(0)} kB, not compressed)`);
