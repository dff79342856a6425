// SPDX-License-Identifier: Apache-2.0
// The page Newton's cradle: ours, and what the laws of common physics engines make of it.
import { Chart, css } from "./chart";
import type { Fields } from "./link";
import { Motion } from "./motion";
import type { Frame, Mounted, Page } from "./page";
import { Player } from "./player";
import { drawBall, type Skin } from "./sphere";
import { button, choice, fold, Form, h, saveCanvas, show, slider, texts, toggle } from "./ui";

interface State extends Fields {
    balls: number;
    left: number; // how many are lifted on the left
    right: number;
    angle: number; // [degrees]
    restitution: number;
    exponent: string;
    masses: number[]; // those that are not 1 kg; empty: all are
    engines: boolean;
}

/** Version 1 of the links has these for ever. */
export const CRADLE_1: State = { balls: 5, left: 1, right: 0, angle: 25, restitution: 0.95, exponent: "1", masses: [], engines: true };

const RADIUS = 0.011, LENGTH = 0.129, GRAVITY = 9.81, UNTIL = 12;
const OMEGA = Math.sqrt(GRAVITY / LENGTH);

interface Result { collisions: { time: number; velocities: number[]; before: number[] }[]; period: number; collision_count: number; energy: { before: number; after: number } }

/** What came of the first hit: [WangLinJia2015, Table I], over the speed of the first ball. */
const MEASURED = [-0.1178, -0.0456, 0.0006, 0.2693, 0.9184];

function massesOf(state: State): number[] {
    return Array.from({ length: state.balls }, (_, i) => state.masses[i] ?? 1);
}

function lifts(state: State): [number, number] {
    const left = Math.min(state.left, state.balls);
    return [left, Math.min(state.right, state.balls - left)];
}

export function cradleScene(state: State): string {
    const [left, right] = lifts(state), angle = (state.angle * Math.PI) / 180;
    return JSON.stringify({
        kind: "cradle", title: "Newton's cradle",
        balls: massesOf(state).map((mass) => ({ mass, radius: RADIUS })),
        string_length: LENGTH, gravity: GRAVITY,
        lifted: Array(left).fill(angle), lifted_right: Array(right).fill(angle),
        restitution: state.restitution, exponent: Number(state.exponent), pendulum: "small-angle", until: UNTIL,
    }, null, 1);
}

/** All balls hang side by side and touch: one impact by one model. */
function hitScene(state: State, speeds: number[], model: string): string {
    const bodies: Record<string, object> = {};
    massesOf(state).forEach((mass, i) => { bodies[`ball${i + 1}`] = { mass, radius: 0.5, position: [i, 0, 0], velocity: [speeds[i], 0, 0] }; });
    const contacts = Array.from({ length: state.balls - 1 }, (_, i) => ({ between: [`ball${i + 1}`, `ball${i + 2}`], restitution: state.restitution, exponent: Number(state.exponent) }));
    return JSON.stringify({ kind: "impact", bodies, contacts, solver: model === "springs" ? { model } : { model, memory: 1e7 } });
}

const ENGINES: [string, string][] = [["newton", "Newton’s law, all contacts at once"], ["sequential", "one contact after another"]];

/** Speeds after each time the balls meet below, every half period. */
type Story = number[][];

class CradlePage implements Mounted {
    private form: Form<State>;
    private player = new Player((time) => this.draw(time), { rate: 0.5 });
    private canvas = h("canvas", { class: "cradle", tabindex: 0, role: "img" });
    private stage = h("div", { class: "stage" }, this.canvas);
    private summary = h("p", { class: "summary", "aria-live": "polite" });
    private fault = h("p", { class: "fault", hidden: true });
    private table = h("div", { class: "scroll" });
    private speeds = new Chart({ title: "Velocity of each ball", x: "time [s]", y: "[m/s]", height: 210 });
    private energy = new Chart({ title: "Energy", x: "time [s]", y: "share of the start", height: 170 });
    private massBox = h("div", { class: "masses" });
    private resize: ResizeObserver;

