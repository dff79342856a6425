// SPDX-License-Identifier: Apache-2.0
// The page Bounce lab: a ball with spin on a surface.
import { Chart, css, planeData } from "./chart";
import type { Fields } from "./link";
import { Motion, turned, type Quat } from "./motion";
import type { Frame, Mounted, Page } from "./page";
import { Plane } from "./plane";
import { Player } from "./player";
import type { Numbers } from "./protocol";
import { drawBall, type Facing, type Skin } from "./sphere";
import { button, choice, fold, Form, h, saveCanvas, show, slider, texts, toggle } from "./ui";

interface State extends Fields {
    ball: string;
    mode: string;
    along: number; // velocity along the surface [m/s]
    down: number; // and towards it
    spin: number; // [rad/s]; positive: top spin
    friction: number;
    restitution: number;
    compliant: boolean;
    poisson: number;
}

/** Version 1 of the links has these for ever. */
export const BOUNCE_1: State = { ball: "tennis", mode: "one", along: 5, down: 8, spin: -80, friction: 0.5, restitution: 0.75, compliant: true, poisson: 0.45 };

interface Ball { title: string; mass: number; radius: number; hollow: boolean; skin: Skin; start: Partial<State> }

/** Version 1 of the links has these for ever. */
const BALLS: Record<string, Ball> = {
    tennis: {
        title: "Tennis ball, back spin", mass: 0.058, radius: 0.033, hollow: true, skin: { color: [206, 226, 70], pattern: "seam", second: [250, 252, 235], label: "" },
        start: { mode: "one", along: 5, down: 8, spin: -80, friction: 0.5, restitution: 0.75, compliant: true, poisson: 0.45 },
    },
    superball: {
        title: "Superball under a table", mass: 0.05, radius: 0.025, hollow: false, skin: { color: [226, 64, 92], pattern: "halves", second: [92, 60, 190], label: "" },
        start: { mode: "table", along: 3, down: 3, spin: 0, friction: 0.8, restitution: 0.95, compliant: true, poisson: 0.5 },
    },
    alumina: {
        title: "Alumina on glass, measured", mass: 0.00025, radius: 0.0025, hollow: false, skin: { color: [238, 236, 230], pattern: "halves", second: [150, 160, 176], label: "" },
        start: { mode: "angles", along: 1.348, down: 3.66, spin: 0, friction: 0.092, restitution: 0.98, compliant: true, poisson: 0.23 },
    },
    basketball: {
        title: "Basketball", mass: 0.62, radius: 0.12, hollow: true, skin: { color: [222, 112, 44], pattern: "seam", second: [48, 30, 24], label: "" },
        start: { mode: "many", along: 2, down: 5, spin: -20, friction: 0.6, restitution: 0.8, compliant: true, poisson: 0.45 },
    },
};

const ballOf = (state: State): Ball => BALLS[state.ball] ?? BALLS.tennis;
const GRAVITY = 9.8;

function material(state: State): object {
    return { restitution: state.restitution, friction: state.friction, tangential: state.compliant ? { poisson: state.poisson } : "rigid" };
}

function bodyOf(state: State): Record<string, unknown> {
    const { mass, radius, hollow } = ballOf(state);
    return { mass, radius, ...(hollow ? { inertia: (2 / 3) * mass * radius * radius } : {}) };
}

/** The first bounce as an impact. */
export function impactScene(state: State): string {
    return JSON.stringify({
        kind: "impact", title: "A ball with spin on a surface",
        bodies: { ball: { ...bodyOf(state), position: [0, 0, ballOf(state).radius], velocity: [state.along, 0, -state.down], angular_velocity: [0, state.spin, 0] }, floor: { fixed: true } },
        contacts: [{ between: ["ball", "floor"], point: [0, 0, 0], normal: [0, 0, 1], ...material(state) }],
    }, null, 1);
}

