// SPDX-License-Identifier: Apache-2.0
// Where the tip hits the ball: a picture of the ball as the player sees it.
import { h, show, type Form } from "./ui";
import type { Fields } from "./link";

const LIMIT = 0.6; // farthest offset that can be chosen, in radii
const MISCUE = 0.51; // docs/billiards.md, for the default tip

function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
}

/** Drag, or arrows when it has the focus. */
export function tipControl<T extends Fields & { side: number; height: number }>(form: Form<T>): HTMLElement {
    const dot = svg("circle", { r: 9, class: "tip-dot" });
    const picture = svg("svg", { viewBox: "-60 -60 120 120", class: "tip", tabindex: 0, role: "application" });
    picture.append(
        svg("circle", { r: 56, class: "tip-ball" }),
        svg("circle", { r: 56 * MISCUE, class: "tip-limit" }),
        svg("path", { d: "M-56 0H56M0-56V56", class: "tip-cross" }), dot);

    const put = (side: number, height: number): void => {
        const size = Math.hypot(side, height), shrink = size > LIMIT ? LIMIT / size : 1;
        const round = (value: number): number => Math.round(value * shrink * 100) / 100;
        form.set({ side: round(side), height: round(height) } as Partial<T>);
    };
    const follow = (event: PointerEvent): void => {
        const box = picture.getBoundingClientRect();
        put(((event.clientX - box.left) / box.width - 0.5) * (120 / 56), (0.5 - (event.clientY - box.top) / box.height) * (120 / 56));
    };
    picture.addEventListener("pointerdown", (event) => {
        picture.setPointerCapture((event as PointerEvent).pointerId);
        follow(event as PointerEvent);
    });
    picture.addEventListener("pointermove", (event) => { if ((event as PointerEvent).buttons) follow(event as PointerEvent); });
    picture.addEventListener("dblclick", () => put(0, 0));
    picture.addEventListener("keydown", (event) => {
        const moves: Record<string, [number, number]> = { ArrowLeft: [-0.02, 0], ArrowRight: [0.02, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02], Home: [0, 0] };
        const move = moves[(event as KeyboardEvent).key];
        if (!move) return;
        event.preventDefault();
        if ((event as KeyboardEvent).key === "Home") put(0, 0);
        else put(form.state.side + move[0], form.state.height + move[1]);
    });
    const words = h("span", { class: "tip-words" });
    form.bind(() => {
        const { side, height } = form.state;
        dot.setAttribute("cx", String(56 * side));
        dot.setAttribute("cy", String(-56 * height));
        const far = Math.hypot(side, height) > MISCUE;
        dot.classList.toggle("far", far);
        const parts = [height > 0 ? `${show(height, 2)} up (follow)` : height < 0 ? `${show(-height, 2)} down (draw)` : "", side > 0 ? `${show(side, 2)} right` : side < 0 ? `${show(-side, 2)} left` : ""];
        words.textContent = (parts.filter(Boolean).join(", ") || "the middle") + (far ? ": may miscue" : "");
        picture.setAttribute("aria-label", `Where the tip hits the ball: ${words.textContent}. Arrows move it, Home is the middle.`);
    });
    return h("div", { class: "tip-box" }, h("span", { class: "caption" }, "Tip on the ball"), picture as unknown as HTMLElement, words);
}
