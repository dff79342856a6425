// SPDX-License-Identifier: Apache-2.0
// The module carom.wasm behind functions with texts and numbers. Runs in a page, a worker and node.
// @ts-check

/** What the functions of the module return: CaromStatus. */
export const STATUS = { ok: 0 };

/** Rows of numbers: motion, path or table parts. @typedef {{rows: number, columns: number, data: Float64Array}} Numbers */

export class Engine {
    /** @param {WebAssembly.Module} module */
    constructor(module) {
        this.module = module;
        this.decoder = new TextDecoder();
        this.encoder = new TextEncoder();
        this.start();
    }

    /** A fresh instance: also after a trap, which leaves the old one in an unknown state. */
    start() {
        /** @type {Record<string, Function>} */
        const system = {
            fd_write: (/** @type {number} */ _fd, /** @type {number} */ list, /** @type {number} */ count, /** @type {number} */ written) => this.collect(list, count, written),
            environ_sizes_get: (/** @type {number} */ count, /** @type {number} */ size) => {
                this.view().setUint32(count, 0, true);
                this.view().setUint32(size, 0, true);
                return 0;
            },
            clock_time_get: (/** @type {number} */ _id, /** @type {bigint} */ _precision, /** @type {number} */ at) => {
                this.view().setBigUint64(at, 0n, true);
                return 0;
            },
            environ_get: () => 0,
            fd_close: () => 0,
            fd_fdstat_get: () => 8, // bad descriptor: nothing here is a terminal
            // There are no folders and no files: a scene that names one hears that it is not there.
            fd_prestat_get: () => 8,
            fd_prestat_dir_name: () => 8,
            fd_fdstat_set_flags: () => 8,
            fd_read: () => 8,
            path_open: () => 44, // no such file
            fd_seek: () => 70,
            proc_exit: () => { throw new Error("the module ended itself"); },
        };
        const instance = new WebAssembly.Instance(this.module, /** @type {any} */ ({ wasi_snapshot_preview1: system }));
        /** @type {any} */
        this.x = instance.exports;
        /** @type {Uint8Array[]} */
        this.chunks = [];
        this.x._initialize();
    }

    view() { return new DataView(this.x.memory.buffer); }

    /** Standard output and error, in order. @param {number} list @param {number} count @param {number} written */
    collect(list, count, written) {
        const view = this.view();
        let total = 0;
        for (let i = 0; i < count; i++) {
            const at = view.getUint32(list + 8 * i, true), size = view.getUint32(list + 8 * i + 4, true);
            this.chunks.push(new Uint8Array(this.x.memory.buffer).slice(at, at + size));
            total += size;
        }
        view.setUint32(written, total, true);
        return 0;
    }

    /** What was printed since the last call. */
    take() {
        const text = this.chunks.map((chunk) => this.decoder.decode(chunk, { stream: true })).join("") + this.decoder.decode();
        this.chunks = [];
        return text;
    }

    /** Call `work` with the address of a text that ends in zero. @template T @param {string} text @param {(at: number, length: number) => T} work @returns {T} */
    withText(text, work) {
        const bytes = this.encoder.encode(text);
        const at = this.x.page_allocate(bytes.length + 1);
        if (at === 0) throw new Error("out of memory");
        const memory = new Uint8Array(this.x.memory.buffer, at, bytes.length + 1);
        memory.set(bytes);
        memory[bytes.length] = 0;
        try { return work(at, bytes.length); } finally { this.x.page_release(at); }
    }

    /** Parse and check; "" or what is wrong, one message a line. @param {string} text */
    open(text) {
        const status = this.withText(text, (at, length) => this.x.page_open(at, length));
        const messages = this.take();
        return status === STATUS.ok ? "" : messages || `status ${status}`;
    }

    /** "" or why not. @param {number} samples */
    solve(samples) { return this.outcome(this.x.page_solve(samples)); }
    compare() { return this.outcome(this.x.page_compare()); }
    /** @param {number} status */
    outcome(status) {
        const messages = this.take();
        return status === STATUS.ok ? "" : messages || `status ${status}`;
    }

    /** The bytes of `carom run --json`, with its end of line. */
    json() { this.x.page_json(); return this.take(); }
    report() { this.x.page_report(); return this.take(); }
    trace() { this.x.page_trace(); return this.take(); }
    /** Names and summaries of the plots that fit. @returns {[string, string][]} */
    plots() {
        this.x.page_plots();
        return this.take().split("\n").filter(Boolean).map((line) => /** @type {[string, string]} */ (line.split("\t")));
    }
    /** SVG of a plot, or "". @param {string} name @param {boolean} dark */
    plot(name, dark) {
        this.withText(name, (at) => this.x.page_plot(at, dark ? 1 : 0));
        return this.take();
    }

    /** The hash of `carom version --hash`: begin, add each built-in scene after it is solved, end. */
    hashBegin() { this.x.page_hash_begin(); }
    /** @param {string} name */
    hashAdd(name) { this.withText(name, (at) => this.x.page_hash_add(at)); }
    hashEnd() { this.x.page_hash_end(); return this.take().trim(); }

    /** @param {number} at @returns {Numbers | null} */
    numbers(at) {
        if (at === 0) return null;
        const [rows, columns] = new Float64Array(this.x.memory.buffer, at, 2);
        return { rows, columns, data: new Float64Array(this.x.memory.buffer, at + 16, rows * columns).slice() };
    }
    motion() { return this.numbers(this.x.page_motion()); }
    path() { return this.numbers(this.x.page_path()); }
    table() { return this.numbers(this.x.page_table()); }
}