/** The ball over time, with gravity; it meets the floor as the sliders say. */
export function flightScene(state: State): string {
    const { radius } = ballOf(state), table = state.mode === "table";
    const drop = Math.min(0.6, (0.8 * state.down * state.down) / (2 * GRAVITY));
    const body = {
        ...bodyOf(state), angular_velocity: [0, state.spin, 0],
        position: table ? [-0.5, 0, 1] : [0, 0, radius + drop],
        velocity: [state.along, 0, table ? -state.down : -Math.sqrt(state.down * state.down - 2 * GRAVITY * drop)],
    };
    const planes: Record<string, object> = { floor: { point: [0, 0, 0], normal: [0, 0, 1] } };
    if (table) planes.table = { point: [0, 0, 0.7], normal: [0, 0, -1], edge: [-1, 0, 0] };
    return JSON.stringify({ kind: "flight", title: table ? "A ball under a table" : "A ball that bounces on", bodies: { ball: body }, planes, materials: { default: material(state) }, until: table ? 1 : 3 }, null, 1);
}

interface SweepScene { scene: { contacts: Record<string, unknown>[] }; show: { label: string; points: [number, number][] }[] }

/** The built-in sweep over all angles with the sliders' values. */
export function sweepScene(state: State): string {
    const scene = JSON.parse(CAROM.scenes["alumina-on-glass-sweep"]) as SweepScene;
    Object.assign(scene.scene.contacts[0], material({ ...state, compliant: true }));
    return JSON.stringify(scene, null, 1);
}

interface ImpactResult { outcome: string; bodies: Record<string, { velocity: number[]; angular_velocity: number[] }>; energy: Record<string, number>; events: { kind: string }[] }
interface SweepResult { values: number[]; show: { curves: { values: (number | null)[]; rms: number | null }[] }[] }

interface Track {
    start: number;
    end: number;
    at(time: number): { x: number; z: number; turn: Quat; vx: number; vz: number };
    marks: number[];
}

const FROM_SIDE: Facing = { right: [1, 0, 0], up: [0, 0, 1] };

class BouncePage implements Mounted {
    private form: Form<State>;
    private player = new Player((time) => this.draw(time), { rate: 0.02 });
    private canvas = h("canvas", { class: "bounce", tabindex: 0, role: "img" });
    private stage = h("div", { class: "stage" }, this.canvas);
    private summary = h("p", { class: "summary", "aria-live": "polite" });
    private fault = h("p", { class: "fault", hidden: true });
    private ledger = h("div", { class: "ledger" });
    private impulse = new Plane("Impulse: along the surface over normal", "normal impulse [N s]", "along [N s]");
    private hodograph = new Plane("Hodograph: velocity of the touching point", "slip [m/s]", "normal [m/s]");
    private energies = new Chart({ title: "Energy in the contact while it is pressed", x: "normal impulse [N s]", y: "[J]", height: 200 });
    private sweeps = [0, 1, 2].map((i) => new Chart({ title: ["Tangential restitution", "Spin after the bounce", "Angle of rebound"][i], x: "angle of incidence [°]", y: ["", "[rad/s]", "[°]"][i], height: 210 }));
    private single: HTMLElement;
    private angles: HTMLElement;
    private resize: ResizeObserver;

    private scene = "";
    private json = "";
    private round = 0;
    private lastFault = "";
    private track: Track | null = null;
    private impactJson = "";

    constructor(root: HTMLElement, query: string, private frame: Frame) {
        this.form = new Form("bounce", query, BOUNCE_1, (keys) => this.changed(keys));
        this.single = h("div", { class: "main" }, h("h2", {}, "Where the energy went"), this.ledger, h("div", { class: "pair" }, this.impulse.element, this.hodograph.element), this.energies.element);
        this.angles = h("div", { class: "angles" }, ...this.sweeps.map((chart) => chart.element));
        root.append(h("h1", { class: "quiet" }, "Bounce lab"), h("div", { class: "columns" }, this.main(), this.controls(), h("div", { class: "main more" }, this.angles, this.single)), this.words());
        this.canvas.addEventListener("keydown", (event) => { if (this.player.key(event)) event.preventDefault(); });
        this.resize = new ResizeObserver(() => this.draw(this.player.time));
        this.resize.observe(this.stage);
        void this.solve();
    }

