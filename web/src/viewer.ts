// SPDX-License-Identifier: Apache-2.0
// The page Impact viewer: any scene as JSON, its report, pictures, ledger and files.
import type { Fields } from "./link";
import { faultLines, mapJson, placeAt } from "./jsonmap";
import type { Frame, Mounted, Page } from "./page";
import type { Answer, Part } from "./protocol";
import { SchemaHelp, type Schema } from "./schema";
import { button, Form, h, saveFile, savePicture, savePng, show, texts, toggle } from "./ui";

interface State extends Fields {
    scene: string; // a built-in scene
    text: string; // of one's own; empty: the built-in one
    tab: string;
    plot: string;
    compare: boolean;
}

/** Version 1 of the links has these for ever. */
export const VIEWER_1: State = { scene: "ball-ball-table", text: "", tab: "report", plot: "", compare: false };

const SAMPLES = 64; // as `carom run --plot` takes
const TABS: [string, string][] = [["report", "Report"], ["pictures", "Pictures"], ["ledger", "Ledger"], ["json", "Result"], ["csv", "Path (CSV)"]];

function kindOf(text: string): string {
    return /"kind"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? "";
}

class ViewerPage implements Mounted {
    private form: Form<State>;
    private help = new SchemaHelp(CAROM.schema as Schema);
    private editor = h("textarea", { class: "editor", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "Scene as JSON", wrap: "off" });
    private gutter = h("div", { class: "gutter", "aria-hidden": "true" });
    private helpBox = h("div", { class: "help", "aria-live": "polite" });
    private fault = h("div", { class: "fault", role: "alert", hidden: true });
    private output = h("div", { class: "output", role: "tabpanel", tabindex: 0, id: "viewer-output" });
    private tabs = h("div", { class: "tabs", role: "tablist" });
    private timer = 0;
    private scene = "";
    private answer: Answer | null = null;
    private json = "";
    private svg = "";
    private lines: number[] = [];

    constructor(root: HTMLElement, query: string, private frame: Frame) {
        this.form = new Form("viewer", query, VIEWER_1, (keys) => this.changed(keys));
        root.append(h("h1", { class: "quiet" }, "Impact viewer"), h("div", { class: "columns even" }, this.left(), this.right()), this.words());
        this.editor.addEventListener("input", () => this.edited());
        this.editor.addEventListener("scroll", () => { this.gutter.scrollTop = this.editor.scrollTop; });
        for (const name of ["keyup", "click"]) this.editor.addEventListener(name, () => this.showHelp());
        this.editor.addEventListener("keydown", (event) => this.key(event));
        this.editor.value = this.text();
        this.number();
        this.showHelp();
        void this.solve();
    }

    private text(): string { return this.form.state.text || CAROM.scenes[this.form.state.scene] || CAROM.scenes["ball-ball-table"]; }

    // ---- Layout ------------------------------------------------------------------------------

    private left(): HTMLElement {
        const kinds = new Map<string, string[]>();
        for (const [name, text] of Object.entries(CAROM.scenes)) kinds.set(kindOf(text), [...(kinds.get(kindOf(text)) ?? []), name]);
        const select = h("select", { id: "scene-choice", onchange: (event) => this.form.set({ scene: event.target.value, text: "", plot: "" }) },
            ...[...kinds].map(([kind, names]) => h("optgroup", { label: kind }, ...names.map((name) => h("option", { value: name }, name)))));
        this.form.bind(() => { select.value = this.form.state.scene; });
        return h("div", { class: "main" },
            h("div", { class: "control choice" }, h("label", { for: "scene-choice" }, "Start from"), select),
            h("div", { class: "editor-box" }, this.gutter, this.editor), this.fault,
            h("div", { class: "row" }, button("Solve", () => void this.solve(), { class: "primary", title: "Ctrl+Enter" }),
                button("Tidy", () => this.tidy(), { title: "Indent the JSON anew" }),
                button("Save scene", () => saveFile("scene.json", new Blob([this.editor.value], { type: "application/json" })))), this.helpBox);
    }

