// SPDX-License-Identifier: Apache-2.0
// Balls as they look from above: every pixel asks which point of the turned ball it sees. No WebGL, so
// that it looks the same everywhere; sixteen balls take about a millisecond.
import type { Quat } from "./motion";

type Rgb = [number, number, number];

export interface Skin {
    color: Rgb;
    pattern: "solid" | "stripe" | "dots" | "metal" | "halves" | "seam";
    label: string; // in white circles at two opposite places
    second?: Rgb; // of dots and halves
}

const IVORY: Rgb = [246, 241, 226];
const POOL: Rgb[] = [[242, 183, 25], [28, 69, 160], [205, 38, 36], [88, 44, 128], [237, 110, 32], [18, 116, 66], [122, 26, 36], [24, 24, 27]];

/** The usual colours of pool balls; the others by their names. */
export function skinOf(name: string): Skin {
    const number = /^\d+$/.test(name) ? Number(name) : 0;
    if (number >= 1 && number <= 8) return { color: POOL[number - 1], pattern: "solid", label: name };
    if (number >= 9 && number <= 15) return { color: POOL[number - 9], pattern: "stripe", label: name };
    if (name === "cue") return { color: IVORY, pattern: "dots", label: "", second: [190, 40, 45] };
    const named: [RegExp, Rgb][] = [[/red/, [190, 24, 34]], [/yellow/, [240, 200, 40]], [/green/, [20, 120, 70]], [/brown/, [110, 66, 34]],
        [/blue/, [30, 80, 180]], [/pink/, [240, 130, 160]], [/black/, [28, 28, 32]], [/blocker/, [70, 80, 95]], [/target/, [240, 200, 40]]];
    const found = named.find(([pattern]) => pattern.test(name));
    return { color: found ? found[1] : [120, 130, 150], pattern: "dots", label: "", second: found ? brighter(found[1]) : IVORY };
}

function brighter(color: Rgb): Rgb {
    return color.map((part) => Math.min(255, part + (255 - part) * 0.55)) as Rgb;
}

/** For lines on dark cloth: no darker than the cloth itself. */
export function pathColor(color: Rgb): string {
    const light = 0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2], lift = Math.max(0, (190 - light) / 255);
    return cssColor(color.map((part) => Math.round(part + (255 - part) * lift)) as Rgb);
}

export const cssColor = (color: Rgb): string => `rgb(${color.join(" ")})`;

// ---- Labels ----------------------------------------------------------------------------------

const LABEL = 64;
const labels = new Map<string, Uint8ClampedArray>();

/** How much ink there is at each of 64 x 64 points. */
function inkOf(label: string): Uint8ClampedArray {
    let ink = labels.get(label);
    if (!ink) {
        const canvas = document.createElement("canvas");
        canvas.width = canvas.height = LABEL;
        const g = canvas.getContext("2d", { willReadFrequently: true })!;
        g.font = `bold ${label.length > 1 ? 40 : 50}px Arial, "Liberation Sans", "DejaVu Sans", sans-serif`;
        g.textAlign = "center";
        g.textBaseline = "middle";
        g.fillText(label, LABEL / 2, LABEL / 2 + 3);
        if (label === "6" || label === "9") g.fillRect(20, 54, 24, 4);
        const pixels = g.getImageData(0, 0, LABEL, LABEL).data;
        ink = new Uint8ClampedArray(LABEL * LABEL);
        for (let i = 0; i < ink.length; i++) ink[i] = pixels[4 * i + 3];
        labels.set(label, ink);
    }
    return ink;
}

// ---- The lit ball ----------------------------------------------------------------------------

interface Grid {
    size: number; // of the square [px]
    count: number;
    pixel: Uint32Array; // which pixel a sample belongs to
    nx: Float32Array;
    ny: Float32Array;
    nz: Float32Array;
    shade: Float32Array;
    shine: Float32Array;
    weight: number; // of one sample in its pixel
    canvas: HTMLCanvasElement;
    g: CanvasRenderingContext2D;
    image: ImageData;
    sum: Float32Array;
}

const grids = new Map<number, Grid>();
const LIGHT = [-0.42, 0.52, 0.744];

function makeGrid(radius: number): Grid {
    const per = radius < 7 ? 3 : radius < 90 ? 2 : 1; // samples of a pixel each way
    const size = 2 * Math.ceil(radius) + 2, middle = size / 2;
    const found: number[][] = [];
    for (let i = 0; i < size * per; i++) {
        for (let j = 0; j < size * per; j++) {
            const x = ((i + 0.5) / per - middle) / radius, y = -((j + 0.5) / per - middle) / radius;
            const rest = 1 - x * x - y * y;
            if (rest <= 0) continue;
            const z = Math.sqrt(rest);
            const lit = Math.max(0, x * LIGHT[0] + y * LIGHT[1] + z * LIGHT[2]);
            const [hx, hy, hz] = [LIGHT[0], LIGHT[1], LIGHT[2] + 1].map((part) => part / Math.hypot(LIGHT[0], LIGHT[1], LIGHT[2] + 1));
            const half = Math.max(0, x * hx + y * hy + z * hz);
            const shade = (0.42 + 0.68 * lit) * (0.74 + 0.26 * Math.sqrt(z));
            found.push([Math.floor(j / per) * size + Math.floor(i / per), x, y, z, shade, 215 * half ** 70 + 26 * half ** 8]);
        }
    }
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    const g = canvas.getContext("2d")!;
    const column = (k: number): Float32Array => Float32Array.from(found, (row) => row[k]);
    return {
        size, count: found.length, pixel: Uint32Array.from(found, (row) => row[0]), nx: column(1), ny: column(2), nz: column(3),
        shade: column(4), shine: column(5), weight: 1 / (per * per), canvas, g, image: g.createImageData(size, size), sum: new Float32Array(size * size * 4),
    };
}

