// SPDX-License-Identifier: Apache-2.0
// The page Billiards: aim, strike, watch, change the physics, play on.
import { Chart } from "./chart";
import type { Fields, Places } from "./link";
import { FLAG, Motion, type BallNow, type Quat } from "./motion";
import type { Frame, Mounted, Page } from "./page";
import { Player } from "./player";
import { SETUPS, TABLES, type Setup } from "./setups";
import { cssColor, newSprite, pathColor, skinOf, type Skin, type Sprite } from "./sphere";
import { drawCloseUp, partsOf, pathOf, restingTurn, TableView, type Aim, type DrawnBall, type PathPoint } from "./table";
import { tipControl } from "./tip";
import { button, choice, fold, Form, h, saveCanvas, show, slider, texts } from "./ui";

interface State extends Fields {
    setup: string;
    seed: number;
    gap: number; // of the rack [mm]
    speed: number;
    aim: number;
    elevation: number;
    side: number;
    height: number;
    throw: number; // friction between balls
    bounce: number; // restitution between balls
    cushion: number; // restitution
    grip: number; // friction of cushions
    sliding: number;
    rolling: number;
    spinning: number;
    paths: string;
    balls: Places; // where the set-up was changed; empty: as it is
}

/** Version 1 of the links has these for ever. */
export const BILLIARDS_1: State = {
    setup: "nine", seed: 1, gap: 0.02, speed: 8, aim: 5.91, elevation: 3, side: 0, height: 0, throw: 0.06, bounce: 0.95, cushion: 0.85, grip: 0.2,
    sliding: 0.2, rolling: 0.01, spinning: 0.012, paths: "all", balls: {},
};

interface BilliardsEvent { time: number; kind: string; balls: string[]; with: string[]; approach?: number }
interface Result {
    outcome: string;
    end_time: number;
    strike: { velocity: number[]; angular_velocity: number[]; cue_speed: number; miscue: boolean };
    first_collision: { time: number; balls: Record<string, { velocity: number[] }> } | null;
    balls: Record<string, { position: number[]; pocketed: boolean; off_table: boolean; pocket?: string; path_length: number }>;
    events: BilliardsEvent[];
}

/** How long the stick is still seen after the strike [s]. */
const FOLLOW_THROUGH = 0.25;

const setupOf = (state: State): Setup => SETUPS[state.setup] ?? SETUPS.nine;

export function placesOf(state: State): Places {
    return Object.keys(state.balls).length ? state.balls : setupOf(state).places(state.gap / 1000, state.seed);
}

/** The scene that a state describes, as text. */
export function billiardsScene(state: State): string {
    const setup = setupOf(state);
    const scene = {
        kind: "billiards",
        title: setup.title,
        table: {
            set: setup.table, sliding_friction: state.sliding, rolling_friction: state.rolling, spinning_friction: state.spinning,
            cushion: { restitution: state.cushion, friction: state.grip },
        },
        ball: { restitution: state.bounce, friction: state.throw },
        balls: placesOf(state),
        shot: { speed: state.speed, aim: state.aim, elevation: state.elevation, side: state.side, height: state.height },
    };
    return JSON.stringify(scene, null, 1);
}

const EVENT_WORDS: Record<string, string> = {
    collision: "balls meet", cushion: "cushion", jaw: "jaw of a pocket", lands: "lands on the cloth", settles: "stays on the cloth", rolls: "rolls from here on",
    spins: "stands and spins", stops: "lies still", pocketed: "falls into a pocket", "off-table": "leaves the table", leaves: "leaves the edge",
};

class BilliardsPage implements Mounted {
    private form: Form<State>;
    private player: Player;
    private view: TableView;
    private stage: HTMLElement;
    private closeUp: HTMLCanvasElement;
    private summary = h("p", { class: "summary", "aria-live": "polite" });
    private fault = h("p", { class: "fault", hidden: true });
    private eventList = h("ol", { class: "events", tabindex: 0, "aria-label": "Events" });
    private tray = h("div", { class: "tray", "aria-label": "Balls that are gone" });
    private numbers = h("dl", { class: "numbers" });
    private chart = new Chart({ title: "Cue ball: speed, and the speed at which its spin would roll it", x: "time [s]", y: "[m/s]", height: 190 });
    private back: HTMLButtonElement;
    private history: State[] = [];
    private resize: ResizeObserver;