    private right(): HTMLElement {
        this.tabs.append(...TABS.map(([key, title]) => h("button", { type: "button", role: "tab", "data-tab": key, "aria-controls": "viewer-output", onclick: () => this.form.set({ tab: key }) }, title)));
        this.tabs.addEventListener("keydown", (event) => {
            const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0, keys = TABS.map(([key]) => key);
            if (!step) return;
            const next = keys[(keys.indexOf(this.form.state.tab) + step + keys.length) % keys.length];
            this.form.set({ tab: next });
            this.tabs.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
        });
        this.form.bind(() => {
            for (const tab of this.tabs.querySelectorAll<HTMLElement>("button")) {
                const chosen = tab.dataset.tab === this.form.state.tab;
                tab.setAttribute("aria-selected", String(chosen));
                tab.tabIndex = chosen ? 0 : -1;
            }
        });
        return h("div", { class: "main" }, h("div", { class: "row between" }, this.tabs, toggle(this.form, "compare", "every model side by side")), this.output);
    }

    private words(): HTMLElement {
        return texts(
            "Left a scene, right what Carom makes of it: the same text, numbers and pictures as the command line gives, to the last digit.",
            "A scene says which bodies touch or move, and how their contacts push, rub and lose energy. The report tells the order of events. The ledger and the checks are computed independently of the method, so that you can trust a result without trusting us.",
            ["Change a restitution to 1.3 and read where the message points.",
                "Put the cursor on a word: below the editor stands what may be written there.",
                "“Every model side by side” for cradle-5: eight laws, five balls, and a measurement.",
                "Copy the link and send it: it holds your scene."]);
    }

    // ---- Editing -----------------------------------------------------------------------------

    private edited(): void {
        this.number();
        this.showHelp();
        window.clearTimeout(this.timer);
        this.timer = window.setTimeout(() => {
            const own = this.editor.value === CAROM.scenes[this.form.state.scene] ? "" : this.editor.value;
            this.form.set({ text: own });
        }, 350);
    }

