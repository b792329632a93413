import { accessible, expect, picture, test } from './console'
import { begin, club } from './club'

test.describe.configure({ mode: 'serial', timeout: 180_000 })

test('a French list with joined names is split, matched, corrected and retried', async ({ page }) => {
  await begin(page, club)

  // Columns: one click splits the names; the other columns are selected at their fields.
  await expect(page.getByText('Nom complet seems to contain first and last names')).toBeVisible()
  await expect(page.getByText('Required fields without a column: First name, Last name, Membership type')).toBeVisible()
  await accessible(page)
  await picture(page, 'columns')
  await page.getByRole('button', { name: 'Split names' }).click()
  await expect(page.getByText('Ada Lovelace → becomesAda')).toBeVisible()
  await expect(page.getByText('Ada Lovelace → becomesLovelace')).toBeVisible()
  await page.getByRole('button', { name: /Column for Membership type/ }).click()
  await page.getByRole('option', { name: /Catégorie/ }).click()
  await page.getByRole('button', { name: /Column for Joined on/ }).click()
  await page.getByRole('option', { name: /Adhésion/ }).click()
  await expect(page.getByText('All changes saved')).toBeVisible()
  await page.getByRole('button', { name: 'Edit Joined on' }).click()
  await page.getByRole('button', { name: 'Edit First name' }).click()
  // The name of an icon is shown when the keyboard reaches it.
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await expect(page.getByText('Edit First name', { exact: true })).toBeVisible()
  await accessible(page)
  await picture(page, 'columns-mapped')

  // The mapping is saved with the import and survives a reload.
  await page.reload()
  await expect(page.getByText('Ada Lovelace → becomesLovelace')).toBeVisible()
  await page.getByRole('button', { name: 'Confirm columns' }).click()

  // Values: each is matched by similarity or by name.
  await expect(page.getByRole('heading', { name: 'Match values' })).toBeVisible()
  await accessible(page)
  await picture(page, 'values')
  const answers = async (value: string, answer: RegExp) => {
    await page.getByRole('gridcell', { name: value, exact: true }).click()
    await expect(page.getByRole('heading', { name: `Match “${value}” with` })).toBeVisible()
    await page
      .getByRole('region', { name: `Match “${value}” with` })
      .getByRole('button', { name: answer })
      .click()
    await expect(
      page.getByRole('row', { name: new RegExp(`^${value.replace('?', '\\?')}`) }).getByText('Unmatched'),
    ).toBeHidden()
  }
  await answers('Femme', /^FEMALE/)
  await answers('Homme', /^MALE/)
  await answers('Adulte', /^Senior/)
  await answers('Jeune', /^Junior/)
  await answers('?', /^Leave empty/)
  await expect(page.getByRole('gridcell', { name: 'Senior', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Confirm and import' }).click()

  // The wrong row is corrected in its cell, and only this row is retried.
  await page.getByRole('link', { name: 'Fix 1 row' }).click()
  await expect(page.getByText('1 row not imported yet')).toBeVisible()
  const cell = page.getByRole('gridcell', { name: '31/02/2026' })
  await expect(cell).toBeVisible()
  await cell.click()
  await accessible(page)
  await picture(page, 'result')
  await cell.dblclick()
  await page.getByRole('textbox', { name: /^Joined on/ }).fill('28/02/2026')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Import 1 corrected row' }).click()
  await expect(page.getByText('All rows imported')).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).first().click()
  await expect(
    page
      .getByRole('row')
      .filter({ hasText: 'Claude' })
      .getByText(/^(Created|Updated|Unchanged)$/),
  ).toBeVisible()
  await picture(page, 'result-right')
})

test('reading options are changed, and the effect is visible', async ({ page }) => {
  await begin(page, `Liste des adhérents;;\n;;\n${club}Total;3;\n`)
  await page.getByRole('link', { name: 'File settings' }).click()
  await expect(page.getByRole('row', { name: /Nom complet/ })).toHaveAttribute('data-part', 'HEADER')
  await page.getByRole('button', { name: 'Row 4 is the header row' }).click()
  await expect(page.getByRole('row', { name: /Ada Lovelace/ })).toHaveAttribute('data-part', 'HEADER')
  await page.getByRole('button', { name: 'Row 3 is the header row' }).click()
  await expect(page.getByRole('row', { name: /Nom complet/ })).toHaveAttribute('data-part', 'HEADER')
  await page.getByRole('button', { name: 'Data ends before row 7' }).click()
  await expect(page.getByRole('row', { name: /Total/ })).toHaveAttribute('data-part', 'FOOTER')
  await accessible(page)
  await picture(page, 'source')
  await page.getByRole('link', { name: 'Continue to columns' }).click()
  await expect(page.getByRole('heading', { name: 'Match columns' })).toBeVisible()
})

test('a column is dragged to its field, and similar errors are corrected together', async ({ page }) => {
  const rows = Array.from(
    { length: 30 },
    (_, n) => `Ute${n} Lang;ute${n}@example.org;19/06/1993;Femme;Senior;2026.02.${10 + (n % 9)} env`,
  )
  await begin(page, `${club.split('\n')[0]}\n${rows.join('\n')}\n`)
  await page.getByRole('button', { name: 'Split names' }).click()
  const target = (name: string) =>
    page
      .getByRole('listitem')
      .filter({ has: page.getByText(name, { exact: true }) })
      .last()
  await page.getByRole('listitem').filter({ hasText: '2026.02.10 env' }).first().dragTo(target('Joined on'))
  await expect(page.getByRole('button', { name: 'Remove Adhésion from Joined on' })).toBeVisible()
  await expect(page.getByText('errors in the first rows')).toBeVisible()
  await page.getByRole('button', { name: /Column for Membership type/ }).click()
  await page.keyboard.type('Cat')
  await page.keyboard.press('Enter')
  await expect(page.getByText('All changes saved')).toBeVisible()
  await page.getByRole('button', { name: 'Confirm columns' }).click()
  await page.getByRole('button', { name: 'Accept 1 suggestion' }).click()
  await page.getByRole('button', { name: 'Confirm and import' }).click()
  await page.getByRole('link', { name: 'Fix 30 rows' }).click()
  await page.getByRole('button', { name: 'Fix all' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /Transformation/ }).click()
  await page.getByRole('option', { name: 'Find and replace', exact: true }).click()
  await dialog.getByRole('textbox', { name: 'Find' }).fill(' env')
  await dialog.getByRole('textbox', { name: 'Replace with' }).fill('')
  await expect(dialog.getByText('This fixes 30 of 30 cells.')).toBeVisible()
  await accessible(page)
  await picture(page, 'result-alike')
  await dialog.getByRole('button', { name: 'Apply to 30 rows' }).click()
  await page.getByRole('button', { name: 'Import 30 corrected rows' }).click()
  await expect(page.getByText('All rows imported')).toBeVisible()
})