    private scene = "";
    private json = "";
    private lastFault = "";
    private milliseconds = 0;
    private result: Result | null = null;
    private motion: Motion | null = null;
    private names: string[] = [];
    private skins: Skin[] = [];
    private sprites: Sprite[] = [];
    private paths: { points: PathPoint[]; color: string }[] = [];
    private goneAt: number[] = [];
    private tableSet = "";

    constructor(root: HTMLElement, query: string, private frame: Frame) {
        this.form = new Form("billiards", query, BILLIARDS_1, (keys) => this.changed(keys));
        const canvas = h("canvas", { class: "table", tabindex: 0, role: "application", "aria-label": "Billiard table" });
        this.view = new TableView(canvas);
        this.closeUp = h("canvas", { class: "closeup", role: "img", "aria-label": "The cue ball from near" });
        this.stage = h("div", { class: "stage" }, canvas);
        this.player = new Player((time) => this.draw(time));
        this.back = button("↶ Shot before", () => this.undo(), { disabled: true, title: "Back to the shot before this one" });
        this.listen(canvas);
        root.append(h("h1", { class: "quiet" }, "Billiards"), h("div", { class: "columns" }, this.main(), this.controls(), this.more()), this.words());
        this.resize = new ResizeObserver(() => { this.view.layout(); this.view.setPaths(this.paths); this.draw(this.player.time); });
        this.resize.observe(this.stage);
        this.solve();
    }

    // ---- Layout ------------------------------------------------------------------------------

    private main(): HTMLElement {
        return h("div", { class: "main" }, this.stage, this.tray, this.player.element, this.fault, this.summary,
            h("div", { class: "row" },
                button("Play on from here", () => this.playOn(), { title: "The balls stay where they came to rest; aim again" }), this.back,
                button("Save picture", () => saveCanvas("carom-table.png", this.view.canvas)),
                button("Open in the viewer", () => this.openInViewer(), { title: "This shot as a scene file" })),
            h("p", { class: "hint" }, "Drag on the cloth to aim, drag a ball to move it. Keys on the table: ← → aim (Shift: fine), ↑ ↓ speed, space: play, comma and full stop: step from event to event."));
    }

    private more(): HTMLElement {
        return h("div", { class: "main more" }, h("div", { class: "pair" }, this.numbers, h("div", { class: "event-box" }, h("h2", {}, "Events"), this.eventList)), this.chart.element);
    }

    private controls(): HTMLElement {
        const f = this.form;
        const setups: [string, string][] = Object.entries(SETUPS).map(([key, setup]) => [key, setup.title]);
        return h("aside", { class: "controls", "aria-label": "Controls" },
            choice(f, "setup", "Set-up", setups),
            h("div", { class: "pair tight" }, tipControl(f), h("div", { class: "tip-box" }, h("span", { class: "caption" }, "Cue ball, close up"), this.closeUp)),
            slider(f, "speed", { label: "Speed", min: 0.3, max: 12, step: 0.1, unit: "m/s", help: "that the cue ball gets: 1 is soft, 3 firm, 8 a break" }),
            slider(f, "aim", { label: "Aim", min: -180, max: 180, step: 0.05, unit: "°" }),
            slider(f, "elevation", { label: "Elevation of the cue", min: 0, max: 80, step: 1, unit: "°" }),
            fold("Balls and friction", true,
                slider(f, "throw", { label: "Friction between balls", min: 0, max: 0.3, step: 0.005, help: "throws the object ball off the line of centres" }),
                slider(f, "bounce", { label: "Restitution of balls", min: 0.5, max: 1, step: 0.01 }),
                slider(f, "cushion", { label: "Restitution of cushions", min: 0.3, max: 1, step: 0.01 }),
                slider(f, "grip", { label: "Friction of cushions", min: 0, max: 0.5, step: 0.01 })),
            fold("Cloth", false,
                slider(f, "sliding", { label: "Sliding friction", min: 0.02, max: 0.5, step: 0.01 }),
                slider(f, "rolling", { label: "Rolling resistance", min: 0.002, max: 0.05, step: 0.001 }),
                slider(f, "spinning", { label: "Spinning resistance", min: 0.002, max: 0.05, step: 0.001 })),
            fold("Rack and places", false,
                slider(f, "gap", { label: "Gaps in the rack", min: 0, max: 0.2, step: 0.01, unit: "mm", help: "0: all balls touch and are one impact" }),
                this.places(),
                h("div", { class: "row" }, button("Rack again", () => f.set({ seed: f.state.seed + 1, balls: {} }), { title: "The same rack with other tiny gaps" }),
                    button("Places as they were", () => f.set({ balls: {} })))),
            choice(f, "paths", "Paths", [["all", "of all balls"], ["aim", "to the first collision"], ["none", "none"]]));
    }

