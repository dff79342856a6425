// SPDX-License-Identifier: Apache-2.0
// Where each value of a JSON text stands, by its path as the messages of Carom write it:
// contacts[0].restitution, bodies["a b"].mass. Goes as far as the text can be read.

export interface Place {
    path: string;
    keys: (string | number)[];
    from: number; // of the member's name, or of the value where it has none
    value: number; // where the value begins
    to: number;
}

export function pathText(keys: (string | number)[]): string {
    return keys.map((key, i) => {
        if (typeof key === "number") return `[${key}]`;
        if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `["${key}"]`;
        return i === 0 ? key : `.${key}`;
    }).join("");
}

export function mapJson(text: string): Place[] {
    const places: Place[] = [];
    let at = 0;
    const blank = (): void => { while (/[\s]/.test(text[at] ?? "x")) at++; };
    const string = (): string => {
        const from = at++;
        while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
        at++;
        try { return JSON.parse(text.slice(from, at)) as string; } catch { return text.slice(from + 1, at - 1); }
    };
    const list = (open: string, close: string, item: (index: number) => boolean): void => {
        if (text[at] !== open) return;
        at++;
        for (let i = 0; at < text.length; i++) {
            blank();
            if (text[at] === close) { at++; return; }
            if (!item(i)) return;
            blank();
            if (text[at] === ",") at++;
            else if (text[at] !== close) return;
        }
    };
    const value = (keys: (string | number)[], from: number): boolean => {
        if (keys.length > 200) return false;
        blank();
        const place: Place = { path: pathText(keys), keys, from: Math.min(from, at), value: at, to: at };
        places.push(place);
        if (text[at] === "{") {
            list("{", "}", () => {
                if (text[at] !== '"') return false;
                const start = at, key = string();
                blank();
                if (text[at] !== ":") return false;
                at++;
                return value([...keys, key], start);
            });
        } else if (text[at] === "[") {
            list("[", "]", (i) => value([...keys, i], at));
        } else if (text[at] === '"') {
            string();
        } else {
            const word = /^[-+.\w]+/.exec(text.slice(at, at + 80));
            if (!word) return false;
            at += word[0].length;
        }
        place.to = at;
        return true;
    };
    value([], 0);
    return places;
}

/** The line of an offset, from 1. */
export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** The innermost value whose member holds an offset. */
export function placeAt(places: Place[], offset: number): Place | null {
    let best: Place | null = null;
    for (const place of places) if (place.from <= offset && offset <= place.to && (!best || place.from >= best.from)) best = place;
    return best;
}

/** Lines that messages of Carom speak of, from 1. */
export function faultLines(text: string, messages: string): number[] {
    const places = mapJson(text), found = new Set<number>();
    for (const message of messages.split("\n").filter(Boolean)) {
        const direct = /line (\d+)/.exec(message);
        if (direct) { found.add(Number(direct[1])); continue; }
        let path = message.split(": ")[0];
        while (path) {
            const place = places.find((entry) => entry.path === path);
            if (place) { found.add(lineOf(text, place.from)); break; }
            path = path.replace(/(\.[^.[\]]*|\[[^\]]*\]|^[^.[\]]*)$/, "");
        }
    }
    return [...found];
}