    private main(): HTMLElement {
        return h("div", { class: "main" }, this.stage, this.player.element, this.fault, this.summary,
            h("div", { class: "row" }, button("Save picture", () => saveCanvas("carom-bounce.png", this.canvas)),
                button("Open in the viewer", () => { location.hash = `#1/viewer?text=${encodeURIComponent(this.scene)}`; })));
    }

    private controls(): HTMLElement {
        const f = this.form;
        return h("aside", { class: "controls", "aria-label": "Controls" },
            choice(f, "ball", "Ball", Object.entries(BALLS).map(([key, ball]) => [key, ball.title])),
            choice(f, "mode", "Show", [["one", "one bounce"], ["many", "bounce after bounce"], ["table", "under a table"], ["angles", "all angles, and measurements"]]),
            slider(f, "along", { label: "Speed along the surface", min: -20, max: 20, step: 0.1, unit: "m/s" }),
            slider(f, "down", { label: "Speed towards it", min: 0.5, max: 20, step: 0.1, unit: "m/s" }),
            slider(f, "spin", { label: "Spin (positive: top spin)", min: -600, max: 600, step: 5, unit: "rad/s" }),
            fold("Contact", true,
                slider(f, "friction", { label: "Friction", min: 0, max: 1.2, step: 0.002 }),
                slider(f, "restitution", { label: "Restitution", min: 0, max: 1, step: 0.01 }),
                toggle(f, "compliant", "Springy along the surface, too"),
                slider(f, "poisson", { label: "Poisson’s ratio", min: 0, max: 0.5, step: 0.01, help: "how springy along the surface compared with across it" })),
            h("div", { class: "row" }, button("Values of this ball", () => f.set({ ...ballOf(f.state).start }))));
    }

    private words(): HTMLElement {
        return texts(
            "A ball comes in with spin, is pressed flat and leaves. The two plots show the bounce from within: how the impulse grows, inside the cone of friction (dashed), and how the point that touches slides, stops and may even go back.",
            "Friction pulls the touching point until it stops. A stiff contact would leave it at rest. A real one is springy along the surface as well: it winds up and throws the point back, and so the spin may reverse. That is how a superball turns back under a table.",
            ["Superball: switch off “springy along the surface”. It does not turn back any more.",
                "Alumina on glass: curves are computed, points were measured; nothing is fitted. Move friction off 0.092 and see where they part.",
                "Tennis ball: find the spin with which it leaves straight up.",
                "Friction 0: spin does not matter at all."]);
    }

    // ---- Solving -----------------------------------------------------------------------------

    private changed(keys: string[]): void {
        if (keys.length === 1 && keys[0] === "ball") { this.form.set({ ...ballOf(this.form.state).start }); return; }
        this.frame.changed();
        void this.solve();
    }

    /** Several orders, one after the other. A newer round must not lose its waiting order to this one. */
    private async solve(): Promise<void> {
        const round = ++this.round, state = structuredClone(this.form.state);
        const sweep = state.mode === "angles";
        this.angles.hidden = !sweep;
        const text = impactScene(state), first = await this.frame.client.ask("bounce", { text, samples: 0, want: ["json"] });
        if (!first || round !== this.round) return;
        this.take(text, first.fault, first.json ?? "");
        if (first.fault || !first.json) return;
        this.impactJson = first.json;
        const result = JSON.parse(first.json) as ImpactResult;
        const within = await this.frame.client.ask("bounce", { text, samples: 48, want: ["path"] });
        if (!within?.path || round !== this.round) return;
        this.tell(state, result, within.path);
        if (state.mode === "one" || sweep) this.show(state, this.oneBounce(state, result));
        if (sweep) await this.solveSweep(state);
        else if (state.mode !== "one") await this.solveFlight(state);
    }