    private scene = "";
    private json = "";
    private lastFault = "";
    private milliseconds = 0;
    private motion: Motion | null = null;
    private result: Result | null = null;
    private shown: State = CRADLE_1; // what was solved last
    private stories: Record<string, Story> = {};
    private round = 0;

    constructor(root: HTMLElement, query: string, private frame: Frame) {
        this.form = new Form("cradle", query, CRADLE_1, (keys) => this.changed(keys));
        root.append(h("h1", { class: "quiet" }, "Newton’s cradle"), h("div", { class: "columns" }, this.main(), this.controls(), this.more()), this.words());
        this.canvas.addEventListener("keydown", (event) => { if (this.player.key(event)) event.preventDefault(); });
        this.resize = new ResizeObserver(() => this.draw(this.player.time));
        this.resize.observe(this.stage);
        void this.solve();
    }

    // ---- Layout ------------------------------------------------------------------------------

    private main(): HTMLElement {
        return h("div", { class: "main" }, this.stage, this.player.element, this.fault, this.summary,
            h("div", { class: "row" }, button("Save picture", () => saveCanvas("carom-cradle.png", this.canvas)),
                button("Open in the viewer", () => { location.hash = `#1/viewer?text=${encodeURIComponent(this.scene)}`; })));
    }

    private more(): HTMLElement {
        return h("div", { class: "main more" }, h("section", {}, h("h2", {}, "Velocities after the first hit, divided by the speed of the first ball"), this.table), this.speeds.element, this.energy.element);
    }

    private controls(): HTMLElement {
        const f = this.form;
        f.bind(() => this.fillMasses());
        return h("aside", { class: "controls", "aria-label": "Controls" },
            slider(f, "balls", { label: "Balls", min: 2, max: 10, step: 1 }),
            slider(f, "left", { label: "Lifted on the left", min: 0, max: 5, step: 1 }),
            slider(f, "right", { label: "Lifted on the right", min: 0, max: 5, step: 1 }),
            slider(f, "angle", { label: "Lifted by", min: 2, max: 50, step: 1, unit: "°" }),
            slider(f, "restitution", { label: "Restitution", min: 0, max: 1, step: 0.01, help: "1: no energy is lost" }),
            choice(f, "exponent", "Contacts", [["1", "linear springs"], ["1.5", "Hertz: force ~ compression^1.5"]]),
            fold("Masses [kg]", true, this.massBox,
                h("div", { class: "row" }, button("All 1", () => f.set({ masses: [] })), button("First 3", () => f.set({ masses: [3] })),
                    button("Growing", () => f.set({ masses: Array.from({ length: f.state.balls }, (_, i) => 1 + i * 0.5) })))),
            toggle(f, "engines", "What engines answer, below"));
    }

    private fillMasses(): void {
        const masses = massesOf(this.form.state);
        if (this.massBox.childElementCount === masses.length) {
            [...this.massBox.querySelectorAll("input")].forEach((input, i) => { if (document.activeElement !== input) input.value = String(masses[i]); });
            return;
        }
        this.massBox.replaceChildren(...masses.map((mass, i) => h("label", {}, `${i + 1}`, h("input", {
            type: "number", min: 0.1, max: 20, step: 0.1, value: mass, "aria-label": `Mass of ball ${i + 1} [kg]`,
            onchange: (event) => {
                const value = Number(event.target.value), now = massesOf(this.form.state);
                now[i] = Number.isFinite(value) && value > 0 ? Math.min(20, Math.max(0.1, value)) : now[i];
                event.target.value = String(now[i]);
                this.form.set({ masses: now });
            },
        }))));
    }

    private words(): HTMLElement {
        return texts(
            "Above: contacts as springs that push on each other all at once. Below: the same cradle by two laws that physics engines use. Arrows are velocities. In the table the last column is an experiment.",
            "When five balls touch, a law for one contact does not tell what happens. Newton’s law at all contacts at once sends all balls off together; one contact after another lets only the last one go. Real contacts share the blow: most goes to the last ball, the first bounces back a little, as was measured.",
            ["Restitution 1: all energy is kept, and still the balls do not stay together as in textbooks. Then choose Hertz: the last ball takes more of it.",
                "Lift two or three balls; lift both sides.",
                "“First 3”: a heavy ball hits light ones.",
                "Restitution 0.5: after some swings all balls move together and only friction of the air, which is left out here, would stop them."]);
    }

