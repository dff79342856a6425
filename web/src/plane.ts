// SPDX-License-Identifier: Apache-2.0
// Curves in a plane, which may turn back: hodographs, impulses. (uPlot wants x to grow.)
import { css } from "./chart";
import { h } from "./ui";

export interface PlaneCurve {
    label: string;
    color: string; // a name of a CSS variable
    points: [number, number][];
    dash?: number[];
    width?: number;
    ends?: boolean; // a ring at the start, a disc at the end
}

/** Round values of an axis. */
function ticks(low: number, high: number, count: number): number[] {
    const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= raw) ?? raw;
    const found: number[] = [];
    for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step; value += step) found.push(Math.abs(value) < 1e-9 * step ? 0 : value);
    return found;
}

export class Plane {
    readonly element: HTMLElement;
    private canvas = h("canvas", { role: "img" });
    private legend = h("div", { class: "plane-legend" });
    private curves: PlaneCurve[] = [];
    private observer: ResizeObserver;

    constructor(private title: string, private x: string, private y: string, private height = 230) {
        this.element = h("figure", { class: "chart" }, h("figcaption", {}, title), this.canvas, this.legend);
        this.observer = new ResizeObserver(() => this.draw());
        this.observer.observe(this.element);
    }

    show(curves: PlaneCurve[]): void {
        this.curves = curves;
        this.canvas.setAttribute("aria-label", `${this.title}: ${curves.map((curve) => curve.label).join(", ")}`);
        this.legend.replaceChildren(...curves.filter((curve) => curve.label).map((curve) =>
            h("span", {}, h("i", { style: `background: var(${curve.color})` }), curve.label)));
        this.draw();
    }

    private bounds(): [number, number, number, number] {
        const points = this.curves.flatMap((curve) => curve.points);
        const side = (k: 0 | 1): [number, number] => {
            const values = [0, ...points.map((point) => point[k])];
            const low = Math.min(...values), high = Math.max(...values), pad = 0.08 * (high - low || 1);
            return [low - pad, high + pad];
        };
        return [...side(0), ...side(1)] as [number, number, number, number];
    }

    draw(): void {
        const width = this.element.clientWidth, ratio = Math.min(window.devicePixelRatio || 1, 2);
        if (width === 0 || this.curves.length === 0) return;
        this.canvas.style.width = "100%";
        this.canvas.style.height = `${this.height}px`;
        this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
        this.canvas.height = Math.round(this.height * ratio);
        const g = this.canvas.getContext("2d")!, [left, right, low, high] = this.bounds(), w = this.canvas.clientWidth;
        const box = { x: 52, y: 8, w: w - 62, h: this.height - 48 };
        const at = ([x, y]: [number, number]): [number, number] => [box.x + ((x - left) / (right - left)) * box.w, box.y + (1 - (y - low) / (high - low)) * box.h];
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.clearRect(0, 0, w, this.height);
        this.drawAxes(g, box, at, [left, right, low, high]);
        g.save();
        g.beginPath();
        g.rect(box.x, box.y, box.w, box.h);
        g.clip();
        for (const curve of this.curves) this.drawCurve(g, curve, at);
        g.restore();
    }

    private drawAxes(g: CanvasRenderingContext2D, box: { x: number; y: number; w: number; h: number }, at: (p: [number, number]) => [number, number], [left, right, low, high]: number[]): void {
        const text = (value: number): string => String(Number(value.toPrecision(3))).replace("-", "−");
        g.font = "12px system-ui, sans-serif";
        g.fillStyle = css("--ink-soft");
        g.lineWidth = 1;
        const line = (from: [number, number], to: [number, number], strong: boolean): void => {
            g.strokeStyle = css(strong ? "--ink-faint" : "--line");
            g.beginPath();
            g.moveTo(...from);
            g.lineTo(...to);
            g.stroke();
        };
        g.textAlign = "center";
        for (const value of ticks(left, right, Math.max(3, box.w / 80))) {
            line(at([value, low]), at([value, high]), value === 0);
            g.fillText(text(value), at([value, low])[0], box.y + box.h + 15);
        }
        g.fillText(this.x, box.x + box.w / 2, box.y + box.h + 33);
        g.textAlign = "right";
        for (const value of ticks(low, high, 5)) {
            line(at([left, value]), at([right, value]), value === 0);
            g.fillText(text(value), box.x - 6, at([left, value])[1] + 4);
        }
        g.save();
        g.translate(11, box.y + box.h / 2);
        g.rotate(-Math.PI / 2);
        g.textAlign = "center";
        g.fillText(this.y, 0, 0);
        g.restore();
    }

    private drawCurve(g: CanvasRenderingContext2D, curve: PlaneCurve, at: (p: [number, number]) => [number, number]): void {
        if (curve.points.length === 0) return;
        const color = css(curve.color);
        g.strokeStyle = color;
        g.lineWidth = curve.width ?? 2;
        g.setLineDash(curve.dash ?? []);
        g.beginPath();
        curve.points.forEach((point, i) => (i ? g.lineTo(...at(point)) : g.moveTo(...at(point))));
        g.stroke();
        g.setLineDash([]);
        if (!curve.ends) return;
        for (const [point, full] of [[curve.points[0], false], [curve.points[curve.points.length - 1], true]] as const) {
            g.beginPath();
            g.arc(...at(point), 4.5, 0, 7);
            g.fillStyle = full ? color : css("--paper");
            g.fill();
            g.stroke();
        }
    }

    destroy(): void { this.observer.disconnect(); }
}