    private take(scene: string, fault: string, json: string): void {
        this.scene = scene;
        this.json = json;
        this.lastFault = fault;
        this.fault.hidden = !fault;
        this.fault.textContent = fault;
    }

    private async solveFlight(state: State): Promise<void> {
        const text = flightScene(state);
        const answer = await this.frame.client.ask("bounce", { text, samples: 0, want: ["json", "motion"] });
        if (!answer) return;
        this.take(text, answer.fault, answer.json ?? "");
        if (answer.fault || !answer.json || !answer.motion) return;
        const motion = new Motion(answer.motion), events = JSON.parse(answer.json).events as { time: number; kind: string }[];
        this.show(state, {
            start: 0, end: motion.end, marks: events.map((event) => event.time),
            at: (time) => { const now = motion.at(time, 0); return { x: now.position[0], z: now.position[2], turn: now.turn, vx: now.velocity[0], vz: now.velocity[2] }; },
        });
    }

    private async solveSweep(state: State): Promise<void> {
        const text = sweepScene(state);
        const answer = await this.frame.client.ask("bounce", { text, samples: 0, want: ["json"] });
        if (!answer) return;
        this.take(text, answer.fault, answer.json ?? "");
        if (!answer.fault && answer.json) this.tellSweep(JSON.parse(text) as SweepScene, JSON.parse(answer.json) as SweepResult);
    }

    /** Straight in and straight out: gravity is left out of so short a time. */
    private oneBounce(state: State, result: ImpactResult): Track {
        const { radius } = ballOf(state), after = result.bodies.ball, v = after.velocity, w = after.angular_velocity[1];
        const reach = 7 * radius, come = reach / Math.max(1e-9, Math.hypot(state.along, state.down)), go = reach / Math.max(1e-3, Math.hypot(v[0], v[2]));
        const leave = Math.min(go, 4 * come);
        return {
            start: 0, end: come + leave, marks: [come],
            at: (time) => {
                const t = time - come, before = t < 0;
                const [vx, vz, spin] = before ? [state.along, -state.down, state.spin] : [v[0], v[2], w];
                return { x: vx * t, z: radius + vz * t, turn: turned([1, 0, 0, 0], [0, spin * t, 0]), vx, vz };
            },
        };
    }

    private show(state: State, track: Track): void {
        const fresh = !this.track || Math.abs(this.track.end - track.end) > 0.5 * track.end;
        this.track = track;
        if (fresh) this.player.setSpeed(state.mode === "many" ? 1 : state.mode === "table" ? 0.25 : track.end < 0.02 ? 0.005 : track.end < 0.2 ? 0.02 : 0.1);
        this.player.load(track.end, track.marks);
        if (!this.player.playing && (fresh || this.player.time === 0)) this.player.seek(track.marks[0] !== undefined ? track.marks[0] * 1.6 : 0);
        this.draw(this.player.time);
    }

    // ---- Telling -----------------------------------------------------------------------------

