// SPDX-License-Identifier: Apache-2.0
// Billiard set-ups. Places are computed with + - * / and square roots only, so that every browser
// builds the same scene to the last digit.
import type { Places } from "./link";

export interface TableSize {
    length: number;
    width: number;
    radius: number; // of the balls
    mass: number;
}

/** As src/billiards/table.c has them. */
export const TABLES: Record<string, TableSize> = {
    pool: { length: 2.54, width: 1.27, radius: 0.028575, mass: 0.17 },
    snooker: { length: 3.569, width: 1.778, radius: 0.02625, mass: 0.142 },
    carom: { length: 2.84, width: 1.42, radius: 0.03075, mass: 0.21 },
};

export interface Shot {
    speed: number;
    aim: number;
    elevation: number;
    side: number;
    height: number;
}

export interface Setup {
    title: string;
    table: "pool" | "snooker" | "carom";
    shot: Shot;
    places(gap: number, seed: number): Places;
}

/** Numbers in [0, 1) from a seed: an xorshift of 32 bits. */
function randomOf(seed: number): () => number {
    let state = (Math.imul(seed, 2654435761) ^ 0x9e3779b9) >>> 0 || 1;
    return () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        state >>>= 0;
        return state / 4294967296;
    };
}

/** Rows of balls from the apex on, with gaps of up to twice `gap` [m]. */
function rack(rows: string[][], apex: [number, number], radius: number, gap: number, seed: number): Places {
    const places: Places = {}, random = randomOf(seed), d = 2 * radius + gap;
    rows.forEach((row, i) => row.forEach((name, j) => {
        let x = 0, y = 0;
        do { x = random() - 0.5; y = random() - 0.5; } while (x * x + y * y > 0.25);
        places[name] = [apex[0] + d * i * Math.sqrt(0.75) + gap * x, apex[1] + d * (j - 0.5 * (row.length - 1)) + gap * y];
    }));
    return places;
}

const NINE = [["1"], ["2", "3"], ["4", "9", "5"], ["6", "7"], ["8"]];
const EIGHT = [["1"], ["9", "2"], ["3", "8", "10"], ["11", "7", "14", "4"], ["5", "13", "15", "6", "12"]];

function reds(): string[][] {
    let n = 0;
    return [1, 2, 3, 4, 5].map((count) => Array.from({ length: count }, () => `red ${++n}`));
}

function snooker(gap: number, seed: number): Places {
    const { length, width, radius } = TABLES.snooker;
    const pink = 0.75 * length, y = width / 2;
    return {
        cue: [0.62, 0.72],
        yellow: [0.737, y - 0.292], green: [0.737, y + 0.292], brown: [0.737, y], blue: [length / 2, y], pink: [pink, y],
        black: [length - 0.324, y],
        ...rack(reds(), [pink + 2 * radius + 0.002, y], radius, gap, seed),
    };
}

export const SETUPS: Record<string, Setup> = {
    nine: {
        title: "Nine-ball break", table: "pool",
        shot: { speed: 8, aim: 5.91, elevation: 3, side: 0, height: 0 },
        places: (gap, seed) => ({ cue: [0.6, 0.5], ...rack(NINE, [1.905, 0.635], 0.028575, gap, seed) }),
    },
    eight: {
        title: "Eight-ball break", table: "pool",
        shot: { speed: 9, aim: 3.77, elevation: 3, side: 0, height: 0.1 },
        places: (gap, seed) => ({ cue: [0.6, 0.549], ...rack(EIGHT, [1.905, 0.635], 0.028575, gap, seed) }),
    },
    draw: {
        title: "Draw: the cue ball comes back", table: "pool",
        shot: { speed: 3, aim: 0, elevation: 4, side: 0, height: -0.42 },
        places: () => ({ cue: [0.8, 0.635], 1: [1.5, 0.635], 9: [2.2, 0.4] }),
    },
    cut: {
        title: "A cut into the corner", table: "pool",
        shot: { speed: 2, aim: 21.81, elevation: 2, side: 0, height: 0 },
        places: () => ({ cue: [1.27, 0.535], 1: [1.9, 0.8], 8: [0.5, 0.9] }),
    },
    masse: {
        title: "Massé: around a ball", table: "pool",
        shot: { speed: 1.5, aim: 47, elevation: 68, side: 0.4, height: -0.3 },
        places: () => ({ cue: [0.6, 0.6], 8: [1.12, 0.58], 2: [1.95, 0.37] }),
    },
    jump: {
        title: "Jump: over a ball", table: "pool",
        shot: { speed: 4, aim: 0, elevation: 35, side: 0, height: 0 },
        places: () => ({ cue: [0.6, 0.635], 8: [0.9, 0.635], 3: [1.95, 0.635] }),
    },
    three: {
        title: "Carom: three cushions", table: "carom",
        shot: { speed: 4, aim: -4.96, elevation: 0, side: 0.2, height: 0.2 },
        places: () => ({ cue: [0.6, 0.45], red: [2.2, 0.3], yellow: [0.35, 0.9] }),
    },
    snooker: {
        title: "Snooker: into the reds", table: "snooker",
        shot: { speed: 6, aim: 3, elevation: 2, side: 0, height: 0 },
        places: snooker,
    },
};