    /** Places by keyboard: which ball, x and y. */
    private places(): HTMLElement {
        const which = h("select", { "aria-label": "Ball to move" });
        const inputs = ["x", "y"].map((axis, k) => h("input", {
            type: "number", step: 0.01, "aria-label": `${axis} of the ball [m]`,
            onchange: (event) => {
                const places = structuredClone(placesOf(this.form.state)), value = Number(event.target.value);
                if (places[which.value] && Number.isFinite(value)) { places[which.value][k] = value; this.form.set({ balls: places }); }
            },
        }));
        const fill = (): void => {
            const places = placesOf(this.form.state), names = Object.keys(places), kept = names.includes(which.value) ? which.value : names[0];
            which.replaceChildren(...names.map((name) => h("option", { value: name, selected: name === kept }, name)));
            inputs.forEach((input, k) => { input.value = show(places[kept][k], 5).replace("−", "-"); });
        };
        which.addEventListener("change", fill);
        this.form.bind(fill);
        return h("div", { class: "control places" }, which, h("span", {}, "x"), inputs[0], h("span", {}, "y"), inputs[1], h("span", { class: "unit" }, "m"));
    }

    private words(): HTMLElement {
        return texts(
            "A struck ball slides first (dashed path), then rolls (solid), and is in the air where the path is dotted. The dots on the cue ball and the numbers of the others show how they turn. Every shot is solved from event to event, not in time steps.",
            "Where the ball slides, friction with the cloth turns and slows it until the speed of its surface matches. Where balls meet, friction drags the object ball a little to the side: players call it throw. Balls that touch are solved as one impact, all contacts at once.",
            ["Set-up “A cut into the corner”: move friction between balls to 0 and the object ball goes along the line of centres. Now use side spin to cancel the throw.",
                "Set-up “Draw”: raise the tip to the middle and the cue ball stops; above it follows.",
                "Break with gaps of 0 mm and with 0.02 mm: nearly the same rack, another game.",
                "“Massé”: watch the path bend while the ball slides, and go straight as soon as it rolls."]);
    }

    // ---- State -------------------------------------------------------------------------------

    private changed(keys: string[]): void {
        const state = this.form.state;
        if (keys.includes("setup") && !keys.includes("speed")) {
            this.history = [];
            this.back.disabled = true;
            this.form.set({ ...setupOf(state).shot, balls: {} });
            return;
        }
        if (keys.includes("gap") && Object.keys(state.balls).length) state.balls = {};
        this.frame.changed();
        if (keys.length === 1 && keys[0] === "paths") { this.draw(this.player.time); return; }
        this.player.pause();
        this.player.seek(0);
        this.solve();
    }

