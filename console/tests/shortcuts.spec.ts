import { accessible, expect, picture, test } from './console'
import { bring, people } from './people'

test('screens and imports are found by name, and single keys act outside of fields', async ({ page }) => {
  await bring(page, people(2))
  await page.goto('/')
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.getByRole('row').nth(1).getByRole('link').first()).toBeFocused()
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: 'Search by file name' })).toBeFocused()
  await page.keyboard.type('n?') // typed, not acted on
  await expect(page.getByRole('searchbox', { name: 'Search by file name' })).toHaveValue('n?')
  await expect(page).toHaveURL(/\/(\?.*)?$/)

  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: 'Go to…' })
  await expect(search).toBeFocused()
  await search.fill('people')
  await expect(page.getByRole('option', { name: /^people\.csv/ }).first()).toBeVisible()
  await accessible(page)
  await picture(page, 'palette')
  await search.fill('webh')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/webhook$/)

  await page.keyboard.press('?')
  await expect(page.getByRole('heading', { name: 'Keyboard shortcuts' })).toBeVisible()
  await accessible(page)
  await picture(page, 'shortcuts')
  await page.getByText('Single-key shortcuts').click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await expect(page).toHaveURL(/\/webhook$/)
  await page.evaluate(() => localStorage.clear())
  await page.keyboard.press('n')
  await expect(page).toHaveURL(/\/imports\/new$/)
})