/** Which way the screen lies in the world: its right and its up. */
export interface Facing {
    right: [number, number, number];
    up: [number, number, number];
}
export const FROM_ABOVE: Facing = { right: [1, 0, 0], up: [0, 1, 0] };

/** Rows: from the frame of the screen to that of the ball. */
function toBall(q: Quat, facing: Facing): number[] {
    const [w, x, y, z] = q;
    const m = [ // world to ball: the transpose of ball to world
        1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
        2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
        2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
    const { right: r, up: u } = facing;
    const out = [r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]]; // towards the eye
    const column = (v: number[], row: number): number => m[3 * row] * v[0] + m[3 * row + 1] * v[1] + m[3 * row + 2] * v[2];
    return [0, 1, 2].flatMap((row) => [column(r, row), column(u, row), column(out, row)]);
}

const DISC = 0.47; // radius of the white circles, in radii of the ball

function paint(grid: Grid, skin: Skin, m: number[]): void {
    const { sum, weight } = grid;
    const ink = skin.label ? inkOf(skin.label) : null;
    const [cr, cg, cb] = skin.color, [sr, sg, sb] = skin.second ?? IVORY;
    sum.fill(0);
    for (let i = 0; i < grid.count; i++) {
        const a = grid.nx[i], b = grid.ny[i], c = grid.nz[i];
        const x = m[0] * a + m[1] * b + m[2] * c, y = m[3] * a + m[4] * b + m[5] * c, z = m[6] * a + m[7] * b + m[8] * c;
        let red = cr, green = cg, blue = cb;
        if (ink && x * x + y * y < DISC * DISC) {
            const u = Math.floor((((z > 0 ? x : -x) / DISC) * 0.5 + 0.5) * LABEL), v = Math.floor((0.5 - (y / DISC) * 0.5) * LABEL);
            const dark = 1 - ink[v * LABEL + u] / 255;
            red = IVORY[0] * dark; green = IVORY[1] * dark; blue = IVORY[2] * dark;
        } else if (skin.pattern === "stripe" && Math.abs(y) > 0.58) {
            [red, green, blue] = IVORY;
        } else if (skin.pattern === "dots" && Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) > 0.955) {
            red = sr; green = sg; blue = sb;
        } else if (skin.pattern === "halves" && x * z < 0) {
            red = sr; green = sg; blue = sb;
        }
        else if (skin.pattern === "seam" && Math.abs(y * y - 0.5 * (x * z + 0.62)) < 0.075) {
            red = sr; green = sg; blue = sb;
        }
        const at = 4 * grid.pixel[i], shade = grid.shade[i], shine = grid.shine[i];
        sum[at] += red * shade + shine;
        sum[at + 1] += green * shade + shine;
        sum[at + 2] += blue * shade + shine;
        sum[at + 3] += 1;
    }
    const pixels = grid.image.data;
    for (let at = 0; at < sum.length; at += 4) {
        const n = sum[at + 3];
        if (n > 0) {
            pixels[at] = sum[at] / n; pixels[at + 1] = sum[at + 1] / n; pixels[at + 2] = sum[at + 2] / n;
        }
        pixels[at + 3] = 255 * n * weight;
    }
}

/** The last picture of a ball: one that does not turn is not painted again. */
export interface Sprite {
    canvas: HTMLCanvasElement;
    key: string;
}
export const newSprite = (): Sprite => ({ canvas: document.createElement("canvas"), key: "" });

/** Draw a ball; all lengths in pixels of the canvas. */
export function drawBall(g: CanvasRenderingContext2D, skin: Skin, x: number, y: number, radius: number, turn: Quat, facing = FROM_ABOVE, sprite?: Sprite): void {
    const size = Math.max(2, Math.round(radius * 4) / 4);
    let grid = grids.get(size);
    if (!grid) {
        if (grids.size > 40) grids.clear();
        grids.set(size, (grid = makeGrid(size)));
    }
    const m = toBall(turn, facing), key = `${size} ${skin.label} ${m.map((part) => part.toFixed(3)).join(" ")}`;
    let picture = grid.canvas;
    if (!sprite || sprite.key !== key) paint(grid, skin, m);
    if (sprite) {
        if (sprite.key !== key) {
            if (sprite.canvas.width !== grid.size) sprite.canvas.width = sprite.canvas.height = grid.size;
            sprite.canvas.getContext("2d")!.putImageData(grid.image, 0, 0);
            sprite.key = key;
        }
        picture = sprite.canvas;
    } else {
        grid.g.putImageData(grid.image, 0, 0);
    }
    const side = (grid.size * radius) / size;
    g.drawImage(picture, x - side / 2, y - side / 2, side, side);
}
