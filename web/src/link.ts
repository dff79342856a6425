// SPDX-License-Identifier: Apache-2.0
// The state of a page as a link: #VERSION/PAGE?key=value&... with what differs from the defaults.
// Links live for ever: fields and defaults of a version never change. A later version adds a decoder
// and keeps the old ones; tests/links.json holds links of every version with what they mean.

export type Value = number | string | boolean | number[] | Places;
export type Places = Record<string, [number, number]>;
export type Fields = Record<string, Value>;

export const LINK_VERSION = 1;

export function encodeValue(value: Value): string {
    if (typeof value === "boolean") return value ? "1" : "0";
    if (typeof value === "number") return String(value);
    if (typeof value === "string") return encodeURIComponent(value);
    if (Array.isArray(value)) return value.join(",");
    return Object.entries(value).map(([name, [x, y]]) => `${encodeURIComponent(name)}:${x},${y}`).join(";");
}

/** A value of the same type as `like`, or undefined. */
export function decodeValue(text: string, like: Value): Value | undefined {
    if (typeof like === "boolean") return text === "1" ? true : text === "0" ? false : undefined;
    if (typeof like === "number") return finite(text);
    if (typeof like === "string") return unescapeText(text);
    if (Array.isArray(like)) {
        const numbers = text === "" ? [] : text.split(",").map(finite);
        return numbers.some((number) => number === undefined) ? undefined : (numbers as number[]);
    }
    const places: Places = {};
    for (const entry of text === "" ? [] : text.split(";")) {
        const [name, at] = entry.split(":");
        const [x, y] = (at ?? "").split(",").map(finite);
        const plain = unescapeText(name);
        if (x === undefined || y === undefined || !plain) return undefined;
        places[plain] = [x, y];
    }
    return places;
}

function finite(text: string): number | undefined {
    const number = Number(text);
    return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
}

function unescapeText(text: string): string | undefined {
    try { return decodeURIComponent(text); } catch { return undefined; }
}

export function encodeLink(page: string, state: Fields, defaults: Fields): string {
    const parts = Object.keys(defaults)
        .map((key) => [key, encodeValue(state[key]), encodeValue(defaults[key])])
        .filter(([, value, standard]) => value !== standard)
        .map(([key, value]) => `${key}=${value}`);
    return `#${LINK_VERSION}/${page}${parts.length ? `?${parts.join("&")}` : ""}`;
}

export interface Link {
    version: number;
    page: string;
    query: string;
}

export function parseLink(hash: string): Link | null {
    const match = /^#(\d+)\/([a-z]+)(?:\?(.*))?$/.exec(hash);
    return match ? { version: Number(match[1]), page: match[2], query: match[3] ?? "" } : null;
}

/** The state that a link of version 1 describes, and the keys that could not be read. */
export function decodeQuery<T extends Fields>(query: string, defaults: T): { state: T; unread: string[] } {
    const state: Fields = structuredClone(defaults);
    const unread: string[] = [];
    for (const part of query === "" ? [] : query.split("&")) {
        const sign = part.indexOf("=");
        const key = sign < 0 ? part : part.slice(0, sign);
        const value = sign >= 0 && key in defaults ? decodeValue(part.slice(sign + 1), defaults[key]) : undefined;
        if (value === undefined) unread.push(key);
        else state[key] = value;
    }
    return { state: state as T, unread };
}