    // ---- Solving -----------------------------------------------------------------------------

    private changed(keys: string[]): void {
        this.frame.changed();
        if (keys.length === 1 && keys[0] === "engines") { this.shown.engines = this.form.state.engines; void this.askEngines(); return; }
        void this.solve();
    }

    private async solve(): Promise<void> {
        const state = structuredClone(this.form.state), text = cradleScene(state);
        const answer = await this.frame.client.ask("cradle", { text, samples: 0, want: ["json", "motion"] });
        if (!answer) return;
        this.scene = text;
        this.lastFault = answer.fault;
        this.milliseconds = answer.ms;
        this.fault.hidden = !answer.fault;
        this.fault.textContent = answer.fault;
        this.json = answer.json ?? "";
        if (answer.fault || !answer.json || !answer.motion) return;
        this.result = JSON.parse(answer.json) as Result;
        this.motion = new Motion(answer.motion, [], OMEGA);
        this.shown = state;
        this.stories = {};
        this.tell();
        this.player.load(UNTIL, this.result.collisions.map((collision) => collision.time));
        await this.askEngines();
    }

    /** Every half period all balls are below again: the next hit, by each law. */
    private async askEngines(): Promise<void> {
        const round = ++this.round, state = { ...this.shown, engines: this.form.state.engines }, [left, right] = lifts(state);
        const speed = ((state.angle * Math.PI) / 180) * OMEGA * LENGTH;
        const start = Array.from({ length: state.balls }, (_, i) => (i < left ? speed : i >= state.balls - right ? -speed : 0));
        const hits = Math.ceil(UNTIL / (Math.PI / OMEGA)) + 1;
        const stories: Record<string, Story> = {};
        for (const [model] of state.engines ? ENGINES : []) {
            let now = start;
            stories[model] = [];
            for (let k = 0; k < hits; k++) {
                const answer = await this.frame.client.ask("engines", { text: hitScene(state, now, model), samples: 0, want: ["json"] });
                if (round !== this.round || !answer) return;
                const bodies = answer.json ? (JSON.parse(answer.json).bodies as Record<string, { velocity: number[] }>) : null;
                const after = now.map((v, i) => bodies?.[`ball${i + 1}`]?.velocity[0] ?? v);
                stories[model].push(after);
                now = after.map((v) => -v);
                if (k === 0) { this.stories = { ...this.stories, ...stories }; this.compare(); }
            }
        }
        this.stories = stories;
        this.compare();
        this.draw(this.player.time);
    }

    // ---- Telling -----------------------------------------------------------------------------

    private tell(): void {
        const result = this.result!, kept = (100 * result.energy.after) / result.energy.before;
        this.summary.textContent = result.collision_count === 0 ? "Nothing is lifted: all balls hang still." :
            `${result.collision_count} collisions in ${UNTIL} s; ${show(kept, 3)} % of the energy is left. Small swings take ${show(result.period, 3)} s. Solved in ${show(this.milliseconds, 3)} ms.`;
        this.canvas.setAttribute("aria-label", `Newton's cradle with ${this.shown.balls} balls. ${this.summary.textContent}`);
        this.tellCharts();
        this.compare();
    }

