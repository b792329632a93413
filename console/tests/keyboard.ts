import { expect, type Page } from '@playwright/test'

/** Maximum number of Tab presses: more than the tab stops of any screen. */
const most = 120

/** Presses Tab until the element with this name has focus, and checks that the focus is visible. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < most; pressed++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const focused = document.activeElement!
      const labels = (focused.getAttribute('aria-labelledby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join(' ')
        .trim()
      const { outlineStyle, boxShadow } = getComputedStyle(focused)
      return {
        name: (labels || focused.getAttribute('aria-label') || focused.textContent || '').trim(),
        isSeen: outlineStyle !== 'none' || boxShadow !== 'none',
      }
    })
    if (!name.test(focused.name)) continue
    expect(focused.isSeen, `the focus on ${focused.name} is seen`).toBe(true)
    return
  }
  throw new Error(`Tab does not reach ${name}`)
}

/** Moves to the element with this name by Tab and presses Enter. */
export async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}