    private key(event: KeyboardEvent): void {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void this.solve();
        }
    }

    private tidy(): void {
        try {
            this.editor.value = `${JSON.stringify(JSON.parse(this.editor.value), null, 2)}\n`;
            this.edited();
        } catch { this.frame.toast("This is no JSON yet."); }
    }

    private number(): void {
        const count = this.editor.value.split("\n").length;
        this.gutter.replaceChildren(...Array.from({ length: count }, (_, i) => h("span", { class: this.lines.includes(i + 1) ? "bad" : "" }, String(i + 1))));
        this.gutter.scrollTop = this.editor.scrollTop;
    }

    private showHelp(): void {
        const text = this.editor.value, place = placeAt(mapJson(text), this.editor.selectionStart), keys = place?.keys ?? [];
        const kind = kindOf(text), schemas = this.help.at(keys, kind), members = this.help.members(schemas);
        const name = place && keys.length ? place.path : `a scene of kind “${kind || "?"}”`;
        const words = this.help.words(schemas), description = this.help.description(schemas);
        this.helpBox.replaceChildren(h("strong", {}, name), words ? `: ${words}` : "", description ? h("p", {}, description) : "",
            members.length ? h("p", { class: "members" }, "May have ", ...members.flatMap((member) => {
                const said = this.help.words(this.help.at([...keys, member], kind));
                return [h("code", { title: said }, member), " "];
            })) : "");
    }

    // ---- Solving -----------------------------------------------------------------------------

    private changed(keys: string[]): void {
        this.frame.changed();
        if (keys.includes("scene")) {
            this.editor.value = this.text();
            this.editor.scrollTop = 0;
            this.lines = [];
            this.number();
            this.showHelp();
        }
        if (keys.length === 1 && (keys[0] === "tab" || keys[0] === "plot")) this.present();
        else void this.solve();
    }

    /** As the command does: samples only where something is drawn or traced. */
    private ask(samples: number, want: Part[], plot?: { name: string; dark: boolean }): Promise<Answer | null> {
        return this.frame.client.ask(samples ? "viewer-more" : "viewer", { text: this.editor.value, samples, compare: this.form.state.compare && kindOf(this.editor.value) === "impact", want, plot });
    }

    private async solve(): Promise<void> {
        const text = this.editor.value;
        this.output.classList.add("busy");
        const answer = await this.ask(0, ["json", "report"]);
        if (!answer) return;
        this.output.classList.remove("busy");
        this.scene = text;
        this.answer = answer;
        this.json = answer.json ?? "";
        this.fault.hidden = !answer.fault;
        this.lines = answer.fault ? faultLines(text, answer.fault) : [];
        this.fault.replaceChildren(...answer.fault.split("\n").filter(Boolean).map((line) => this.faultLine(text, line)));
        this.number();
        this.present();
    }

    private faultLine(text: string, message: string): HTMLElement {
        const line = faultLines(text, message)[0];
        return h("p", {}, line ? button(`line ${line}`, () => this.goTo(line), { class: "link" }) : "", line ? " " : "", message);
    }

    private goTo(line: number): void {
        const rows = this.editor.value.split("\n"), from = rows.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
        this.editor.focus();
        this.editor.setSelectionRange(from, from + (rows[line - 1] ?? "").length);
        this.editor.scrollTop = Math.max(0, (line - 5) * 19);
        this.showHelp();
    }

    // ---- Showing -----------------------------------------------------------------------------

    private present(): void {
        const answer = this.answer, tab = this.form.state.tab;
        if (!answer) return;
        if (answer.fault) { this.output.replaceChildren(h("p", { class: "hint" }, "No result: see the messages below the scene.")); return; }
        if (tab === "report") this.output.replaceChildren(h("pre", {}, answer.report ?? ""));
        else if (tab === "json") this.output.replaceChildren(this.saver("result.json", () => this.json), h("pre", {}, this.json.length > 200000 ? `${this.json.slice(0, 200000)}\n…` : this.json));
        else if (tab === "ledger") this.output.replaceChildren(this.ledger());
        else if (tab === "csv") void this.presentTrace();
        else void this.presentPicture();
    }

    private saver(name: string, content: () => string): HTMLElement {
        return h("div", { class: "row" }, button(`Save ${name}`, () => saveFile(name, new Blob([content()], { type: "text/plain" }))));
    }

    private async presentTrace(): Promise<void> {
        const answer = await this.ask(SAMPLES, ["trace"]);
        if (!answer || this.form.state.tab !== "csv") return;
        const text = answer.trace ?? "";
        this.output.replaceChildren(this.saver("path.csv", () => text), h("pre", {}, text ? (text.length > 100000 ? `${text.slice(0, 100000)}\n…` : text) : "Nothing to trace here."));
    }

    private async presentPicture(): Promise<void> {
        const offer = await this.ask(SAMPLES, ["plots"]);
        if (!offer || this.form.state.tab !== "pictures") return;
        const plots = offer.plots ?? [];
        if (plots.length === 0) { this.output.replaceChildren(h("p", { class: "hint" }, "No picture fits this result.")); return; }
        const name = plots.some(([plot]) => plot === this.form.state.plot) ? this.form.state.plot : plots[0][0];
        const answer = await this.ask(SAMPLES, [], { name, dark: this.frame.isDark() });
        if (!answer || this.form.state.tab !== "pictures") return;
        this.svg = answer.svg ?? "";
        const picture = h("img", { class: "picture", alt: plots.find(([plot]) => plot === name)?.[1] ?? name, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.svg)}` });
        const pick = h("div", { class: "control choice" }, h("label", { for: "plot-choice" }, "Picture"),
            h("select", { id: "plot-choice", onchange: (event) => this.form.set({ plot: event.target.value }) },
                ...plots.map(([plot, summary]) => h("option", { value: plot, selected: plot === name }, `${plot}: ${summary}`))));
        this.output.replaceChildren(pick, picture, h("div", { class: "row" }, button("Save SVG", () => savePicture(`${name}.svg`, this.svg)), button("Save PNG", () => savePng(`${name}.png`, this.svg))));
    }

    private ledger(): HTMLElement {
        const energy = (JSON.parse(this.json) as { energy?: Record<string, number> }).energy;
        if (!energy || typeof energy.before !== "number") return h("p", { class: "hint" }, "This kind of result has no ledger.");
        const whole = Math.max(energy.before, energy.after, 1e-300);
        const rows = Object.entries(energy).filter(([, value]) => typeof value === "number").map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name.replaceAll("_", " ")),
            h("td", { class: "number" }, `${show(value, 6)} J`), h("td", { class: "wide" }, h("span", { class: `share ${name}`, style: `width: ${Math.min(100, Math.abs((100 * value) / whole))}%` })), h("td", { class: "number" }, `${show((100 * value) / whole, 4)} %`)));
        return h("table", { class: "ledger-table" }, h("tbody", {}, ...rows));
    }

    // ---- The frame's side --------------------------------------------------------------------

    link(): string { return this.form.link(); }
    themed(): void { if (this.form.state.tab === "pictures") void this.presentPicture(); }
    probe(): ReturnType<Mounted["probe"]> { return { scene: this.scene, json: this.json, fault: this.answer?.fault ?? "", lines: this.lines, svg: this.svg }; }
    unmount(): void { window.clearTimeout(this.timer); }
}

export const viewer: Page = { name: "viewer", title: "Impact viewer", mount: (root, query, frame) => new ViewerPage(root, query, frame) };
