// SPDX-License-Identifier: Apache-2.0
// The page's side of the worker: one order at a time. On a channel a newer order replaces one that waits.
import type { Answer, Order } from "./protocol";

declare global {
    // eslint-disable-next-line no-var
    var CAROM: { worker: string; wasm: string; schema: unknown; scenes: Record<string, string> };
}

export type Ask = Omit<Order, "id">;

interface Waiting {
    channel: string;
    order: Order;
    settle: (answer: Answer | null) => void;
}

/** Seconds after which a scene is given up: a tight rack that is hit softly may take a few. */
const TIME_LIMIT = 20;

export class Client {
    private worker!: Worker;
    private ready!: Promise<void>;
    private queue: Waiting[] = [];
    private running: Waiting | null = null;
    private timer = 0;
    private next = 1;
    solves = 0;

    constructor() { this.begin(); }

    private begin(): void {
        const url = URL.createObjectURL(new Blob([CAROM.worker], { type: "text/javascript" }));
        this.worker = new Worker(url);
        URL.revokeObjectURL(url);
        this.ready = new Promise((resolve) => {
            this.worker.onmessage = (event) => {
                if (event.data.ready) resolve();
                else this.finish(event.data as Answer);
            };
        });
        this.worker.postMessage({ wasm: CAROM.wasm });
    }

    whenReady(): Promise<void> { return this.ready; }
    get busy(): boolean { return this.running !== null || this.queue.length > 0; }

    /** The answer, or null when a newer order took its place. */
    ask(channel: string, ask: Ask): Promise<Answer | null> {
        return new Promise((settle) => {
            for (const old of this.queue.filter((entry) => entry.channel === channel)) old.settle(null);
            this.queue = this.queue.filter((entry) => entry.channel !== channel);
            this.queue.push({ channel, order: { ...ask, id: this.next++ }, settle });
            this.advance();
        });
    }

    private async advance(): Promise<void> {
        await this.ready;
        const entry = this.running ? undefined : this.queue.shift();
        if (!entry) return;
        this.running = entry;
        this.timer = window.setTimeout(() => this.giveUp(), TIME_LIMIT * 1000);
        this.worker.postMessage(entry.order);
    }

    private finish(answer: Answer): void {
        const entry = this.running;
        window.clearTimeout(this.timer);
        this.running = null;
        this.solves++;
        entry?.settle(answer);
        void this.advance();
    }

    private giveUp(): void {
        const id = this.running?.order.id ?? 0;
        this.worker.terminate();
        this.begin();
        this.finish({ id, fault: `This takes more than ${TIME_LIMIT} seconds; it was stopped.`, ms: 0 });
    }
}
