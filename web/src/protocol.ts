// SPDX-License-Identifier: Apache-2.0
// What the page and its worker say to each other.
import type { Numbers } from "./engine.mjs";
export type { Numbers };

export type Part = "json" | "report" | "trace" | "plots" | "motion" | "path" | "table";

export interface Order {
    id: number;
    text: string; // of the scene
    samples: number; // between two events
    compare?: boolean; // by every model
    want: Part[];
    plot?: { name: string; dark: boolean };
    hash?: { name: string; first: boolean; last: boolean }; // over all scenes, one after another
}

export interface Answer {
    id: number;
    fault: string; // "" or messages, one a line
    ms: number; // of parsing and solving
    json?: string;
    report?: string;
    trace?: string;
    plots?: [string, string][];
    svg?: string;
    digest?: string;
    motion?: Numbers | null;
    path?: Numbers | null;
    table?: Numbers | null;
}
