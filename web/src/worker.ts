// SPDX-License-Identifier: Apache-2.0
// The thread that computes: takes a scene's text, answers with what was asked for.
import { XzReadableStream } from "xz-decompress";
import { Engine } from "./engine.mjs";
import type { Answer, Order } from "./protocol";

let engine: Engine | undefined;
let open = ""; // which scene is open, and how it was solved

/** The module, compiled while it is unpacked. */
function compile(base64: string): Promise<WebAssembly.Module> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const unpacked = new XzReadableStream(new Blob([bytes]).stream());
    return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "content-type": "application/wasm" } }));
}

/** Open and solve unless that is what was done last; "" or what is wrong. */
function prepare(core: Engine, order: Order): string {
    const key = `${order.compare ? "compare" : order.samples}|${order.text}`;
    if (key === open) return "";
    open = "";
    const fault = core.open(order.text) || (order.compare ? core.compare() : core.solve(order.samples));
    if (!fault) open = key;
    return fault;
}

function answer(core: Engine, order: Order): Answer {
    const start = performance.now();
    const reply: Answer = { id: order.id, fault: prepare(core, order), ms: 0 };
    reply.ms = performance.now() - start;
    if (reply.fault) return reply;
    for (const part of order.want) {
        if (part === "json") reply.json = core.json();
        else if (part === "report") reply.report = core.report();
        else if (part === "trace") reply.trace = core.trace();
        else if (part === "plots") reply.plots = core.plots();
        else if (part === "motion") reply.motion = core.motion();
        else if (part === "path") reply.path = core.path();
        else if (part === "table") reply.table = core.table();
    }
    if (order.plot) reply.svg = core.plot(order.plot.name, order.plot.dark);
    if (order.hash) {
        if (order.hash.first) core.hashBegin();
        core.hashAdd(order.hash.name);
        if (order.hash.last) reply.digest = core.hashEnd();
    }
    return reply;
}

function serve(order: Order): void {
    let reply: Answer;
    try {
        reply = answer(engine!, order);
    } catch (error) {
        // A trap: too little memory or too deep a scene. The instance is not to be trusted any more.
        open = "";
        engine!.start();
        reply = { id: order.id, fault: `The module stopped: ${(error as Error).message}`, ms: 0 };
    }
    const moved = [reply.motion, reply.path, reply.table].flatMap((part) => (part ? [part.data.buffer as ArrayBuffer] : []));
    (self as unknown as Worker).postMessage(reply, moved);
}

self.onmessage = async (event: MessageEvent) => {
    if (typeof event.data.wasm === "string") {
        engine = new Engine(await compile(event.data.wasm));
        (self as unknown as Worker).postMessage({ ready: true });
    } else {
        serve(event.data as Order);
    }
};
