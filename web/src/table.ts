// SPDX-License-Identifier: Apache-2.0
// The billiard table on a canvas: rails, cloth, pockets, balls, paths, aim.
import { drawBall, FROM_ABOVE, type Facing, type Skin, type Sprite } from "./sphere";
import { FLAG, type BallNow, type Motion, type Quat } from "./motion";
import type { TableSize } from "./setups";
import type { Numbers } from "./protocol";

const FRAME = 0.13; // of wood and cushion around the field [m]
const CUSHION = 0.048; // depth of the cushions [m]
const PART = { cushion: 1, jaw: 2, pocket: 3 };

export interface Part {
    kind: number;
    from: [number, number];
    to: [number, number];
    radius: number;
}

export function partsOf(numbers: Numbers): Part[] {
    return Array.from({ length: numbers.rows }, (_, i) => {
        const at = (k: number): number => numbers.data[i * numbers.columns + k];
        return { kind: at(0), from: [at(1), at(2)], to: [at(4), at(5)], radius: at(7) };
    });
}

export interface PathPoint {
    time: number;
    x: number;
    y: number;
    flags: number;
}

/** Points of a ball's way: enough of them where it bends. */
export function pathOf(motion: Motion, ball: number): PathPoint[] {
    const points: PathPoint[] = [];
    for (let f = 0; f + 1 < motion.frames; f++) {
        const from = motion.times[f], span = motion.times[f + 1] - from, flags = motion.flags(f, ball);
        if (span <= 0 || flags & (FLAG.atRest | FLAG.gone)) continue;
        const u = motion.velocity(f, ball), v = motion.velocity(f + 1, ball);
        const bend = flags & FLAG.sliding ? Math.abs(Math.atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1])) : 0;
        const parts = 1 + Math.ceil(bend / 0.06);
        for (let k = points.length ? 1 : 0; k <= parts; k++) {
            const time = from + (span * k) / parts, at = motion.at(k === parts ? motion.times[f + 1] - 1e-12 * span : time, ball).position;
            points.push({ time, x: at[0], y: at[1], flags });
        }
    }
    return points;
}

export interface DrawnBall {
    skin: Skin;
    now: BallNow;
    fade: number; // 1: there, 0: gone
    sprite: Sprite; // its last picture
}

export interface Aim {
    x: number;
    y: number;
    dx: number;
    dy: number;
    pull: number; // how far the tip is from the ball [m]
    shorten: number; // of the stick, as seen from above
}

export class TableView {
    readonly canvas: HTMLCanvasElement;
    private g: CanvasRenderingContext2D;
    private back = document.createElement("canvas"); // the empty table
    private base = document.createElement("canvas"); // with faint paths of what will come
    private trail = document.createElement("canvas"); // paths so far
    private trailTime = Infinity;
    private trailEnds: { x: number; y: number; way: number }[] = [];
    private size: TableSize = { length: 2.54, width: 1.27, radius: 0.028575, mass: 0.17 };
    private parts: Part[] = [];
    private scale = 300;
    private ox = 0;
    private oy = 0;
    private upright = false; // the long way goes up the screen
    facing: Facing = FROM_ABOVE;

    constructor(canvas: HTMLCanvasElement) {
        this.canvas = canvas;
        this.g = canvas.getContext("2d")!;
    }

    setTable(size: TableSize, parts: Part[]): void {
        this.size = size;
        this.parts = parts;
        this.layout();
    }

    /** Fit the table into a width; portrait screens get an upright table. */
    layout(): void {
        const box = this.canvas.parentElement!;
        const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
        const long = this.size.length + 2 * FRAME, short = this.size.width + 2 * FRAME;
        const wide = box.clientWidth;
        if (wide === 0) return;
        this.upright = wide < 560 && window.innerHeight > window.innerWidth;
        const room = Math.max(260, window.innerHeight * (this.upright ? 0.8 : 0.68));
        const css = this.upright ? Math.min(wide / short, room / long) : Math.min(wide / long, room / short);
        const width = css * (this.upright ? short : long), height = css * (this.upright ? long : short);
        this.canvas.style.width = `${width}px`;
        this.canvas.style.height = `${height}px`;
        for (const layer of [this.canvas, this.back, this.base, this.trail]) {
            layer.width = Math.round(width * ratio);
            layer.height = Math.round(height * ratio);
        }
        this.scale = css * ratio;
        this.ox = this.upright ? this.canvas.width - FRAME * this.scale : FRAME * this.scale;
        this.oy = this.canvas.height - FRAME * this.scale;
        this.facing = this.upright ? { right: [0, -1, 0], up: [1, 0, 0] } : FROM_ABOVE;
        this.drawBack();
    }