    private playOn(): void {
        if (!this.result) return;
        const balls: Places = {};
        for (const [name, ball] of Object.entries(this.result.balls)) {
            if (!ball.pocketed && !ball.off_table) balls[name] = [ball.position[0], ball.position[1]];
        }
        if (!balls.cue) balls.cue = this.freePlace(balls);
        this.history.push(structuredClone(this.form.state));
        this.back.disabled = false;
        const target = Object.keys(balls).find((name) => name !== "cue");
        const at = target ? balls[target] : [2, 0.6];
        const aim = Math.round((Math.atan2(at[1] - balls.cue[1], at[0] - balls.cue[0]) * 180) / Math.PI * 100) / 100;
        this.form.set({ balls, aim, speed: Math.min(this.form.state.speed, 3), elevation: Math.min(this.form.state.elevation, 5) });
    }

    /** The cue ball in hand: on the head spot or near it. */
    private freePlace(balls: Places): [number, number] {
        const { length, width, radius } = TABLES[setupOf(this.form.state).table];
        for (let k = 0; k < 40; k++) {
            const at: [number, number] = [length / 4, width / 2 + (k % 2 ? 1 : -1) * Math.ceil(k / 2) * radius];
            if (!this.overlaps("", at, balls)) return at;
        }
        return [length / 4, width / 2];
    }

    private undo(): void {
        const before = this.history.pop();
        this.back.disabled = this.history.length === 0;
        if (before) this.form.set({ ...before, speed: before.speed });
    }

    private openInViewer(): void {
        location.hash = `#1/viewer?text=${encodeURIComponent(this.scene)}`;
    }

    // ---- Solving -----------------------------------------------------------------------------

    private async solve(): Promise<void> {
        const text = billiardsScene(this.form.state);
        this.stage.classList.add("busy");
        const answer = await this.frame.client.ask("billiards", { text, samples: 0, want: ["json", "motion", "table"] });
        if (!answer) return;
        this.stage.classList.remove("busy");
        this.scene = text;
        this.lastFault = answer.fault;
        this.milliseconds = answer.ms;
        this.fault.hidden = !answer.fault;
        this.fault.textContent = answer.fault;
        this.json = answer.json ?? "";
        if (answer.fault || !answer.json || !answer.motion) { this.loadStill(); return; }
        this.result = JSON.parse(answer.json) as Result;
        this.names = Object.keys(this.result.balls);
        const set = setupOf(this.form.state).table;
        if (set !== this.tableSet && answer.table) {
            this.tableSet = set;
            this.view.setTable(TABLES[set], partsOf(answer.table));
        }
        this.load(new Motion(answer.motion, this.names.map((_, i) => this.turnOf(i))));
        this.tell();
        this.player.load(this.motion!.end, this.result.events.filter((event) => event.kind !== "lands").map((event) => event.time));
    }

    private turnOf(index: number): Quat { return restingTurn(index, this.view.facing.right[0] === 0); }

    private load(motion: Motion): void {
        this.motion = motion;
        this.skins = this.names.map(skinOf);
        this.sprites = this.names.map((_, i) => this.sprites[i] ?? newSprite());
        for (const sprite of this.sprites) sprite.key = "";
        this.paths = this.names.map((_, i) => ({ points: pathOf(motion, i), color: pathColor(this.skins[i].color) }));
        this.view.setPaths(this.paths);
        this.goneAt = this.names.map((_, i) => {
            for (let f = 0; f < motion.frames; f++) if (motion.flags(f, i) & FLAG.gone) return motion.times[f];
            return Infinity;
        });
    }

    /** No result: the balls lie where the state says. */
    private loadStill(): void {
        const places = placesOf(this.form.state), radius = TABLES[setupOf(this.form.state).table].radius;
        this.names = Object.keys(places);
        const data = new Float64Array(1 + 12 * this.names.length);
        this.names.forEach((name, i) => data.set([places[name][0], places[name][1], radius, 0, 0, 0, 0, 0, 0, 0, 0, FLAG.supported | FLAG.atRest], 1 + 12 * i));
        this.result = null;
        this.load(new Motion({ rows: 1, columns: data.length, data }, this.names.map((_, i) => this.turnOf(i))));
        this.summary.textContent = "";
        this.numbers.replaceChildren();
        this.eventList.replaceChildren();
        this.player.load(0, []);
    }

