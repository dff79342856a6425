// SPDX-License-Identifier: Apache-2.0
// What a page is, and what the frame around it offers.
import type { Client } from "./client";

export interface Frame {
    client: Client;
    /** Said by screen readers. */
    announce(text: string): void;
    toast(text: string): void;
    isDark(): boolean;
    /** The state changed: the address follows. */
    changed(): void;
}

export interface Mounted {
    link(): string;
    unmount(): void;
    themed(): void;
    /** For scripts and tests: the scene as it was solved last, and its result. */
    probe(): { scene: string; json: string; fault: string; [more: string]: unknown };
}

export interface Page {
    name: string;
    title: string;
    mount(root: HTMLElement, query: string, frame: Frame): Mounted;
}
