// SPDX-License-Identifier: Apache-2.0
// `carom run --json` by the module of the playground, in node:
//     node web/run.mjs carom.wasm SCENE.json           prints the result
//     node web/run.mjs carom.wasm --into FOLDER SCENE.json...   one file for each scene
// Exit 3 if a scene is refused; its messages are then the result.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Engine } from "./src/engine.mjs";

const [wasm, ...rest] = process.argv.slice(2);
const folder = rest[0] === "--into" ? rest.splice(0, 2)[1] : "";
const engine = new Engine(new WebAssembly.Module(readFileSync(wasm)));

for (const path of rest) {
    const fault = engine.open(readFileSync(path, "utf8")) || engine.solve(0);
    if (fault) process.exitCode = 3;
    const text = fault || engine.json();
    if (folder) writeFileSync(join(folder, basename(path)), text);
    else process.stdout.write(text);
}