    toScreen(x: number, y: number): [number, number] {
        return this.upright ? [this.ox - y * this.scale, this.oy - x * this.scale] : [this.ox + x * this.scale, this.oy - y * this.scale];
    }

    toWorld(event: { clientX: number; clientY: number }): [number, number] {
        const box = this.canvas.getBoundingClientRect();
        const sx = ((event.clientX - box.left) / box.width) * this.canvas.width, sy = ((event.clientY - box.top) / box.height) * this.canvas.height;
        const a = this.upright ? (this.ox - sx) / this.scale : (sx - this.ox) / this.scale, b = (this.oy - sy) / this.scale;
        return this.upright ? [b, a] : [a, b];
    }

    /** Pixels of the page for a length in metres. */
    cssScale(): number { return (this.scale * this.canvas.clientWidth) / this.canvas.width; }

    // ---- The empty table ---------------------------------------------------------------------

    private box(g: CanvasRenderingContext2D, margin: number, round: number): void {
        const [x0, y0] = this.toScreen(-margin, -margin), [x1, y1] = this.toScreen(this.size.length + margin, this.size.width + margin);
        g.beginPath();
        g.roundRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0), round * this.scale);
    }

    private drawBack(): void {
        const g = this.back.getContext("2d")!, { width, height } = this.back;
        g.clearRect(0, 0, width, height);
        const wood = g.createLinearGradient(0, 0, width * 0.3, height);
        for (const [at, color] of [[0, "#7a4a26"], [0.35, "#5f361b"], [0.7, "#6d4021"], [1, "#4b2912"]] as const) wood.addColorStop(at, color);
        this.box(g, FRAME, 0.07);
        g.fillStyle = wood;
        g.fill();
        this.box(g, FRAME - 0.006, 0.065);
        g.lineWidth = 0.004 * this.scale;
        g.strokeStyle = "rgb(255 220 170 / 0.16)";
        g.stroke();
        const cloth = g.createRadialGradient(width / 2, height * 0.45, 0, width / 2, height / 2, Math.max(width, height) * 0.62);
        cloth.addColorStop(0, "#249070");
        cloth.addColorStop(0.65, "#1b7a5e");
        cloth.addColorStop(1, "#12604a");
        this.box(g, CUSHION, 0.03);
        g.fillStyle = cloth;
        g.fill();
        this.drawSpots(g);
        this.drawPockets(g);
        this.drawCushions(g);
        this.drawDiamonds(g);
    }

    private dot(g: CanvasRenderingContext2D, x: number, y: number, radius: number, color: string): void {
        const [sx, sy] = this.toScreen(x, y);
        g.beginPath();
        g.arc(sx, sy, radius * this.scale, 0, 7);
        g.fillStyle = color;
        g.fill();
    }

    private drawSpots(g: CanvasRenderingContext2D): void {
        const { length, width } = this.size;
        for (const share of [0.25, 0.75]) this.dot(g, share * length, width / 2, 0.006, "rgb(255 255 255 / 0.35)");
        g.beginPath();
        g.moveTo(...this.toScreen(0.25 * length, 0));
        g.lineTo(...this.toScreen(0.25 * length, width));
        g.strokeStyle = "rgb(255 255 255 / 0.10)";
        g.lineWidth = 0.004 * this.scale;
        g.stroke();
    }

    private drawPockets(g: CanvasRenderingContext2D): void {
        for (const part of this.parts.filter((entry) => entry.kind === PART.pocket)) {
            this.dot(g, ...part.from, part.radius + 0.012, "#2a1a0e");
            this.dot(g, ...part.from, part.radius, "#0b0a09");
        }
    }

    /** A cushion is a bar behind its nose; jaws slant into the pockets. */
    private drawCushions(g: CanvasRenderingContext2D): void {
        const near = (a: number[], b: number[]): boolean => Math.hypot(a[0] - b[0], a[1] - b[1]) < 1e-6;
        const jaws = this.parts.filter((part) => part.kind === PART.jaw);
        const { length, width } = this.size;
        for (const nose of this.parts.filter((part) => part.kind === PART.cushion)) {
            const ends = [nose.from, nose.to].map((end) => {
                const jaw = jaws.find((entry) => near(entry.from, end) || near(entry.to, end));
                const middle: [number, number] = [(nose.from[0] + nose.to[0]) / 2, (nose.from[1] + nose.to[1]) / 2];
                const across = Math.abs(nose.from[1] - nose.to[1]) < 1e-9;
                const out: [number, number] = across ? [0, Math.sign(middle[1] - width / 2)] : [Math.sign(middle[0] - length / 2), 0];
                if (!jaw) { // mitred into the corner
                    const half = Math.hypot(end[0] - middle[0], end[1] - middle[1]);
                    return [0, 1].map((k) => end[k] + CUSHION * (out[k] + (end[k] - middle[k]) / half)) as [number, number];
                }
                const far = near(jaw.from, end) ? jaw.to : jaw.from;
                const reach = Math.abs((far[0] - end[0]) * out[0] + (far[1] - end[1]) * out[1]) || 1;
                return [end[0] + ((far[0] - end[0]) * CUSHION) / reach, end[1] + ((far[1] - end[1]) * CUSHION) / reach] as [number, number];
            });
            g.beginPath();
            g.moveTo(...this.toScreen(...ends[0]));
            for (const point of [nose.from, nose.to, ends[1]]) g.lineTo(...this.toScreen(...point));
            g.closePath();
            g.fillStyle = "#0e523f";
            g.fill();
            g.beginPath();
            g.moveTo(...this.toScreen(...nose.from));
            g.lineTo(...this.toScreen(...nose.to));
            g.strokeStyle = "rgb(140 230 195 / 0.55)";
            g.lineWidth = Math.max(1, 0.005 * this.scale);
            g.stroke();
        }
    }

    private drawDiamonds(g: CanvasRenderingContext2D): void {
        const { length, width } = this.size, out = (FRAME + CUSHION) / 2;
        for (let i = 1; i < 8; i++) {
            if (i === 4 && this.parts.some((part) => part.kind === PART.pocket)) continue;
            for (const y of [-out, width + out]) this.dot(g, (i * length) / 8, y, 0.007, "#e9dcc0");
        }
        for (let i = 1; i < 4; i++) for (const x of [-out, length + out]) this.dot(g, x, (i * width) / 4, 0.007, "#e9dcc0");
    }

    // ---- What moves --------------------------------------------------------------------------

    /** Other paths: those of what will come are drawn once, and the trail starts anew. */
    setPaths(paths: { points: PathPoint[]; color: string }[]): void {
        const g = this.base.getContext("2d")!;
        g.clearRect(0, 0, this.base.width, this.base.height);
        g.drawImage(this.back, 0, 0);
        for (const path of paths) this.drawPath(path.points, path.color, Infinity, 0.2, 1.3, g);
        this.trailTime = Infinity;
    }

    begin(faint: boolean): void {
        this.g.setTransform(1, 0, 0, 1, 0, 0);
        this.g.clearRect(0, 0, this.canvas.width, this.canvas.height);
        this.g.drawImage(faint ? this.base : this.back, 0, 0);
    }

    /** Paths up to now. While time goes on each ball adds its last step; after a jump all is drawn anew. */
    drawTrail(paths: { points: PathPoint[]; color: string }[], balls: DrawnBall[], time: number): void {
        const g = this.trail.getContext("2d")!, passed = time - this.trailTime;
        if (passed < 0 || passed > 0.25) {
            g.clearRect(0, 0, this.trail.width, this.trail.height);
            for (const path of paths) this.drawPath(path.points, path.color, time, 0.85, 1.6, g);
            this.trailEnds = balls.map(({ now }) => ({ x: now.position[0], y: now.position[1], way: 0 }));
        } else {
            balls.forEach((ball, i) => this.addStep(g, paths[i].color, ball.now, this.trailEnds[i]));
        }
        this.trailTime = time;
        this.g.drawImage(this.trail, 0, 0);
    }

    private addStep(g: CanvasRenderingContext2D, color: string, now: BallNow, end: { x: number; y: number; way: number }): void {
        const [x, y] = now.position, step = Math.hypot(x - end.x, y - end.y) * this.scale;
        if (step < 0.3) return;
        g.globalAlpha = 0.85;
        g.strokeStyle = color;
        g.lineWidth = 1.6 * (this.scale / 380);
        g.setLineDash(this.dashOf(now.flags));
        g.lineDashOffset = end.way;
        g.beginPath();
        g.moveTo(...this.toScreen(end.x, end.y));
        g.lineTo(...this.toScreen(x, y));
        g.stroke();
        end.x = x;
        end.y = y;
        end.way += step;
    }

    /** Sliding is dashed, rolling solid, flying dotted. */
    private dashOf(flags: number): number[] {
        const kind = flags & FLAG.sliding ? 1 : flags & FLAG.supported ? 0 : 2;
        return [[], [0.016, 0.016], [0.003, 0.014]][kind].map((part) => part * this.scale);
    }

    drawPath(points: PathPoint[], color: string, until: number, opacity: number, width: number, g = this.g): void {
        if (points.length < 2) return;
        g.save();
        g.globalAlpha = opacity;
        g.strokeStyle = color;
        g.lineWidth = width * (this.scale / 380);
        g.lineJoin = g.lineCap = "round";
        let kind = -1;
        for (let i = 1; i < points.length && points[i - 1].time < until; i++) {
            const from = points[i - 1], to = points[i], now = to.flags & (FLAG.sliding | FLAG.supported);
            if (now !== kind) {
                if (kind >= 0) g.stroke();
                kind = now;
                g.setLineDash(this.dashOf(to.flags));
                g.beginPath();
                g.moveTo(...this.toScreen(from.x, from.y));
            }
            const share = to.time > until ? (until - from.time) / (to.time - from.time) : 1;
            g.lineTo(...this.toScreen(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)));
        }
        g.stroke();
        g.restore();
    }

    /** A ring where a ball will be. */
    drawGhost(x: number, y: number): void {
        const [sx, sy] = this.toScreen(x, y), g = this.g;
        g.beginPath();
        g.arc(sx, sy, this.size.radius * this.scale, 0, 7);
        g.strokeStyle = "rgb(255 255 255 / 0.75)";
        g.lineWidth = Math.max(1, 0.0035 * this.scale);
        g.stroke();
    }

    drawBalls(balls: DrawnBall[]): void {
        const g = this.g, radius = this.size.radius * this.scale;
        for (const ball of balls) {
            if (ball.fade <= 0) continue;
            const [sx, sy] = this.toScreen(ball.now.position[0], ball.now.position[1]), lift = Math.max(0, ball.now.position[2] - this.size.radius) * this.scale;
            for (const [spread, alpha] of [[1.16, 0.16], [1.0, 0.28]]) {
                g.beginPath();
                g.ellipse(sx + 0.22 * radius + 0.6 * lift, sy + 0.3 * radius + 0.7 * lift, radius * spread, radius * spread * 0.96, 0, 0, 7);
                g.fillStyle = `rgb(0 20 10 / ${alpha * ball.fade})`;
                g.fill();
            }
        }
        for (const ball of [...balls].sort((a, b) => a.now.position[2] - b.now.position[2])) {
            if (ball.fade <= 0) continue;
            const [sx, sy] = this.toScreen(ball.now.position[0], ball.now.position[1]);
            const nearer = 1 + 1.5 * Math.max(0, ball.now.position[2] - this.size.radius);
            g.globalAlpha = ball.fade;
            drawBall(g, ball.skin, sx, sy, radius * nearer * (0.6 + 0.4 * ball.fade), ball.now.turn, this.facing, ball.sprite);
        }
        g.globalAlpha = 1;
    }

    drawCue(aim: Aim, opacity = 1): void {
        const g = this.g, gap = this.size.radius + aim.pull, long = 1.1 * aim.shorten;
        const at = (along: number, side: number): [number, number] =>
            this.toScreen(aim.x - aim.dx * along - aim.dy * side, aim.y - aim.dy * along + aim.dx * side);
        const bar = (from: number, to: number, thin: number, thick: number, color: string): void => {
            g.beginPath();
            g.moveTo(...at(from, -thin));
            g.lineTo(...at(from, thin));
            g.lineTo(...at(to, thick));
            g.lineTo(...at(to, -thick));
            g.closePath();
            g.fillStyle = color;
            g.fill();
        };
        g.save();
        g.globalAlpha = opacity;
        g.save();
        g.shadowColor = "rgb(0 0 0 / 0.4)";
        g.shadowBlur = 0.02 * this.scale;
        g.shadowOffsetY = 0.012 * this.scale;
        bar(gap, gap + long, 0.0062, 0.0105, "#d9b27c");
        g.restore();
        bar(gap, gap + 0.008, 0.0062, 0.0062, "#3b78b0");
        bar(gap + 0.008, gap + 0.03, 0.0062, 0.0064, "#f4ecd8");
        bar(gap + 0.62 * long, gap + long, 0.009, 0.0107, "#43210f");
        g.restore();
    }

    drawAimLine(aim: Aim, length: number): void {
        const g = this.g;
        g.save();
        g.setLineDash([0.01 * this.scale, 0.01 * this.scale]);
        g.beginPath();
        g.moveTo(...this.toScreen(aim.x, aim.y));
        g.lineTo(...this.toScreen(aim.x + aim.dx * length, aim.y + aim.dy * length));
        g.strokeStyle = "rgb(255 255 255 / 0.45)";
        g.lineWidth = Math.max(1, 0.003 * this.scale);
        g.stroke();
        g.restore();
    }
}