    private tell(state: State, result: ImpactResult, path: Numbers): void {
        const { velocity, angular_velocity } = result.bodies.ball, rows = Array.from({ length: path.rows }, (_, i) => path.data.subarray(i * path.columns, (i + 1) * path.columns));
        const back = Math.sign(velocity[0]) !== Math.sign(state.along) && Math.abs(velocity[0]) > 1e-3 && state.along !== 0;
        this.summary.textContent = `Leaves at ${show(velocity[0], 3)} m/s along and ${show(velocity[2], 3)} m/s up, spin ${show(angular_velocity[1], 3)} rad/s${back ? "; it goes back where it came from" : ""}.`;
        this.canvas.setAttribute("aria-label", `A ball bounces. ${this.summary.textContent}`);
        const last = rows[rows.length - 1], most = last[5];
        this.impulse.show([
            { label: "impulse", color: "--c1", points: rows.map((row) => [row[5], row[3]]), ends: true },
            { label: "cone of friction", color: "--c3", dash: [5, 4], width: 1.3, points: [[most, state.friction * most], [0, 0], [most, -state.friction * most]] }]);
        this.hodograph.show([{ label: "from first touch (ring) to the end (disc)", color: "--c2", points: rows.map((row) => [row[6], row[8]]), ends: true }]);
        const data = [rows.map((row) => row[5]), rows.map((row) => row[9]), rows.map((row) => row[10]), rows.map((row) => row[11])];
        this.energies.show([{ label: "pressed in", color: "--c1" }, { label: "wound up along", color: "--c2" }, { label: "lost by friction so far", color: "--c3" }], data);
        this.tellLedger(state, result);
    }

    private tellLedger(state: State, result: ImpactResult): void {
        const { mass, radius, hollow } = ballOf(state), inertia = (hollow ? 2 / 3 : 2 / 5) * mass * radius * radius;
        const { velocity, angular_velocity } = result.bodies.ball, energy = result.energy;
        const parts = (vx: number, vz: number, w: number): [string, number, string][] => [["along", 0.5 * mass * vx * vx, "--c1"], ["up and down", 0.5 * mass * vz * vz, "--c2"], ["spin", 0.5 * inertia * w * w, "--c4"]];
        const before = parts(state.along, state.down, state.spin);
        const after: [string, number, string][] = [...parts(velocity[0], velocity[2], angular_velocity[1]), ["lost by restitution", energy.restitution_loss, "--lost"], ["lost by friction", energy.friction_loss, "--lost2"]];
        const bar = (name: string, entries: [string, number, string][]): HTMLElement => h("div", { class: "ledger-row" }, h("span", {}, name),
            h("div", { class: "ledger-bar" }, ...entries.filter(([, value]) => value > 0.002 * energy.before).map(([title, value, color]) =>
                h("span", { style: `flex: ${value / energy.before}; background: var(${color})`, title: `${title}: ${show(value, 3)} J` }, `${title} ${show((100 * value) / energy.before, 2)} %`))));
        this.ledger.replaceChildren(bar("before", before), bar("after", after),
            h("p", { class: "hint" }, `${show(energy.before, 4)} J come in. What is unaccounted for: ${energy.unaccounted.toExponential(1)} J.`));
    }

    private tellSweep(scene: SweepScene, result: SweepResult): void {
        this.sweeps.forEach((chart, k) => {
            const computed = result.show[k].curves.map((curve) => curve.values.flatMap((value, i): [number, number][] => (value === null ? [] : [[result.values[i], value]])));
            const data = planeData([...computed, scene.show[k].points]);
            const rms = result.show[k].curves.map((curve) => (curve.rms === null ? "" : `, off by ${show(curve.rms, 2)}`));
            chart.show([{ label: `springy along${rms[0]}`, color: "--c1" }, { label: `stiff along${rms[1]}`, color: "--c3", dash: [5, 4] }, { label: "measured", color: "--c2", points: true }], data);
        });
    }

    // ---- Drawing -----------------------------------------------------------------------------

