// SPDX-License-Identifier: Apache-2.0
// Building blocks of the pages: elements, and controls that are bound to a state.
import { decodeQuery, encodeLink, type Fields, type Value } from "./link";

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: any) => void) | undefined>;

/** An element; attributes that start with "on" are listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(key.slice(2), value);
        else if (value === true) element.setAttribute(key, "");
        else if (value !== undefined && value !== false) element.setAttribute(key, String(value));
    }
    for (const child of children) if (child) element.append(child);
    return element;
}

let lastId = 0;
export const freshId = (): string => `c${++lastId}`;

/** Digits for people: `digits` significant ones, no zeros at the end, a real minus sign. */
export function show(value: number, digits = 4): string {
    if (!Number.isFinite(value)) return "–";
    const text = Math.abs(value) < 1e-12 ? "0" : String(Number(value.toPrecision(digits)));
    return text.replace("-", "−");
}

export function button(label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
    return h("button", { type: "button", onclick: click, ...attributes }, label);
}

/** A heading that folds what belongs to it. */
export function fold(title: string, open: boolean, ...children: Child[]): HTMLDetailsElement {
    return h("details", { class: "fold", open }, h("summary", {}, title), ...children);
}

export function texts(see: string, why: string, attempt: string[]): HTMLElement {
    return h("section", { class: "texts", "aria-label": "Explanation" },
        h("div", {}, h("h2", {}, "What you see"), h("p", {}, see)),
        h("div", {}, h("h2", {}, "Why"), h("p", {}, why)),
        h("div", {}, h("h2", {}, "Try"), h("ul", {}, ...attempt.map((line) => h("li", {}, line)))));
}

// ---- State -----------------------------------------------------------------------------------

/** The state of a page and the controls that show it. */
export class Form<T extends Fields> {
    state: T;
    private refreshers: (() => void)[] = [];
    constructor(readonly page: string, query: string, readonly defaults: T, private changed: (keys: string[]) => void) {
        this.state = decodeQuery(query, defaults).state;
    }

    bind(refresh: () => void): void {
        this.refreshers.push(refresh);
        refresh();
    }

    set(patch: Partial<T>): void {
        Object.assign(this.state, patch);
        for (const refresh of this.refreshers) refresh();
        this.changed(Object.keys(patch));
    }

    put(key: keyof T, value: Value): void { this.set({ [key]: value } as Partial<T>); }
    link(): string { return encodeLink(this.page, this.state, this.defaults); }
}

export interface SliderOptions {
    label: string;
    min: number;
    max: number;
    step: number;
    unit?: string;
    help?: string;
}

/** A slider with its number, which can be typed as well. A number of a link may be off the steps. */
export function slider<T extends Fields>(form: Form<T>, key: keyof T & string, options: SliderOptions): HTMLElement {
    const id = freshId();
    const { min, max, step } = options;
    const start = form.state[key] as number; // a link may hold anything
    form.state[key] = Math.min(max, Math.max(min, step === 1 ? Math.round(start) : start)) as T[keyof T & string];
    const take = (input: HTMLInputElement): void => {
        const value = Number(input.value);
        if (input.value !== "" && Number.isFinite(value)) form.put(key, Math.min(max, Math.max(min, value)));
    };
    const range = h("input", { type: "range", id, min, max, step, name: key, "data-slider": key, oninput: (event) => take(event.target) });
    const number = h("input", {
        type: "number", min, max, step: "any", "aria-label": `${options.label}, as a number`,
        onchange: (event) => { take(event.target); event.target.value = String(form.state[key]); },
    });
    form.bind(() => {
        const value = form.state[key] as number;
        range.value = String(value);
        range.style.setProperty("--share", `${(100 * (value - min)) / (max - min)}%`);
        range.setAttribute("aria-valuetext", `${show(value)} ${options.unit ?? ""}`);
        if (document.activeElement !== number) number.value = String(Number(value.toPrecision(6)));
    });
    const label = h("label", { for: id }, options.label);
    if (options.help) label.title = options.help;
    return h("div", { class: "control" }, label, number, h("span", { class: "unit" }, options.unit ?? ""), range);
}

export function choice<T extends Fields>(form: Form<T>, key: keyof T & string, label: string, options: [string, string][]): HTMLElement {
    const id = freshId();
    if (!options.some(([value]) => value === form.state[key])) form.state[key] = form.defaults[key];
    const select = h("select", { id, name: key, onchange: (event) => form.put(key, event.target.value) },
        ...options.map(([value, text]) => h("option", { value }, text)));
    form.bind(() => { select.value = String(form.state[key]); });
    return h("div", { class: "control choice" }, h("label", { for: id }, label), select);
}

export function toggle<T extends Fields>(form: Form<T>, key: keyof T & string, label: string): HTMLElement {
    const box = h("input", { type: "checkbox", name: key, onchange: (event) => form.put(key, event.target.checked) });
    form.bind(() => { box.checked = form.state[key] as boolean; });
    return h("label", { class: "control toggle" }, box, h("span", {}, label));
}

// ---- Saving ----------------------------------------------------------------------------------

export function saveFile(name: string, content: Blob): void {
    const url = URL.createObjectURL(content);
    h("a", { href: url, download: name }).click();
    window.setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveCanvas(name: string, canvas: HTMLCanvasElement): void {
    canvas.toBlob((blob) => { if (blob) saveFile(name, blob); }, "image/png");
}

export function savePicture(name: string, svg: string): void {
    saveFile(name, new Blob([svg], { type: "image/svg+xml" }));
}

/** An SVG picture as PNG, twice its size. */
export function savePng(name: string, svg: string): void {
    const image = new Image();
    image.onload = () => {
        const canvas = h("canvas", { width: image.width * 2, height: image.height * 2 });
        canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
        saveCanvas(name, canvas);
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}
