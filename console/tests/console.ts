import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'
import type axe from 'axe-core'

const axeSource = readFileSync(join(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')

/** Console errors of Chromium that the tests expect: missing resources, unchanged responses, tokens that cannot be renewed, concurrent profile updates, repeated uploads, rejected URLs, and invalid declarations. */
const expected =
  /status of (404|406|304|412)|ERR_INTERNET_DISCONNECTED|openid\/token .*status of 400|\/upload .*status of 409|\/v1\/imports .*status of 422|\/api\/settings .*status of 400|\/api\/types\S* .*status of 422/

/** A test with the real console on the real stack. It fails if the page logs an error or requests another origin. */
export const test = base.extend<{ honest: void }>({
  baseURL: async ({}, use) => use(process.env.LOADBAY_URL),
  honest: [
    async ({ page, baseURL }, use) => {
      const faults: string[] = []
      page.on(
        'console',
        (message) =>
          message.type() === 'error' &&
          !expected.test(`${message.location().url} ${message.text()}`) &&
          faults.push(message.text()),
      )
      page.on('pageerror', (error) => faults.push(String(error)))
      page.on('request', (request) => {
        const { hostname, protocol } = new URL(request.url())
        if (protocol.startsWith('http') && hostname !== new URL(baseURL!).hostname) faults.push(`asks ${request.url()}`)
      })
      await use()
      expect(faults).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/**
 * Checks WCAG 2.2 AA with axe in both themes. Only past announcements are excluded: React Aria keeps them for seven seconds as images labelled
 * by a button that may be gone by then, and no user can reach them.
 */
export async function accessible(page: Page): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await show(page, theme)
    await page.evaluate(axeSource)
    await page.evaluate(settled) // what fades in has little contrast
    const found = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(
        { exclude: [['[data-live-announcer] [role=img]']] },
        { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
      ),
    )
    expect(
      found.violations.map(
        ({ id, nodes }) => `${theme}: ${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`,
      ),
    ).toEqual([])
  }
  await page.evaluate(() => {
    delete document.documentElement.dataset.theme
  })
}

/** Waits for the animations that end. */
const settled = () =>
  Promise.allSettled(
    document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
      .map((animation) => animation.finished),
  )

/** The screenshots in docs/images with their themes. The webhook screen is not among them because it shows a secret. */
const documented: Record<string, 'light' | 'dark'> = {
  imports: 'light',
  'new-chosen': 'light',
  source: 'dark',
  'columns-mapped': 'light',
  values: 'light',
  result: 'dark',
  'result-alike': 'light',
  'import-done': 'light',
  changes: 'dark',
  undo: 'light',
  history: 'light',
  exports: 'light',
  'export-new': 'light',
  profile: 'light',
  settings: 'light',
  drop: 'light',
  templates: 'dark',
  'upload-open': 'light',
  'signed-in': 'dark',
  operator: 'light',
}

/** Saves a screenshot if PICTURES is set: in both themes to tests/pictures, or, if it is `docs`, those for docs/images. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES === 'docs') {
    if (!documented[name]) return
    await show(page, documented[name])
    await page.screenshot({ path: `../docs/images/console-${name}.png` })
  } else if (process.env.PICTURES) {
    for (const theme of ['light', 'dark']) {
      await show(page, theme)
      await page.screenshot({ path: `tests/pictures/${name}-${theme}.png`, fullPage: true })
    }
  }
  await page.evaluate(() => {
    delete document.documentElement.dataset.theme
  })
}

/** Applies a theme and waits until all colour transitions have ended. */
async function show(page: Page, theme: string): Promise<void> {
  await page.evaluate(async (name) => {
    document.documentElement.dataset.theme = name
    await Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation instanceof CSSTransition)
        .map((animation) => animation.finished),
    )
  }, theme)
}