    private draw(time: number): void {
        const wide = this.stage.clientWidth, ratio = Math.min(window.devicePixelRatio || 1, 2), tall = Math.max(240, Math.min(380, wide * 0.45));
        if (!this.track || wide === 0) return;
        this.canvas.style.height = `${tall}px`;
        if (this.canvas.width !== Math.round(wide * ratio) || this.canvas.height !== Math.round(tall * ratio)) {
            this.canvas.width = Math.round(wide * ratio);
            this.canvas.height = Math.round(tall * ratio);
        }
        const g = this.canvas.getContext("2d")!, { radius, skin } = ballOf(this.form.state), track = this.track;
        const times = Array.from({ length: 240 }, (_, i) => (track.end * i) / 239), points = times.map((t) => track.at(t));
        const xs = points.map((point) => point.x), zs = points.map((point) => point.z);
        const left = Math.min(...xs) - 1.6 * radius, right = Math.max(...xs) + 1.6 * radius, high = Math.max(...zs, this.form.state.mode === "table" ? 0.7 : 0) + 1.6 * radius;
        const scale = Math.min((wide - 20) / (right - left), (tall - 46) / high), ox = wide / 2 - (scale * (left + right)) / 2, oy = tall - 30;
        const at = (x: number, z: number): [number, number] => [ox + x * scale, oy - z * scale];
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.fillStyle = css("--stage");
        g.fillRect(0, 0, wide, tall);
        g.fillStyle = css("--ground");
        g.fillRect(0, oy, wide, tall - oy);
        if (this.form.state.mode === "table") {
            const [tx, ty] = at(0, 0.7);
            g.fillStyle = css("--wood");
            g.fillRect(tx, ty - 14, wide - tx, 14);
        }
        g.beginPath();
        points.forEach((point, i) => (i ? g.lineTo(...at(point.x, point.z)) : g.moveTo(...at(point.x, point.z))));
        g.strokeStyle = css("--ink-faint");
        g.lineWidth = 1.5;
        g.setLineDash([3, 4]);
        g.stroke();
        g.setLineDash([]);
        const size = Math.max(5, radius * scale), ghosts = Math.min(14, Math.max(6, Math.round((right - left) / (2.6 * radius))));
        g.globalAlpha = 0.26;
        for (let i = 0; i <= ghosts; i++) {
            const point = track.at((track.end * i) / ghosts);
            drawBall(g, skin, ...at(point.x, point.z), size, point.turn, FROM_SIDE);
        }
        g.globalAlpha = 1;
        const now = track.at(time), [x, y] = at(now.x, now.z);
        drawBall(g, skin, x, y, size, now.turn, FROM_SIDE);
        this.arrow(g, x, y, now.vx, -now.vz, size);
    }

    private arrow(g: CanvasRenderingContext2D, x: number, y: number, vx: number, vy: number, size: number): void {
        const speed = Math.hypot(vx, vy), most = Math.hypot(this.form.state.along, this.form.state.down);
        if (speed < 1e-6) return;
        const length = Math.max(14, 3.2 * size * Math.min(1.5, speed / most)), angle = Math.atan2(vy, vx);
        g.save();
        g.translate(x, y);
        g.rotate(angle);
        g.strokeStyle = g.fillStyle = css("--accent");
        g.lineWidth = 2.5;
        g.beginPath();
        g.moveTo(size, 0);
        g.lineTo(size + length - 8, 0);
        g.stroke();
        g.beginPath();
        g.moveTo(size + length, 0);
        g.lineTo(size + length - 10, 5);
        g.lineTo(size + length - 10, -5);
        g.fill();
        g.restore();
    }

    link(): string { return this.form.link(); }
    themed(): void {
        this.draw(this.player.time);
        this.impulse.draw();
        this.hodograph.draw();
        for (const chart of [this.energies, ...this.sweeps]) chart.themed();
    }
    probe(): ReturnType<Mounted["probe"]> { return { scene: this.scene, json: this.json, fault: this.lastFault, impactJson: this.impactJson, player: this.player }; }
    unmount(): void {
        this.player.destroy();
        this.resize.disconnect();
        this.impulse.destroy();
        this.hodograph.destroy();
        for (const chart of [this.energies, ...this.sweeps]) chart.destroy();
    }
}

export const bounce: Page = { name: "bounce", title: "Bounce lab", mount: (root, query, frame) => new BouncePage(root, query, frame) };
