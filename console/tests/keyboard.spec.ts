import { expect, test } from './console'
import { club } from './club'
import { press, tabTo } from './keyboard'

/** The matches of the club's values. */
const meant: Record<string, RegExp> = {
  Femme: /^FEMALE/,
  Homme: /^MALE/,
  '?': /^Leave empty/,
  Adulte: /^Senior/,
  Jeune: /^Junior/,
}

test('with the keyboard alone a list is imported and matched, its wrong row is corrected, and the import is undone', async ({
  page,
}) => {
  test.setTimeout(300_000)
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await press(page, /^New import/)
  await expect(page.getByRole('heading', { name: 'New import' })).toBeVisible()
  await expect(page.locator('main')).toBeFocused()

  await press(page, /Choose a type/)
  await page.keyboard.type('Membership')
  await page.keyboard.press('Enter')
  await tabTo(page, /period/i)
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await tabTo(page, /^File$/)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Paste' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(club.replaceAll('@example.org', '@keys.example.org')) // addresses that no other test uses
  await press(page, /^Preview changes/)

  await expect(page.getByRole('heading', { name: 'Match columns' })).toBeVisible()
  await press(page, /^Split names/)
  await expect(page.getByText('Ada Lovelace → becomesLovelace')).toBeVisible()
  for (const [field, column] of [
    ['Membership type', 'Cat'],
    ['Joined on', 'Adh'],
  ] as const) {
    await press(page, new RegExp(`Column for ${field}`))
    await expect(page.getByRole('listbox')).toBeVisible()
    await page.keyboard.type(column)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: new RegExp(`Remove ${column}.* from ${field}`) })).toBeVisible()
  }
  await expect(page.getByText('All changes saved')).toBeVisible()
  await press(page, /^Confirm columns/)

  await expect(page.getByRole('heading', { name: 'Match values' })).toBeVisible()
  const asked = page.getByRole('heading', { name: /^Match “/ })
  for (let answered = 1; answered <= Object.keys(meant).length; answered++) {
    const value = /“(.*)”/.exec((await asked.textContent())!)![1]!
    await press(page, meant[value]!)
    await expect(
      page.getByRole('row', { name: new RegExp(`^${value.replace('?', '\\?')} `) }).getByText('Unmatched'),
    ).toBeHidden()
  }
  await press(page, /^Confirm and preview/)
  await expect(page.getByRole('heading', { name: 'Preview', exact: true })).toBeVisible()
  await press(page, /^Import \d+ rows/)

  await expect(page.getByRole('link', { name: 'Fix 1 row' })).toBeVisible()
  await press(page, /^Fix 1 row/)
  await expect(page.getByRole('gridcell', { name: '31/02/2026' })).toBeVisible()
  await tabTo(page, /^Rows$/)
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: /^Joined on/ })).toBeFocused()
  await page.keyboard.insertText('28/02/2026')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Import 1 corrected row' })).toBeVisible()
  await press(page, /^Import 1 corrected row/)
  await expect(page.getByText('All rows imported')).toBeVisible()

  await press(page, /^Overview/)
  await expect(page.getByRole('link', { name: 'Undo import' })).toBeVisible()
  await press(page, /^Undo import/)
  await press(page, /^Preview/)
  await expect(page.getByText('Will be undone')).toBeVisible()
  await press(page, /^Undo these/)
  await expect(page.getByRole('heading', { name: 'Undo this import' })).toBeHidden()
  await expect(page.getByText(/^Completed/).first()).toBeVisible()
})
