// SPDX-License-Identifier: Apache-2.0
// Size, load time, the time of a break, pictures a second. Times are the best of some tries: the
// machine may be busy with something else.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { launch, open, serve, settled, site } from "./browser.mjs";

let browser, host;
before(async () => { browser = await launch(); host = await serve(); });
after(async () => { await browser.close(); host.close(); });

test("the site is below 500 kB compressed", (t) => {
    let total = 0;
    for (const name of readdirSync(site)) total += gzipSync(readFileSync(join(site, name)), { level: 9 }).length;
    t.diagnostic(`${total} bytes`);
    assert.ok(total < 500000, `${total} bytes`);
});

test("it loads in less than a second", async (t) => {
    const times = [];
    for (let i = 0; i < 5; i++) {
        const { page, context } = await open(browser, "#1/billiards", { base: host.url });
        times.push(await page.evaluate(() => Number(document.documentElement.dataset.ready)));
        await context.close();
    }
    t.diagnostic(`ready after ${times.join(", ")} ms`);
    assert.ok(Math.min(...times) < 1000, times.join(", "));
});

// Sixty a second means: a picture takes the page less than half of a sixtieth of a second of processor time, and most pictures
// come on time. How many are late depends on what else the machine does, so that is only printed.
test("sixty pictures a second while a break of fifteen balls plays", async (t) => {
    const { page, context } = await open(browser, "#1/billiards?setup=eight&speed=9&aim=3.77&height=0.1", { base: host.url });
    t.diagnostic(`the break is solved in ${(await page.evaluate(() => caromPage.probe().ms)).toFixed(1)} ms`);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const processorTime = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
    let median = Infinity, work = Infinity;
    for (let i = 0; i < 10 && !(median < 17 && work < 8); i++) {
        const begin = await processorTime();
        await page.evaluate(() => { const { player } = caromPage.probe(); player.pause(); player.seek(0); player.play(); });
        await page.waitForTimeout(2000);
        const intervals = await page.evaluate(() => caromPage.probe().player.intervals);
        const each = (await processorTime() - begin) / intervals.length;
        const sorted = intervals.slice(5).sort((a, b) => a - b), late = sorted.filter((value) => value > 25).length;
        const middle = sorted[sorted.length >> 1];
        t.diagnostic(`median ${middle.toFixed(1)} ms, worst ${sorted[sorted.length - 1].toFixed(1)} ms, ${late} of ${sorted.length} late; ${each.toFixed(1)} ms of processor time each`);
        [median, work] = [middle, each];
    }
    assert.ok(median < 17, `${median} ms between pictures`);
    assert.ok(work < 8, `${work} ms of processor time for a picture`);
    await context.close();
});

test("the interface is not blocked while a scene is solved", async () => {
    const { page, context } = await open(browser, "#1/viewer");
    const worst = await page.evaluate(async () => {
        const scene = JSON.stringify({ kind: "cradle", balls: 60, string_length: 1, lifted: [0.4], restitution: 0.9, until: 20 });
        const solved = caromPage.solve(scene);
        let last = performance.now(), worstGap = 0, going = true;
        void solved.then(() => { going = false; });
        while (going) {
            await new Promise((resolve) => setTimeout(resolve, 4));
            worstGap = Math.max(worstGap, performance.now() - last);
            last = performance.now();
        }
        return worstGap;
    });
    assert.ok(worst < 250, `${worst} ms`);
    await settled(page);
    await context.close();
});
