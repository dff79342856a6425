// SPDX-License-Identifier: Apache-2.0
// People: keyboard, touch, screen readers, phones, dark and light. Pictures go to build/web-pictures.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertSame, launch, open, PAGES, probe, root, settled } from "./browser.mjs";

let browser;
const pictures = join(root, "build", "web-pictures");
before(async () => { browser = await launch(); mkdirSync(pictures, { recursive: true }); });
after(() => browser.close());

test("everything that can be used has a name for screen readers", async () => {
    for (const name of PAGES) {
        const { page, context } = await open(browser, `#1/${name}`);
        const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input, textarea, canvas, svg[tabindex], img")]
            .filter((element) => element.checkVisibility() && !element.closest(".uplot") && !element.closest("[aria-hidden]"))
            .filter((element) => !(element.getAttribute("aria-label") || element.labels?.length || element.textContent.trim() || element.getAttribute("alt")))
            .map((element) => element.outerHTML.slice(0, 120)));
        assert.deepEqual(nameless, [], name);
        assert.equal(await page.locator("h1").count(), 1, name);
        await context.close();
    }
});

test("the table can be played by keyboard", async () => {
    const { page, context } = await open(browser, "#1/billiards");
    const first = await probe(page);
    await page.focus("canvas.table");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    await settled(page);
    const now = await probe(page);
    assert.equal(JSON.parse(now.scene).shot.aim, JSON.parse(first.scene).shot.aim + 1);
    assert.ok(JSON.parse(now.scene).shot.speed > JSON.parse(first.scene).shot.speed);
    await page.keyboard.press(".");
    assert.ok(await page.evaluate(() => caromPage.probe().player.time > 0));
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await page.waitForFunction(() => caromPage.probe().player.time > 0.1);
    await page.focus(".tip");
    await page.keyboard.press("ArrowDown");
    await settled(page);
    assert.equal(JSON.parse((await probe(page)).scene).shot.height, -0.02);
    await context.close();
});

test("the table can be played by touch", async () => {
    const { page, context } = await open(browser, "#1/billiards", { context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 } });
    const first = JSON.parse((await probe(page)).scene).shot.aim;
    const box = await page.locator("canvas.table").boundingBox();
    assert.ok(box.height > 1.6 * box.width, "the table stands upright on a phone");
    await page.touchscreen.tap(box.x + 0.3 * box.width, box.y + 0.3 * box.height);
    await settled(page);
    assert.notEqual(JSON.parse((await probe(page)).scene).shot.aim, first);
    await context.close();
});

test("a shot goes on from where the balls lie, and back again", async () => {
    const { page, context } = await open(browser, "#1/billiards?setup=draw&speed=3&aim=0&height=-0.42&elevation=4");
    const first = await probe(page), rest = JSON.parse(first.json).balls;
    await page.click("text=Play on from here");
    await settled(page);
    const next = await probe(page);
    for (const [ball, [x, y]] of Object.entries(JSON.parse(next.scene).balls)) {
        if (rest[ball].pocketed) continue;
        assert.deepEqual([x, y], rest[ball].position.slice(0, 2), ball);
    }
    await page.click("text=Shot before");
    await settled(page);
    assertSame((await probe(page)).json, first.json, "and back");
    await context.close();
});

for (const [device, viewport, ratio] of [["desktop", { width: 1360, height: 900 }, 1], ["phone", { width: 390, height: 844 }, 2]]) {
    for (const colorScheme of ["light", "dark"]) {
        test(`${device}, ${colorScheme}: nothing sticks out`, async () => {
            for (const name of PAGES) {
                const { page, context, faults } = await open(browser, `#1/${name}`, { context: { viewport, colorScheme, deviceScaleFactor: ratio } });
                await page.waitForTimeout(150);
                assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name} scrolls sideways`);
                const wide = await page.evaluate(() => document.querySelector(".stage, .editor-box").getBoundingClientRect().width / window.innerWidth);
                assert.ok(wide > (device === "phone" ? 0.9 : 0.4), `${name}: the picture is ${wide} of the screen`);
                const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
                assert.equal(paper < 128, colorScheme === "dark", name);
                await page.screenshot({ path: join(pictures, `${name}-${device}-${colorScheme}.png`), fullPage: true });
                assert.deepEqual(faults, []);
                await context.close();
            }
        });
    }
}

test("the button changes dark and light", async () => {
    const { page, context, faults } = await open(browser, "#1/cradle");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const first = await paper();
    await page.click("#theme");
    assert.notEqual(await paper(), first);
    await page.click("#theme");
    assert.equal(await paper(), first);
    assert.deepEqual(faults, []);
    await context.close();
});
