import { expect, type Page } from '@playwright/test'

/** Waits until a screen shows its content and has no request in flight. */
export async function shown(page: Page): Promise<void> {
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
  await expect(page.locator('[data-loading]')).toHaveCount(0)
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => document.fonts.ready)
}

/** Maximum line width for readable text, in em. */
const widest = 82

/** Finds layout errors: a page that scrolls horizontally, elements outside the page, and clipped words. Scrollable content is allowed. */
export const misfits = (page: Page): Promise<string[]> =>
  page.evaluate((most) => {
    const readable = most * parseFloat(getComputedStyle(document.documentElement).fontSize)
    const wide = document.documentElement.scrollWidth - innerWidth
    const found = wide > 0 ? [`the page is ${wide} px too wide`] : []
    const scrolls = (element: Element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
    const hidden = (element: Element) =>
      element.closest('.visually-hidden, [aria-hidden=true], [data-live-announcer], svg') !== null ||
      getComputedStyle(element).clipPath !== 'none'
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility() || hidden(element)) continue
      let above: Element | null = element.parentElement
      while (above && !scrolls(above)) above = above.parentElement
      const { left, right, width } = element.getBoundingClientRect()
      if (/^(P|H1|H2)$/.test(element.tagName) && width > readable)
        found.push(`a line of ${Math.round(width)} px: ${element.outerHTML.slice(0, 80)}`)
      const what = `${element.outerHTML.slice(0, 160)} …`
      if (!above && width > 0 && (left < -1 || right > innerWidth + 1)) found.push(`beside the page: ${what}`)
      const { overflowX, textOverflow } = getComputedStyle(element)
      if (
        element.tagName !== 'INPUT' &&
        ['hidden', 'clip'].includes(overflowX) &&
        textOverflow !== 'ellipsis' &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 0
      )
        found.push(`cut off: ${what}`)
    }
    return found
  }, widest)

/** Maximum cumulative layout shift while a screen loads: a fifth of what counts as good. */
const still = 0.02

/** Finds unexpected layout shifts since the page began to load that exceed the limit. */
export const shifts = (page: Page): Promise<string[]> =>
  page.evaluate((most) => {
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] }
    const named = (node: Node | null) =>
      node instanceof Element ? node.outerHTML.slice(0, 120) : String(node?.textContent).slice(0, 60)
    return new Promise<string[]>((resolve) => {
      const seen: Shift[] = []
      new PerformanceObserver((list) =>
        seen.push(...(list.getEntries() as Shift[]).filter(({ hadRecentInput }) => !hadRecentInput)),
      ).observe({ type: 'layout-shift', buffered: true })
      setTimeout(
        () =>
          resolve(
            seen.reduce((sum, { value }) => sum + value, 0) <= most
              ? []
              : seen.flatMap(({ sources, value }) =>
                  sources.map(({ node }) => `moved by ${value.toFixed(3)}: ${named(node)}`),
                ),
          ),
        50,
      )
    })
  }, still)

/** Finds animations although reduced motion is requested. */
export const moving = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const longest = (list: string) => Math.max(...list.split(',').map(parseFloat))
    const moves = (element: Element, part?: string) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(element, part)
      return longest(transitionDuration) > 0.01 || (animationName !== 'none' && longest(animationDuration) > 0.01)
    }
    return [...document.querySelectorAll('*')]
      .filter((element) => moves(element) || moves(element, '::before') || moves(element, '::after'))
      .map((element) => `moves: ${element.outerHTML.slice(0, 80)}`)
  })
