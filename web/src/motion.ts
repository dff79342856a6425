// SPDX-License-Identifier: Apache-2.0
// Where balls are at any time, between the frames that the module gives. On cloth and in flight
// accelerations are constant between events, so a cubic through both ends is exact.
import type { Numbers } from "./protocol";

export type Quat = [number, number, number, number]; // w, x, y, z: ball to world
export type Vec = [number, number, number];

export const FLAG = { supported: 1, sliding: 2, atRest: 4, gone: 8 };
const STRIDE = 12, POSITION = 0, VELOCITY = 3, SPIN = 6, ANGLE = 9, RATE = 10, FLAGS = 11;

export interface BallNow {
    position: Vec;
    velocity: Vec;
    spin: Vec;
    angle: number;
    rate: number;
    flags: number;
    turn: Quat;
}

/** q turned by the rotation vector w (world frame). */
export function turned(q: Quat, w: Vec): Quat {
    const angle = Math.hypot(w[0], w[1], w[2]);
    if (angle === 0) return q;
    const s = Math.sin(angle / 2) / angle, c = Math.cos(angle / 2);
    const [a, b, d, e] = [c, w[0] * s, w[1] * s, w[2] * s];
    const r: Quat = [
        a * q[0] - b * q[1] - d * q[2] - e * q[3],
        a * q[1] + b * q[0] + d * q[3] - e * q[2],
        a * q[2] - b * q[3] + d * q[0] + e * q[1],
        a * q[3] + b * q[2] - d * q[1] + e * q[0],
    ];
    const size = Math.hypot(r[0], r[1], r[2], r[3]);
    return [r[0] / size, r[1] / size, r[2] / size, r[3] / size];
}

/** Follow a spin that changes evenly from w0 to w1 in a time. Only for the eye: steps of 0.4 rad. */
function follow(q: Quat, w0: Vec, w1: Vec, time: number): Quat {
    const fastest = Math.max(Math.hypot(...w0), Math.hypot(...w1));
    const steps = Math.min(80, Math.max(1, Math.ceil((fastest * time) / 0.4)));
    const dt = time / steps;
    for (let i = 0; i < steps; i++) {
        const s = (i + 0.5) / steps;
        q = turned(q, [0, 1, 2].map((k) => dt * (w0[k] + s * (w1[k] - w0[k]))) as Vec);
    }
    return q;
}

export class Motion {
    readonly balls: number;
    readonly frames: number;
    readonly times: Float64Array;
    readonly end: number;
    private turns: Quat[][] = [];

    /** `swing` [rad/s] makes balls small-angle pendulums, whose motion is exact as well. */
    constructor(private numbers: Numbers, starts: Quat[] = [], private swing = 0) {
        this.frames = numbers.rows;
        this.balls = (numbers.columns - 1) / STRIDE;
        this.times = Float64Array.from({ length: this.frames }, (_, f) => numbers.data[f * numbers.columns]);
        this.end = this.times[this.frames - 1];
        this.turn(starts);
    }

    private base(frame: number, ball: number): number { return frame * this.numbers.columns + 1 + STRIDE * ball; }
    private vec(frame: number, ball: number, what: number): Vec {
        const at = this.base(frame, ball) + what, d = this.numbers.data;
        return [d[at], d[at + 1], d[at + 2]];
    }
    flags(frame: number, ball: number): number { return this.numbers.data[this.base(frame, ball) + FLAGS]; }
    position(frame: number, ball: number): Vec { return this.vec(frame, ball, POSITION); }
    velocity(frame: number, ball: number): Vec { return this.vec(frame, ball, VELOCITY); }
    spin(frame: number, ball: number): Vec { return this.vec(frame, ball, SPIN); }

    private turn(starts: Quat[]): void {
        let now: Quat[] = Array.from({ length: this.balls }, (_, b) => starts[b] ?? [1, 0, 0, 0]);
        this.turns.push(now);
        for (let f = 1; f < this.frames; f++) {
            const time = this.times[f] - this.times[f - 1];
            if (time > 0) now = now.map((q, b) => follow(q, this.spin(f - 1, b), this.spin(f, b), time));
            this.turns.push(now);
        }
    }

    /** The last frame that is not after a time. */
    frameAt(time: number): number {
        let low = 0, high = this.frames - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.times[middle] <= time) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    at(time: number, ball: number): BallNow {
        const f = this.frameAt(time), d = this.numbers.data, base = this.base(f, ball);
        const flags = d[base + FLAGS];
        const span = f + 1 < this.frames ? this.times[f + 1] - this.times[f] : 0;
        const past = Math.min(time - this.times[f], span);
        const now: BallNow = {
            position: this.vec(f, ball, POSITION), velocity: this.vec(f, ball, VELOCITY), spin: this.vec(f, ball, SPIN),
            angle: d[base + ANGLE], rate: d[base + RATE], flags, turn: this.turns[f][ball],
        };
        if (past <= 0 || span <= 0 || flags & (FLAG.gone | FLAG.atRest)) return now;
        const s = past / span, next = this.base(f + 1, ball);
        const cubic = (p: number, v: number): [number, number] => {
            const p0 = d[base + p], p1 = d[next + p], v0 = d[base + v] * span, v1 = d[next + v] * span;
            const a = 2 * p0 - 2 * p1 + v0 + v1, b = 3 * p1 - 3 * p0 - 2 * v0 - v1;
            return [((a * s + b) * s + v0) * s + p0, ((3 * a * s + 2 * b) * s + v0) / span];
        };
        for (let k = 0; k < 3; k++) [now.position[k], now.velocity[k]] = cubic(POSITION + k, VELOCITY + k);
        if (this.swing) {
            const c = Math.cos(this.swing * past), n = Math.sin(this.swing * past), { angle, rate } = now;
            now.angle = angle * c + (rate / this.swing) * n;
            now.rate = rate * c - angle * this.swing * n;
        }
        const from = now.spin, to = this.vec(f + 1, ball, SPIN);
        now.spin = from.map((w, k) => w + s * (to[k] - w)) as Vec;
        now.turn = follow(now.turn, from, now.spin, past);
        return now;
    }
}
