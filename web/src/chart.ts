// SPDX-License-Identifier: Apache-2.0
// Curves by uPlot in the colours of the page.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "./ui";

export interface Curve {
    label: string;
    color: string; // a name of a CSS variable, such as --c1
    dash?: number[];
    points?: boolean; // marks only
    width?: number;
}

export interface ChartOptions {
    title: string;
    x: string;
    y: string;
    height?: number;
    range?: (data: uPlot.AlignedData) => { x?: [number, number]; y?: [number, number] };
}

export const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A chart that can be given other curves and numbers at any time. */
export class Chart {
    readonly element: HTMLElement;
    private plot: uPlot | null = null;
    private curves: Curve[] = [];
    private data: uPlot.AlignedData = [[]];
    private observer: ResizeObserver;
    private box: HTMLElement;

    constructor(private options: ChartOptions) {
        this.box = h("div", { class: "plot" });
        this.element = h("figure", { class: "chart" }, h("figcaption", {}, options.title), this.box);
        this.observer = new ResizeObserver(() => {
            const width = this.box.clientWidth;
            if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: this.height() });
            else if (!this.plot && width > 0) this.make();
        });
        this.observer.observe(this.box);
    }

    private height(): number { return this.options.height ?? 220; }

    show(curves: Curve[], data: (number | null)[][]): void {
        const same = curves.length === this.curves.length && curves.every((curve, i) => curve.label === this.curves[i].label);
        this.curves = curves;
        this.data = data as uPlot.AlignedData;
        if (this.plot && same) this.plot.setData(this.data);
        else this.make();
    }

    private marked = 0;
    /** Put the cursor at an x; the legend tells the values there. At most ten times a second. */
    mark(x: number): void {
        const now = performance.now();
        if (!this.plot || now - this.marked < 100) return;
        this.marked = now;
        this.plot.setCursor({ left: this.plot.valToPos(x, "x"), top: 1 });
    }

    themed(): void { this.make(); }

    private make(): void {
        this.plot?.destroy();
        this.plot = null;
        if (this.curves.length === 0 || this.box.clientWidth === 0) return;
        const ink = css("--ink-soft"), line = css("--line"), font = "12px system-ui, sans-serif";
        const axis = { stroke: ink, font, labelFont: font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, labelSize: 18, labelGap: 0 };
        const range = this.options.range;
        this.plot = new uPlot({
            width: this.box.clientWidth,
            height: this.height(),
            pxAlign: false,
            scales: {
                x: { time: false, range: range ? (u, low, high) => range(u.data).x ?? [low, high] : undefined },
                y: range ? { range: (u, low, high) => range(u.data).y ?? uPlot.rangeNum(low, high, 0.1, true) } : {},
            },
            cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
            legend: { live: true },
            axes: [{ ...axis, label: this.options.x, size: 30 }, { ...axis, label: this.options.y, size: 46 }],
            series: [{ label: this.options.x }, ...this.curves.map((curve) => ({
                label: curve.label,
                stroke: css(curve.color),
                width: curve.points ? 0 : curve.width ?? 1.8,
                dash: curve.dash,
                spanGaps: true,
                paths: curve.points ? () => null : undefined,
                points: curve.points ? { show: true, size: 7, fill: css(curve.color) } : { show: false },
                value: (_: uPlot, value: number | null) => (value === null ? "–" : String(Number(value.toPrecision(4)))),
            }))],
        }, this.data, this.box);
    }

    destroy(): void {
        this.observer.disconnect();
        this.plot?.destroy();
    }
}

/** A chart whose curves are points (x, y) in the plane, each with its own x. */
export function planeData(curves: [number, number][][]): (number | null)[][] {
    const rows = curves.flatMap((curve, k) => curve.map(([x, y]) => ({ x, y, k }))).sort((a, b) => a.x - b.x);
    return [rows.map((row) => row.x), ...curves.map((_, k) => rows.map((row) => (row.k === k ? row.y : null)))];
}
