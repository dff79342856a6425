// SPDX-License-Identifier: Apache-2.0
// The frame: pages, address, theme, link, footer.
import "./style.css";
import { Client } from "./client";
import { LINK_VERSION, parseLink } from "./link";
import type { Frame, Mounted, Page } from "./page";
import { billiards } from "./billiards";
import { bounce } from "./bounce";
import { cradle } from "./cradle";
import { viewer } from "./viewer";
import { h } from "./ui";

declare const CAROM_VERSION: string;

const pages: Page[] = [billiards, cradle, bounce, viewer];
const byId = (id: string): HTMLElement => document.getElementById(id)!;
const client = new Client();
let mounted: Mounted | null = null;
let current = "";
let written = "";

// ---- What pages may ask of the frame ---------------------------------------------------------

let toastTimer = 0;
function toast(text: string): void {
    const element = byId("toast");
    element.textContent = text;
    element.hidden = false;
    window.clearTimeout(toastTimer);
    toastTimer = window.setTimeout(() => { element.hidden = true; }, 4000);
}

function isDark(): boolean {
    const theme = document.documentElement.dataset.theme;
    return theme ? theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

let linkTimer = 0;
const frame: Frame = {
    client, toast, isDark,
    announce(text) { byId("live").textContent = text; },
    changed() { // browsers allow only some changes of the address in a second
        window.clearTimeout(linkTimer);
        linkTimer = window.setTimeout(writeAddress, 250);
    },
};

function writeAddress(): void {
    if (!mounted) return;
    written = mounted.link();
    try { history.replaceState(null, "", written); } catch { location.hash = written; }
}

// ---- Pages -----------------------------------------------------------------------------------

function mount(): void {
    if (location.hash && location.hash === written && mounted) return; // our own change
    const link = parseLink(location.hash);
    if (link && link.version > LINK_VERSION) toast("This link was made by a newer playground; some of it may be missing.");
    else if (!link && location.hash.length > 1 && location.hash !== "#page") toast("This link could not be read; here is the start.");
    else if (location.hash === "#page") { byId("page").focus(); return; }
    const page = pages.find((entry) => entry.name === link?.page) ?? pages[0];
    window.clearTimeout(linkTimer);
    mounted?.unmount();
    const root = byId("page");
    root.replaceChildren();
    current = page.name;
    document.title = `${page.title} – Carom playground`;
    for (const anchor of byId("nav").querySelectorAll("a")) {
        if (anchor.dataset.page === page.name) anchor.setAttribute("aria-current", "page");
        else anchor.removeAttribute("aria-current");
    }
    mounted = page.mount(root, page.name === link?.page ? link.query : "", frame);
    written = location.hash;
}

// ---- Buttons ---------------------------------------------------------------------------------

async function share(): Promise<void> {
    writeAddress();
    const url = location.href.split("#")[0] + mounted!.link();
    try {
        await navigator.clipboard.writeText(url);
        toast("The link is copied. It holds everything on this page.");
    } catch {
        toast("The link is in the address bar of the browser.");
    }
}

function switchTheme(): void {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("theme", theme); } catch { /* no storage in a folder */ }
    mounted?.themed();
}

byId("nav").append(...pages.map((page) => h("a", { href: `#${LINK_VERSION}/${page.name}`, "data-page": page.name }, page.title)));
byId("share").addEventListener("click", () => void share());
byId("theme").addEventListener("click", switchTheme);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => mounted?.themed());
window.addEventListener("hashchange", mount);
/** One hash over the results of all built-in scenes: the same in every browser and from the command. */
async function checkDigits(check: HTMLButtonElement, told: HTMLElement): Promise<string> {
    const names = Object.keys(CAROM.scenes);
    check.disabled = true;
    for (const [i, name] of names.entries()) {
        told.textContent = `${i + 1} of ${names.length}: ${name}`;
        const hash = { name, first: i === 0, last: i === names.length - 1 };
        const answer = await client.ask("hash", { text: CAROM.scenes[name], samples: 0, want: [], hash });
        if (!answer || answer.fault) {
            told.textContent = `${name}: ${answer?.fault ?? "was left out"}`;
            break;
        }
        if (answer.digest) told.textContent = `${answer.digest}  ${names.length} scenes`;
    }
    check.disabled = false;
    return told.textContent ?? "";
}

const told = h("code", { class: "digest", "aria-live": "polite" });
const check = h("button", { type: "button", class: "link", title: "Solve all built-in scenes; the command carom version --hash prints the same" }, "Same digits?");
check.addEventListener("click", () => void checkDigits(check, told));
byId("foot").append(h("span", {}, `Carom ${CAROM_VERSION}. Everything is computed in this page; nothing is sent anywhere.`), check, told);
mount();
void client.whenReady().then(() => { document.documentElement.dataset.ready = String(Math.round(performance.now())); });

// For scripts and tests.
Object.assign(globalThis, {
    caromPage: {
        client,
        get name() { return current; },
        get link() { return mounted!.link(); },
        probe: () => mounted!.probe(),
        digest: () => checkDigits(check, told),
        solve: (text: string, samples = 0) => client.ask("script", { text, samples, want: ["json", "report"] }),
    },
});
