// SPDX-License-Identifier: Apache-2.0
// Play, pause, slow motion, steps from event to event, a time line.
import { button, h, show } from "./ui";

const RATES: [number, string][] = [[2, "2×"], [1, "1×"], [0.5, "½×"], [0.25, "¼×"], [0.1, "1⁄10×"], [0.02, "1⁄50×"], [0.005, "1⁄200×"]];

export class Player {
    readonly element: HTMLElement;
    time = 0;
    playing = false;
    private end = 1;
    private marks: number[] = [];
    private rate = 1;
    private handle = 0;
    private last = 0;
    private line: HTMLInputElement;
    private clock: HTMLElement;
    private toggleButton: HTMLButtonElement;
    private rateSelect: HTMLSelectElement;
    /** Milliseconds between the pictures of the last play, for measuring. */
    intervals: number[] = [];

    constructor(private draw: (time: number) => void, private options: { loop?: boolean; rate?: number } = {}) {
        this.rate = options.rate ?? 1;
        this.toggleButton = button("▶ Play", () => this.toggle(), { class: "primary play" });
        this.line = h("input", { type: "range", min: 0, max: 1, step: "any", value: 0, class: "time", "aria-label": "Time", oninput: () => this.seek(Number(this.line.value)) });
        this.clock = h("output", { class: "clock" }, "0.00 s");
        this.rateSelect = h("select", { "aria-label": "Speed of playing", onchange: () => { this.rate = Number(this.rateSelect.value); } },
            ...RATES.map(([value, label]) => h("option", { value, selected: value === this.rate }, label)));
        this.element = h("div", { class: "player", role: "group", "aria-label": "Playing" },
            this.toggleButton,
            button("⇤", () => this.seek(0), { title: "To the start (Home)", "aria-label": "To the start" }),
            button("◂", () => this.step(-1), { title: "Back to the event before (,)", "aria-label": "Back to the event before" }),
            button("▸", () => this.step(1), { title: "On to the next event (.)", "aria-label": "On to the next event" }),
            this.rateSelect, this.line, this.clock);
    }

    /** Something new to play: how long, and when things happen. Time goes back to 0. */
    load(end: number, marks: number[]): void {
        this.end = Math.max(end, 1e-6);
        this.marks = marks;
        this.line.max = String(this.end);
        if (this.time > this.end) this.seek(this.end);
        else this.update();
    }

    get duration(): number { return this.end; }
    get speed(): number { return this.rate; }
    setSpeed(rate: number): void {
        this.rate = rate;
        this.rateSelect.value = String(rate);
    }

    private update(): void {
        this.tellTime();
        this.draw(this.time);
    }

    private told = 0;
    /** While it plays ten times a second will do: the browser lays out the page for it. */
    private tellTime(): void {
        const now = performance.now();
        if (this.playing && now - this.told < 100) return;
        this.told = now;
        this.line.value = String(this.time);
        this.line.style.setProperty("--share", `${(100 * this.time) / this.end}%`);
        this.line.setAttribute("aria-valuetext", `${show(this.time, 3)} of ${show(this.end, 3)} seconds`);
        this.clock.textContent = `${this.time.toFixed(2)} / ${this.end.toFixed(2)} s`;
        this.toggleButton.textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    }

    seek(time: number): void {
        this.time = Math.min(Math.max(time, 0), this.end);
        this.update();
    }

    step(direction: number): void {
        this.pause();
        const next = direction > 0 ? this.marks.find((mark) => mark > this.time + 1e-9) : [...this.marks].reverse().find((mark) => mark < this.time - 1e-9);
        this.seek(next ?? (direction > 0 ? this.end : 0));
    }

    toggle(): void { if (this.playing) this.pause(); else this.play(); }

    play(): void {
        if (this.playing) return;
        if (this.time >= this.end) this.time = 0;
        this.playing = true;
        this.told = 0;
        this.last = 0;
        this.intervals = [];
        this.handle = requestAnimationFrame((now) => this.tick(now));
        this.update();
    }

    pause(): void {
        if (!this.playing) return;
        this.playing = false;
        cancelAnimationFrame(this.handle);
        this.update();
    }

    private tick(now: number): void {
        const passed = this.last ? now - this.last : 0;
        if (this.last) this.intervals.push(passed);
        this.last = now;
        this.time += Math.min(passed, 100) * 0.001 * this.rate;
        if (this.time >= this.end) {
            if (this.options.loop) this.time %= this.end;
            else {
                this.time = this.end;
                this.playing = false;
            }
        }
        if (this.playing) this.handle = requestAnimationFrame((next) => this.tick(next));
        this.update();
    }

    /** Keys that every page understands. Returns whether it was one. */
    key(event: KeyboardEvent): boolean {
        if (event.key === " ") this.toggle();
        else if (event.key === "Home") this.seek(0);
        else if (event.key === ",") this.step(-1);
        else if (event.key === ".") this.step(1);
        else return false;
        return true;
    }

    destroy(): void {
        this.playing = false;
        cancelAnimationFrame(this.handle);
    }
}