    private tellCharts(): void {
        const motion = this.motion!, masses = massesOf(this.shown), end = UNTIL;
        const times = Array.from({ length: 1500 }, (_, i) => (end * i) / 1499);
        const rows = times.map((time) => masses.map((_, b) => motion.at(time, b)));
        const curve = (i: number): string => `--c${(i % 6) + 1}`;
        this.speeds.show(masses.map((_, i) => ({ label: `ball ${i + 1}`, color: curve(i), dash: i > 5 ? [4, 3] : undefined })),
            [times, ...masses.map((_, b) => rows.map((row) => LENGTH * row[b].rate))]);
        const kinetic = rows.map((row) => row.reduce((sum, now, b) => sum + 0.5 * masses[b] * (LENGTH * now.rate) ** 2, 0));
        const height = rows.map((row) => row.reduce((sum, now, b) => sum + 0.5 * masses[b] * GRAVITY * LENGTH * now.angle ** 2, 0));
        const whole = kinetic[0] + height[0] || 1;
        this.energy.show([{ label: "all", color: "--c1", width: 2.4 }, { label: "motion", color: "--c2" }, { label: "height", color: "--c3" }],
            [times, kinetic.map((part, i) => (part + height[i]) / whole), kinetic.map((part) => part / whole), height.map((part) => part / whole)]);
    }

