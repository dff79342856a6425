// SPDX-License-Identifier: Apache-2.0
// What the tests share: Chromium, the site from a folder and from a server, the native command.
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const site = join(root, "build", "web");
export const fromFolder = `file://${site}/index.html`;
export const PAGES = ["billiards", "cradle", "bounce", "viewer"];

/** Elementary functions of our own: from then on all scenes have the same bytes everywhere. */
export const sameEverywhere = existsSync(join(root, "src", "base", "elementary.h"));

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
}

/** A plain static host. */
export async function serve() {
    const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
    const server = createServer((request, response) => {
        const path = join(site, request.url === "/" ? "index.html" : request.url.split("?")[0]);
        if (!existsSync(path)) return void response.writeHead(404).end();
        response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(readFileSync(path));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** A page that collects what goes wrong in it. */
export async function open(browser, link, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options.context });
    const page = await context.newPage();
    const faults = [];
    page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") faults.push(message.text()); });
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(`${options.base ?? fromFolder}${link}`);
    await settled(page);
    return { page, context, faults };
}

/** The worker has nothing to do and stays so. */
export async function settled(page) {
    await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 20000 });
    for (let quiet = 0; quiet < 3;) {
        await page.waitForTimeout(30);
        quiet = (await page.evaluate(() => caromPage.client.busy)) ? 0 : quiet + 1;
    }
}

export const probe = (page) => page.evaluate(() => { const { scene, json, fault, lines } = caromPage.probe(); return { scene, json, fault, lines }; });

/** What the command prints; a scene without a solution has a result as well. */
export function command(words, input = "") {
    const run = spawnSync(join(root, "build", "carom"), words, { input, maxBuffer: 1 << 28, encoding: "utf8" });
    if (run.status > 1 || run.error) throw new Error(`carom ${words.join(" ")}: ${run.error ?? run.stderr}`);
    return run.stdout;
}

/** What the command prints for a scene. */
export const native = (scene) => command(["run", "-", "--json"], scene);

/** Set a slider as a hand would: its value and the event. */
export const slide = (page, key, share) => page.evaluate(([name, part]) => {
    const input = document.querySelector(`[data-slider="${name}"]`);
    const low = Number(input.min), high = Number(input.max);
    input.value = String(low + part * (high - low));
    input.dispatchEvent(new Event("input", { bubbles: true }));
}, [key, share]);
export const sliders = (page) => page.evaluate(() => [...document.querySelectorAll("[data-slider]")].map((input) => input.dataset.slider));

/** Two long texts: only where they part is told. */
export function assertSame(ours, theirs, what) {
    if (ours === theirs) return;
    let i = 0;
    while (ours[i] === theirs[i]) i++;
    const part = (text) => JSON.stringify(text.slice(Math.max(0, i - 60), i + 40));
    throw new Error(`${what}: differs at ${i} of ${theirs.length}: page ${part(ours)}, command ${part(theirs)}`);
}

/** A digest of what a scene says, whatever its white space, order of members and title. */
export function meaning(scene) {
    const plain = (value) => {
        if (Array.isArray(value)) return value.map(plain);
        if (value === null || typeof value !== "object") return value;
        const keys = Object.keys(value).filter((key) => key !== "title" && key !== "source").sort();
        return Object.fromEntries(keys.map((key) => [key, plain(value[key])]));
    };
    return createHash("sha256").update(JSON.stringify(plain(JSON.parse(scene)))).digest("hex").slice(0, 32);
}
