import { accessible, expect, picture, test } from './console'
import { people } from './people'

test('a file is imported by the keyboard alone', async ({ page }) => {
  const tabTo = async (name: RegExp) => {
    for (let pressed = 0; pressed < 40; pressed++) {
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus')
      const said = await focused.evaluate((element) => [element.getAttribute('aria-label'), element.textContent, ...(element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '')].join(' '))
      if (name.test(said)) {
        expect(await focused.evaluate((element) => { const { outlineStyle, boxShadow } = getComputedStyle(element); return outlineStyle !== 'none' || boxShadow !== 'none' }), `the focus on ${said} is seen`).toBe(true)
        return
      }
    }
    throw new Error(`Tab does not reach ${name}`)
  }
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await tabTo(/New import/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'New import' })).toBeVisible()
  await expect(page.locator('main')).toBeFocused()
  await tabTo(/Choose a type/)
  await page.keyboard.press('Enter')
  await page.keyboard.type('User')
  await page.keyboard.press('Enter')
  await tabTo(/^\s*File/)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Paste' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(people(3))
  await tabTo(/Begin the import/)
  await page.keyboard.press('Enter')
  await expect(page.getByText('3 of 3 rows')).toBeVisible()
})

test('nothing moves for whom that is too much', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const path of ['/', '/imports/new']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.evaluate(() => document.querySelectorAll('a, button').forEach((element) => element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))))
    const moving = await page.evaluate(() => [...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(element)
      const longest = (list: string) => Math.max(...list.split(',').map(parseFloat))
      return longest(transitionDuration) > 0.01 || (animationName !== 'none' && longest(animationDuration) > 0.01)
    }).map((element) => element.outerHTML.slice(0, 80)))
    expect(moving).toEqual([])
  }
})

test('the console uses a wide screen with measure', async ({ page }) => {
  await page.setViewportSize({ width: 3840, height: 2160 })
  for (const path of ['/', '/imports/new']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(3840)
    const widest = await page.evaluate(() => Math.max(...[...document.querySelectorAll('p, h1, h2')].map((element) => element.getBoundingClientRect().width)))
    expect(widest).toBeLessThan(1_300)
    await accessible(page)
    await picture(page, `wide${path === '/' ? '' : '-new'}`)
  }
})