/** The picture of one ball and its neighbours from near. */
export function drawCloseUp(canvas: HTMLCanvasElement, balls: DrawnBall[], watched: number, radius: number, facing: Facing): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 2), side = canvas.clientWidth * ratio;
    if (side === 0) return;
    if (canvas.width !== Math.round(side)) canvas.width = canvas.height = Math.round(side);
    const g = canvas.getContext("2d")!, centre = balls[watched]?.now.position;
    g.fillStyle = "#1b7a5e";
    g.fillRect(0, 0, canvas.width, canvas.height);
    if (!centre || balls[watched].fade <= 0) return;
    const size = canvas.width * 0.34, scale = size / radius;
    for (const ball of balls) {
        const dx = ball.now.position[0] - centre[0], dy = ball.now.position[1] - centre[1];
        if (ball.fade <= 0 || Math.hypot(dx, dy) > 4 * radius) continue;
        const x = canvas.width / 2 + scale * (dx * facing.right[0] + dy * facing.right[1]);
        const y = canvas.height / 2 - scale * (dx * facing.up[0] + dy * facing.up[1]);
        g.beginPath();
        g.ellipse(x + 0.12 * size, y + 0.16 * size, size * 1.03, size, 0, 0, 7);
        g.fillStyle = "rgb(0 20 10 / 0.3)";
        g.fill();
        drawBall(g, ball.skin, x, y, size, ball.now.turn, facing);
    }
}

/** How balls lie at first: the number up, turned a little, each in its own way. */
export function restingTurn(index: number, upright: boolean): Quat {
    const tilt = 0.35 * Math.sin(2.4 * index + 1), across = 0.3 * Math.cos(1.7 * index), about = upright ? -Math.PI / 2 : 0;
    const q: Quat = [Math.cos(about / 2), 0, 0, Math.sin(about / 2)];
    const half = Math.hypot(tilt, across) / 2, s = half > 0 ? Math.sin(half) / (2 * half) : 0;
    const r: Quat = [Math.cos(half), tilt * s, across * s, 0];
    return [ // r after q
        r[0] * q[0] - r[1] * q[1] - r[2] * q[2] - r[3] * q[3],
        r[0] * q[1] + r[1] * q[0] + r[2] * q[3] - r[3] * q[2],
        r[0] * q[2] - r[1] * q[3] + r[2] * q[0] + r[3] * q[1],
        r[0] * q[3] + r[1] * q[2] - r[2] * q[1] + r[3] * q[0],
    ];
}
