import { expect, test } from './console'
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
