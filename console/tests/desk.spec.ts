import { accessible, expect, picture, test } from './console'
import { begin, club } from './club'

test.describe.configure({ mode: 'serial', timeout: 180_000 })

test('a French list with joined names is split, understood, put right and brought again', { tag: '@journey' }, async ({ page }) => {
  await begin(page, club)

  // The columns: the names are split by one press, the rest is chosen where it is asked for.
  await expect(page.getByText('Nom complet looks like first and last names in one column')).toBeVisible()
  await expect(page.getByText('Needed, and no column yet: First name, Last name, Membership type')).toBeVisible()
  await accessible(page)
  await picture(page, 'columns')
  await page.getByRole('button', { name: 'Split the names' }).click()
  await expect(page.getByText('Ada Lovelace → becomesAda')).toBeVisible()
  await expect(page.getByText('Ada Lovelace → becomesLovelace')).toBeVisible()
  await page.getByRole('button', { name: /Column for Membership type/ }).click()
  await page.getByRole('option', { name: /Catégorie/ }).click()
  await page.getByRole('button', { name: /Column for Joined on/ }).click()
  await page.getByRole('option', { name: /Adhésion/ }).click()
  await expect(page.getByText('All you have said is kept.')).toBeVisible()
  await page.getByRole('button', { name: 'Change how Joined on is made' }).click()
  await page.getByRole('button', { name: 'Change how First name is made' }).click()
  await accessible(page)
  await picture(page, 'columns-said')

  // What was said is with the import, and survives a reload.
  await page.reload()
  await expect(page.getByText('Ada Lovelace → becomesLovelace')).toBeVisible()
  await page.getByRole('button', { name: 'Read it like this' }).click()

  // The values, each by what it is similar to or by its name.
  await expect(page.getByRole('heading', { name: 'Some values are unknown' })).toBeVisible()
  await accessible(page)
  await picture(page, 'values')
  const says = async (value: string, answer: RegExp) => {
    await page.getByRole('gridcell', { name: value, exact: true }).click()
    await expect(page.getByRole('heading', { name: `What is “${value}”?` })).toBeVisible()
    await page.getByRole('region', { name: `What is “${value}”?` }).getByRole('button', { name: answer }).click()
    await expect(page.getByRole('row', { name: new RegExp(`^${value.replace('?', '\\?')}`) }).getByText('Open')).toBeHidden()
  }
  await says('Femme', /^FEMALE/)
  await says('Homme', /^MALE/)
  await says('Adulte', /^Senior/)
  await says('Jeune', /^Junior/)
  await says('?', /^Leave empty/)
  await expect(page.getByRole('gridcell', { name: 'Senior', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Import with these' }).click()

  // The wrong row is corrected where it stands, and only it is brought again.
  await page.getByRole('link', { name: 'Put 1 row right' }).click()
  await expect(page.getByText('1 row is not imported yet')).toBeVisible()
  const cell = page.getByRole('gridcell', { name: '31/02/2026' })
  await expect(cell).toBeVisible()
  await cell.click()
  await accessible(page)
  await picture(page, 'result')
  await cell.dblclick()
  await page.getByRole('textbox', { name: /^Joined on/ }).fill('28/02/2026')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Import the corrected row' }).click()
  await expect(page.getByText('Every row is right')).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).first().click()
  await expect(page.getByRole('row').filter({ hasText: 'Claude' }).getByText(/^(Created|Updated|Unchanged)$/)).toBeVisible()
  await picture(page, 'result-right')
})

test('how a file is read is changed, and its effect is seen', async ({ page }) => {
  await begin(page, `Liste des adhérents;;\n;;\n${club}Total;3;\n`)
  await page.getByRole('link', { name: 'How the file is read' }).click()
  await expect(page.getByRole('row', { name: /Nom complet/ })).toHaveAttribute('data-part', 'HEADER')
  await page.getByRole('button', { name: 'Row 4 is the header' }).click()
  await expect(page.getByRole('row', { name: /Ada Lovelace/ })).toHaveAttribute('data-part', 'HEADER')
  await page.getByRole('button', { name: 'Row 3 is the header' }).click()
  await expect(page.getByRole('row', { name: /Nom complet/ })).toHaveAttribute('data-part', 'HEADER')
  await page.getByRole('button', { name: 'The data ends before row 7' }).click()
  await expect(page.getByRole('row', { name: /Total/ })).toHaveAttribute('data-part', 'FOOTER')
  await accessible(page)
  await picture(page, 'source')
  await page.getByRole('link', { name: 'Go on to the columns' }).click()
  await expect(page.getByRole('heading', { name: 'Look at the columns' })).toBeVisible()
})
