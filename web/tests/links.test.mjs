// SPDX-License-Identifier: Apache-2.0
// Links: they hold all of a page, they are read for ever, and bad ones do no harm.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { assertSame, launch, meaning, open, PAGES, probe, settled, slide, sliders } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test("a break that is dragged and played is replayed by its link to the last byte", async () => {
    const { page, context, faults } = await open(browser, "#1/billiards?setup=eight&speed=9&aim=3.77&height=0.1");
    const table = await page.locator("canvas.table").boundingBox();
    const first = await probe(page);

    // Drag on the cloth to aim; drag the cue ball a little.
    const cue = await page.evaluate(() => {
        const { view, places } = caromPage.probe(), [x, y] = view.toScreen(...places.cue), box = view.canvas.getBoundingClientRect();
        return { x: box.left + (x * box.width) / view.canvas.width, y: box.top + (y * box.height) / view.canvas.height };
    });
    await page.mouse.move(table.x + 0.6 * table.width, table.y + 0.3 * table.height);
    await page.mouse.down();
    await page.mouse.move(table.x + 0.735 * table.width, table.y + 0.497 * table.height, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(cue.x, cue.y);
    await page.mouse.down();
    await page.mouse.move(cue.x + 11, cue.y - 17, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const aimed = await probe(page);
    assert.notEqual(aimed.scene, first.scene);

    // Play it to its end, fast.
    await page.selectOption(".player select", "2");
    await page.click(".play");
    await page.waitForFunction(() => { const { player } = caromPage.probe(); return player.time > 0.5 && !player.playing; }, null, { timeout: 40000 });
    const played = await probe(page), link = await page.evaluate(() => caromPage.link);
    assertSame(played.json, aimed.json, "played");

    const other = await open(browser, link);
    const replayed = await probe(other.page);
    assert.equal(replayed.scene, played.scene);
    assertSame(replayed.json, played.json, "replayed");
    const places = (json) => JSON.stringify(Object.values(JSON.parse(json).balls).map((ball) => ball.position));
    assert.equal(places(replayed.json), places(played.json));
    assert.ok(Object.keys(JSON.parse(replayed.json).balls).length === 16);
    assert.deepEqual([...faults, ...other.faults], []);
    await other.context.close();
    await context.close();
});

test("links hold what sliders, choices and texts say on every page", async () => {
    for (const name of PAGES) {
        const { page, context, faults } = await open(browser, `#1/${name}`);
        for (const [i, key] of (await sliders(page)).entries()) await slide(page, key, 0.2 + 0.05 * (i % 7));
        if (name === "viewer") {
            await page.fill(".editor", (await page.inputValue(".editor")).replace("0.9", "0.55"));
            await page.waitForTimeout(450);
            await page.click('[data-tab="ledger"]');
        }
        await settled(page);
        await page.waitForTimeout(350);
        const before = await probe(page), link = await page.evaluate(() => caromPage.link);
        assert.equal(await page.evaluate(() => location.hash), link, "the address follows");
        const other = await open(browser, link);
        const now = await probe(other.page);
        assert.equal(now.scene, before.scene, name);
        assertSame(now.json, before.json, name);
        assert.equal(await other.page.evaluate(() => caromPage.link), link, name);
        assert.deepEqual([...faults, ...other.faults], []);
        await other.context.close();
        await context.close();
    }
});

test("links of all versions mean what they always meant", async () => {
    const golden = JSON.parse(readFileSync(new URL("links.json", import.meta.url), "utf8"));
    assert.ok(golden.length >= 10);
    for (const { link, scene } of golden) {
        const { page, context } = await open(browser, link);
        assert.equal(meaning((await probe(page)).scene), scene, link);
        await context.close();
    }
});

test("bad links do no harm", async () => {
    for (const link of ["#nonsense", "#1/nowhere?x=1", "#99/cradle?balls=3", "#1/cradle?balls=many&restitution=NaN&foo=1", "#1/billiards?balls=cue:1,x", "#1/billiards?setup=%E0%A4%A", "#1/bounce?ball=constructor", "#1/viewer?scene=../../etc&tab=none", "#1/cradle?balls=-3"]) {
        const { page, context, faults } = await open(browser, link);
        assert.deepEqual(faults, [], link);
        assert.ok((await page.locator("#page h1").count()) === 1, link);
        await context.close();
    }
});