    // ---- Telling -----------------------------------------------------------------------------

    private tell(): void {
        const result = this.result!, count = (kind: string): number => result.events.filter((event) => event.kind === kind).length;
        const gone = this.names.filter((name) => result.balls[name].pocketed);
        const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
        this.summary.textContent = `${result.outcome === "quiet" || result.outcome === "at-rest" ? "At rest" : "Ends"} after ${show(result.end_time, 3)} s: ${plural(count("collision"), "collision")}, ` +
            `${plural(count("cushion"), "cushion")}, ${gone.length ? `pocketed ${gone.join(", ")}` : "nothing pocketed"}${result.strike.miscue ? ". The tip may slip off: miscue" : ""}.`;
        this.tellNumbers(result);
        this.tellEvents(result);
        this.tellChart();
    }

    /** Angle between the line of centres and where the object ball goes, and the cut. */
    private throwOf(result: Result): [number, number] | null {
        const first = result.first_collision, motion = this.motion!;
        const met = first ? Object.keys(first.balls) : [];
        const other = met.find((name) => name !== "cue");
        if (!first || met.length !== 2 || !other || !met.includes("cue")) return null;
        const f = motion.frameAt(first.time), a = this.names.indexOf("cue"), b = this.names.indexOf(other);
        const p = motion.position(f, a), q = motion.position(f, b), out = first.balls[other].velocity;
        let before = f;
        while (before > 0 && motion.times[before] === motion.times[f]) before--;
        const come = motion.at(first.time - 1e-9, a).velocity;
        const turn = (u: number[], v: number[]): number => (Math.atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]) * 180) / Math.PI;
        const line = [q[0] - p[0], q[1] - p[1]];
        return [turn(come, line), turn(line, out)];
    }

    private tellNumbers(result: Result): void {
        const speed = Math.hypot(...result.strike.velocity), spin = Math.hypot(...result.strike.angular_velocity);
        const rows: [string, string][] = [
            ["Ball leaves the tip", `${show(speed, 3)} m/s, ${show(spin, 3)} rad/s`],
            ["Cue came at", `${show(result.strike.cue_speed, 3)} m/s`]];
        const thrown = this.throwOf(result);
        if (thrown) rows.push(["Cut angle", `${show(Math.abs(thrown[0]), 3)}°`], ["Throw", `${show(Math.abs(thrown[1]), 3)}°`]);
        rows.push(["Way of the cue ball", `${show(result.balls.cue.path_length, 3)} m`], ["Solved in", `${show(this.milliseconds, 3)} ms`]);
        this.numbers.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    }

    private tellEvents(result: Result): void {
        const shown = result.events.filter((event) => event.kind !== "lands" && event.kind !== "settles");
        this.eventList.replaceChildren(...shown.slice(0, 300).map((event) => h("li", {},
            button(`${event.time.toFixed(3)} s`, () => { this.player.pause(); this.player.seek(event.time); }, { class: "link" }),
            ` ${event.balls.join(", ")} – ${EVENT_WORDS[event.kind] ?? event.kind}${event.approach ? `, ${show(event.approach, 3)} m/s` : ""}`)));
    }

    private tellChart(): void {
        const motion = this.motion!, cue = this.names.indexOf("cue"), radius = TABLES[setupOf(this.form.state).table].radius;
        const end = Math.min(motion.end, this.goneAt[cue]), times = Array.from({ length: 400 }, (_, i) => (end * i) / 399);
        const rows = times.map((time) => motion.at(time, cue));
        this.chart.show([{ label: "speed", color: "--c1" }, { label: "spin × radius", color: "--c2", dash: [5, 4] }],
            [times, rows.map((now) => Math.hypot(now.velocity[0], now.velocity[1])), rows.map((now) => radius * Math.hypot(now.spin[0], now.spin[1]))]);
    }

    // ---- Drawing -----------------------------------------------------------------------------

    private drawn(time: number): DrawnBall[] {
        return this.names.map((_, i) => {
            const now: BallNow = this.motion!.at(time, i), past = time - this.goneAt[i];
            return { skin: this.skins[i], now, fade: past < 0 ? 1 : Math.max(0, 1 - past / 0.12), sprite: this.sprites[i] };
        });
    }

    private aim(): Aim {
        const { aim, speed, elevation } = this.form.state, cue = placesOf(this.form.state).cue ?? [0, 0], angle = (aim * Math.PI) / 180;
        return { x: cue[0], y: cue[1], dx: Math.cos(angle), dy: Math.sin(angle), pull: 0.02 + 0.012 * speed, shorten: Math.max(0.12, Math.cos((elevation * Math.PI) / 180)) };
    }

    private draw(time: number): void {
        if (!this.motion) return;
        const { view } = this, state = this.form.state, balls = this.drawn(time), starting = time === 0 && !this.player.playing;
        view.begin(state.paths === "all" && !starting);
        if (state.paths === "all") {
            if (starting) for (const path of this.paths) view.drawPath(path.points, path.color, Infinity, 0.62, 1.4);
            else view.drawTrail(this.paths, balls, time);
        }
        if (starting && this.result) this.drawAim();
        view.drawBalls(balls);
        if (starting && this.names.includes("cue")) view.drawCue(this.aim());
        else if (time < FOLLOW_THROUGH && this.result) view.drawCue({ ...this.aim(), pull: 0.05 * (time / FOLLOW_THROUGH) }, 1 - time / FOLLOW_THROUGH);
        drawCloseUp(this.closeUp, balls, this.names.indexOf("cue"), TABLES[setupOf(state).table].radius, view.facing);
        this.drawTray(time);
        if (!starting) this.chart.mark(time);
    }

    private drawAim(): void {
        const cue = this.names.indexOf("cue"), first = this.result!.first_collision;
        const until = first ? first.time : Infinity;
        if (this.form.state.paths === "none") { this.view.drawAimLine(this.aim(), 0.5); return; }
        this.view.drawPath(this.paths[cue].points, "#ffffff", until, 0.9, 1.5);
        if (!first) return;
        const at = this.motion!.at(until - 1e-9, cue).position;
        this.view.drawGhost(at[0], at[1]);
        if (this.form.state.paths === "aim") {
            for (const name of Object.keys(first.balls)) {
                const i = this.names.indexOf(name);
                this.view.drawPath(this.paths[i].points.filter((point) => point.time >= until - 1e-9), this.paths[i].color, until + 0.35, 0.9, 1.5);
            }
        }
    }

    private trayShown = "";
    private drawTray(time: number): void {
        const gone = this.names.filter((_, i) => time >= this.goneAt[i]), key = gone.join(",");
        if (key === this.trayShown) return;
        this.trayShown = key;
        this.tray.replaceChildren(...gone.map((name) => {
            const skin = skinOf(name);
            return h("span", { class: `chip ${skin.pattern}`, style: `--ball: ${cssColor(skin.color)}`, title: name }, h("b", {}, skin.label || name));
        }));
    }

    // ---- Hands -------------------------------------------------------------------------------

    private overlaps(name: string, at: [number, number], places: Places): boolean {
        const { radius } = TABLES[setupOf(this.form.state).table];
        return Object.entries(places).some(([other, [x, y]]) => other !== name && Math.hypot(x - at[0], y - at[1]) < 2 * radius + 1e-6);
    }

    private ballUnder(at: [number, number]): string | null {
        const reach = Math.max(1.3 * TABLES[setupOf(this.form.state).table].radius, 14 / this.view.cssScale());
        let best: string | null = null, nearest = reach;
        for (const [name, [x, y]] of Object.entries(placesOf(this.form.state))) {
            const distance = Math.hypot(x - at[0], y - at[1]);
            if (distance < nearest) { nearest = distance; best = name; }
        }
        return best;
    }

    private moveBall(name: string, at: [number, number]): void {
        const { length, width, radius } = TABLES[setupOf(this.form.state).table], places = structuredClone(placesOf(this.form.state));
        const inside = (value: number, size: number): number => Math.round(Math.min(size - radius, Math.max(radius, value)) * 1e4) / 1e4;
        let spot: [number, number] = [inside(at[0], length), inside(at[1], width)];
        for (const [other, [x, y]] of Object.entries(places)) { // step out of a ball that is in the way
            const dx = spot[0] - x, dy = spot[1] - y, distance = Math.hypot(dx, dy);
            if (other !== name && distance < 2 * radius + 1e-6) {
                const far = (2 * radius + 2e-4) / (distance || 1);
                spot = [inside(x + (distance ? dx : 1) * far, length), inside(y + dy * far, width)];
            }
        }
        if (this.overlaps(name, spot, places)) return;
        places[name] = spot;
        this.form.set({ balls: places });
    }

    private listen(canvas: HTMLCanvasElement): void {
        let held: string | null = null, aiming = false;
        canvas.addEventListener("pointerdown", (event) => {
            const at = this.view.toWorld(event);
            canvas.setPointerCapture(event.pointerId);
            if (this.player.time > 0) { this.player.pause(); this.player.seek(0); }
            held = this.ballUnder(at);
            aiming = held === null;
            canvas.classList.toggle("holding", held !== null);
            if (aiming) this.aimAt(at);
            event.preventDefault();
            canvas.focus({ preventScroll: true });
        });
        canvas.addEventListener("pointermove", (event) => {
            const at = this.view.toWorld(event);
            if (held) this.moveBall(held, at);
            else if (aiming) this.aimAt(at);
            else canvas.classList.toggle("over", this.ballUnder(at) !== null);
        });
        const drop = (): void => { held = null; aiming = false; canvas.classList.remove("holding"); };
        canvas.addEventListener("pointerup", drop);
        canvas.addEventListener("pointercancel", drop);
        canvas.addEventListener("keydown", (event) => this.key(event));
    }

    private aimAt(at: [number, number]): void {
        const cue = placesOf(this.form.state).cue;
        if (!cue || Math.hypot(at[0] - cue[0], at[1] - cue[1]) < 0.01) return;
        this.form.set({ aim: Math.round((Math.atan2(at[1] - cue[1], at[0] - cue[0]) * 180 / Math.PI) * 100) / 100 });
    }

    private key(event: KeyboardEvent): void {
        const { aim, speed } = this.form.state, fine = event.shiftKey ? 0.05 : 1;
        const round = (value: number): number => Math.round(value * 100) / 100;
        const wrap = (value: number): number => (value > 180 ? value - 360 : value < -180 ? value + 360 : value);
        if (event.key === "ArrowLeft") this.form.set({ aim: wrap(round(aim + fine)) });
        else if (event.key === "ArrowRight") this.form.set({ aim: wrap(round(aim - fine)) });
        else if (event.key === "ArrowUp") this.form.set({ speed: Math.min(12, round(speed + 0.2)) });
        else if (event.key === "ArrowDown") this.form.set({ speed: Math.max(0.3, round(speed - 0.2)) });
        else if (!this.player.key(event)) return;
        event.preventDefault();
    }

    // ---- The frame's side --------------------------------------------------------------------

    link(): string { return this.form.link(); }
    themed(): void { this.chart.themed(); }
    probe(): ReturnType<Mounted["probe"]> {
        return { scene: this.scene, json: this.json, fault: this.lastFault, ms: this.milliseconds, player: this.player, view: this.view, places: placesOf(this.form.state) };
    }
    unmount(): void {
        this.player.destroy();
        this.chart.destroy();
        this.resize.disconnect();
    }
}

export const billiards: Page = { name: "billiards", title: "Billiards", mount: (root, query, frame) => new BilliardsPage(root, query, frame) };