    /** The table of the first hit. */
    private compare(): void {
        const state = this.shown, first = this.result?.collisions[0];
        if (!first) { this.table.replaceChildren(); return; }
        const scale = Math.max(...first.before.map(Math.abs)) || 1;
        const ours = first.velocities.map((v) => v / scale);
        const columns: [string, number[]][] = [["springs (ours)", ours]];
        if (state.engines) for (const [model, title] of ENGINES) if (this.stories[model]?.[0]) columns.push([title, this.stories[model][0].map((v) => v / scale)]);
        const usual = state.balls === 5 && state.left === 1 && state.right === 0 && massesOf(state).every((mass) => mass === 1);
        if (usual && state.restitution === 0.95) columns.push(["measured", MEASURED]);
        const cell = (value: number | undefined): HTMLElement => h("td", {},
            h("span", { class: "bar", style: `--from: ${50 + 48 * Math.min(0, value ?? 0)}%; --to: ${50 + 48 * Math.max(0, value ?? 0)}%` }),
            h("span", { class: "bar-text" }, value === undefined ? "–" : value.toFixed(3).replace("-", "−")));
        this.table.replaceChildren(h("table", { class: "compare" },
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "ball"), ...columns.map(([title]) => h("th", { scope: "col" }, title)))),
            h("tbody", {}, ...ours.map((_, i) => h("tr", {}, h("th", { scope: "row" }, `${i + 1}`), ...columns.map(([, values]) => cell(values[i])))))));
    }

    // ---- Drawing -----------------------------------------------------------------------------

    /** Angles and velocities by a law that engines use. */
    private tale(story: Story, time: number): { angle: number; speed: number }[] {
        const state = this.shown, [left, right] = lifts(state), quarter = Math.PI / OMEGA / 2;
        if (time < quarter) {
            const angle = (state.angle * Math.PI) / 180;
            return Array.from({ length: state.balls }, (_, i) => {
                const side = i < left ? -1 : i >= state.balls - right ? 1 : 0;
                return { angle: side * angle * Math.cos(OMEGA * time), speed: -side * angle * OMEGA * LENGTH * Math.sin(OMEGA * time) };
            });
        }
        const k = Math.min(story.length - 1, Math.floor((time - quarter) / (2 * quarter))), since = time - quarter - 2 * quarter * k;
        return story[k].map((v) => ({ angle: (v / (OMEGA * LENGTH)) * Math.sin(OMEGA * since), speed: v * Math.cos(OMEGA * since) }));
    }

    private draw(time: number): void {
        const wide = this.stage.clientWidth, ratio = Math.min(window.devicePixelRatio || 1, 2);
        if (!this.motion || wide === 0) return;
        this.speeds.mark(time);
        this.energy.mark(time);
        const state = this.shown, stories = state.engines ? ENGINES.filter(([model]) => this.stories[model]?.length) : [];
        const beside = stories.length > 0 && wide > 520;
        const main = Math.min(330, wide * 0.62), small = beside ? 190 : 170, tall = main + (stories.length ? (beside ? small : small * stories.length) : 0);
        this.canvas.style.height = `${tall}px`;
        if (this.canvas.width !== Math.round(wide * ratio) || this.canvas.height !== Math.round(tall * ratio)) {
            this.canvas.width = Math.round(wide * ratio);
            this.canvas.height = Math.round(tall * ratio);
        }
        const g = this.canvas.getContext("2d")!;
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.fillStyle = css("--stage");
        g.fillRect(0, 0, wide, tall);
        const ours = massesOf(state).map((_, b) => { const now = this.motion!.at(time, b); return { angle: now.angle, speed: LENGTH * now.rate }; });
        this.drawRow(g, 0, 0, wide, main, ours, "Springs: all contacts push on each other");
        stories.forEach(([model, title], i) => {
            const width = beside ? wide / 2 : wide, x = beside ? i * width : 0, y = main + (beside ? 0 : i * small);
            this.drawRow(g, x, y, width, small, this.tale(this.stories[model], time), title);
        });
    }

    private drawRow(g: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, balls: { angle: number; speed: number }[], title: string): void {
        const n = balls.length, swing = LENGTH * Math.sin((this.shown.angle * Math.PI) / 180) + RADIUS;
        const scale = Math.min((height - 62) / (LENGTH + RADIUS), (width - 20) / (2 * RADIUS * n + 2 * swing)), radius = RADIUS * scale;
        const top = y + 34, middle = x + width / 2, masses = massesOf(this.shown);
        const fast = Math.max(1e-9, ((this.shown.angle * Math.PI) / 180) * OMEGA * LENGTH);
        g.font = "600 13px system-ui, sans-serif";
        g.fillStyle = css("--ink-soft");
        g.textAlign = "center";
        g.fillText(title, middle, y + 20, width - 8);
        g.fillStyle = css("--wood");
        g.beginPath();
        g.roundRect(middle - radius * n - 26, top - 5, 2 * radius * n + 52, 7, 3);
        g.fill();
        balls.forEach((ball, i) => {
            const pivot = middle + radius * (2 * i - n + 1), angle = ball.angle;
            const bx = pivot + LENGTH * scale * Math.sin(angle), by = top + LENGTH * scale * Math.cos(angle);
            g.strokeStyle = css("--string");
            g.lineWidth = 1;
            g.beginPath();
            g.moveTo(pivot, top);
            g.lineTo(bx, by);
            g.stroke();
            const dark = Math.min(0.55, 0.16 * Math.log2(Math.max(1, masses[i])));
            const skin: Skin = { color: [205 * (1 - dark) + 30 * dark, 210 * (1 - dark), 220 * (1 - dark) - 40 * dark], pattern: "metal", label: "" };
            drawBall(g, skin, bx, by, radius, [1, 0, 0, 0]);
            this.arrow(g, bx, by, angle, (ball.speed / fast) * radius * 2.6, radius);
        });
    }

    private arrow(g: CanvasRenderingContext2D, x: number, y: number, angle: number, length: number, radius: number): void {
        if (Math.abs(length) < 2) return;
        const head = Math.min(7, Math.abs(length) * 0.5) * Math.sign(length);
        g.save();
        g.translate(x, y + 1.65 * radius);
        g.rotate(-angle);
        g.strokeStyle = g.fillStyle = css("--accent");
        g.lineWidth = 2.2;
        g.beginPath();
        g.moveTo(0, 0);
        g.lineTo(length - head, 0);
        g.stroke();
        g.beginPath();
        g.moveTo(length, 0);
        g.lineTo(length - head * 1.2, 4);
        g.lineTo(length - head * 1.2, -4);
        g.fill();
        g.restore();
    }

    // ---- The frame's side --------------------------------------------------------------------

    link(): string { return this.form.link(); }
    themed(): void { this.speeds.themed(); this.energy.themed(); this.draw(this.player.time); }
    probe(): ReturnType<Mounted["probe"]> { return { scene: this.scene, json: this.json, fault: this.lastFault, player: this.player, stories: this.stories }; }
    unmount(): void {
        this.round++;
        this.player.destroy();
        this.speeds.destroy();
        this.energy.destroy();
        this.resize.disconnect();
    }
}

export const cradle: Page = { name: "cradle", title: "Newton’s cradle", mount: (root, query, frame) => new CradlePage(root, query, frame) };
