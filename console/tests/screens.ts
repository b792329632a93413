import { expect, type Locator, type Page } from '@playwright/test'

/** A step that changes a text, as a mapping has it. */
type Step = { op: string; [particular: string]: unknown }

/** What a mapping says of a field. */
export type Said = { field: string; from?: string[]; constant?: string; separator?: string; transforms?: Step[]; dateOrder?: string }

/** What a mapping says of how a file is read. */
export type Reading = { sheetName?: string; headerRow?: number; headerRows?: number; skipFooterRows?: number }

const orders: Record<string, string> = { dmy: 'Day, month, year', mdy: 'Month, day, year', ymd: 'Year, month, day' }
const stripped: Record<string, string> = { currency: 'Currency signs', unit: 'Units', apostrophe: 'Apostrophes' }

/** Chooses of a list that a button opens. */
async function pick(page: Page, button: Locator, option: string | RegExp): Promise<void> {
  await button.click()
  await page.getByRole('option', { name: option, exact: typeof option === 'string' }).first().click()
}

/** Says on the screen of the source how the file is read. */
export async function sayReading(page: Page, { sheetName, headerRow, headerRows, skipFooterRows }: Reading, lastRow: number): Promise<void> {
  await page.getByRole('link', { name: 'How the file is read' }).click()
  await expect(page.getByRole('region', { name: 'The rows as they are read' })).toBeVisible()
  const read = page.getByText('Reading again …')
  const done = async () => { await expect(read).toBeHidden() }
  if (sheetName) {
    const sheet = page.getByRole('group', { name: 'Sheets' }).getByRole('button', { name: new RegExp(`^${sheetName}`) })
    if ((await sheet.getAttribute('aria-pressed')) !== 'true') {
      await sheet.click()
      await page.getByRole('button', { name: 'Import this sheet' }).click()
      await done()
    }
  }
  if (headerRow) {
    const header = page.locator(`tr[data-part=HEADER]`).filter({ has: page.getByRole('button', { name: new RegExp(` ${headerRow} `) }) })
    if ((await header.count()) === 0) await page.getByRole('button', { name: `Row ${headerRow} is the header` }).click()
    await expect(header).toHaveCount(1)
    await done()
  }
  if (headerRows && headerRows > 1) {
    await pick(page, page.getByRole('button', { name: /Rows of the header/ }), String(headerRows))
    await expect(page.locator('tr[data-part=HEADER]')).toHaveCount(headerRows)
    await done()
  }
  if (skipFooterRows) {
    await page.getByRole('button', { name: `The data ends before row ${lastRow - skipFooterRows + 1}`, exact: true }).click()
    await expect(page.locator('tr[data-part=FOOTER]')).toHaveCount(skipFooterRows)
    await done()
  }
  await page.getByRole('link', { name: 'Go on to the columns' }).click()
}

/** Says on the screen of the columns what a field is made of, as far as that is not said yet. */
export async function sayField(page: Page, title: string, said: Said): Promise<void> {
  const target = page.getByRole('region', { name: 'What is made of them' }).getByRole('listitem').filter({ has: page.locator('strong', { hasText: new RegExp(`^${escaped(title)}$`) }) })
  const change = target.getByRole('button', { name: `Change how ${title} is made` })
  const open = async () => { if ((await change.getAttribute('aria-expanded')) === 'false') await change.click() }
  const wanted = said.from ?? []
  const taken = (column: string) => target.getByRole('button', { name: `Take ${column} out of ${title}`, exact: true })
  const takeOuts = target.getByRole('button', { name: /^Take .* out of / })
  for (const label of await takeOuts.evaluateAll((found) => found.map((each) => each.getAttribute('aria-label')!))) {
    if (!wanted.some((column) => label === `Take ${column} out of ${title}`)) await target.getByRole('button', { name: label, exact: true }).click()
  }
  for (const column of wanted) {
    if (await taken(column).count()) continue
    if (await change.count()) await open()
    await pick(page, target.getByRole('button', { name: new RegExp(`Column for ${escaped(title)}`) }), new RegExp(`^${escaped(column)}($| )`))
    await expect(taken(column)).toBeVisible()
  }
  if (said.constant !== undefined) {
    await pick(page, target.getByRole('button', { name: new RegExp(`Column for ${escaped(title)}`) }), 'The same in every row …')
    await target.getByLabel('What every row has').fill(said.constant)
    await expect(target.getByText(`= ${said.constant}`)).toBeVisible()
  }
  if (said.separator && said.separator !== ' ') {
    await open()
    await target.getByLabel('Between the columns').fill(said.separator)
  }
  if (said.dateOrder) {
    await open()
    await pick(page, target.getByRole('button', { name: /Order of dates/ }), orders[said.dateOrder]!)
  }
  for (const step of said.transforms ?? []) await addStep(page, target, open, step)
}

/** Adds a step. What its part of the screen is called is what people read. */
async function addStep(page: Page, target: Locator, open: () => Promise<void>, step: Step): Promise<void> {
  const names: Record<string, string> = { lower: 'small letters', replace: 'Replace', extract: 'Find a pattern', strip: 'Take off', default: 'Fill empty cells' }
  const name = names[step.op]
  if (!name) return // words of a file that stand for others are said as values
  await open()
  await target.getByRole('button', { name: 'Add a step' }).click()
  await pick(page, target.getByRole('button', { name: /^(Take a part )?Step/ }).last(), name)
  if (step.op === 'replace') {
    await target.getByLabel('Replace', { exact: true }).last().fill(String(step.old))
    await target.getByLabel('By', { exact: true }).last().fill(String(step.new ?? ''))
  }
  if (step.op === 'extract') await target.getByLabel('Pattern').last().fill(String(step.pattern))
  if (step.op === 'default') await target.getByLabel('With', { exact: true }).last().fill(String(step.value))
  if (step.op === 'strip') await pick(page, target.getByRole('button', { name: /What$/ }).last(), stripped[String(step.what)]!)
}

/** Says on the screen of the values what those that are open stand for. */
export async function sayValues(page: Page, values: { value: string; to?: string; then?: string }[]): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Some values are unknown' })).toBeVisible()
  for (const { value, to, then } of values) {
    const row = page.getByRole('row').filter({ has: page.getByRole('gridcell', { name: value, exact: true }) })
    const grid = page.getByRole('grid')
    await grid.evaluate((area) => area.scrollTo(0, 0))
    for (let turns = 0; turns < 20 && (await row.count()) === 0; turns++) await grid.evaluate((area) => area.scrollBy(0, 150)) // no more rows are drawn than are seen
    if ((await row.count()) === 0 || (await row.getByText('Open').count()) === 0) continue
    await page.getByRole('gridcell', { name: value, exact: true }).click()
    const choose = page.getByRole('region', { name: `What is “${value}”?` })
    const answer = then ? { create: 'Make it new', empty: 'Leave empty', skip: 'Leave its rows out' }[then]! : new RegExp(`^${escaped(to!)}`)
    await choose.getByRole('button', { name: answer }).first().click()
    await expect(row.getByText('Open')).toBeHidden()
  }
}

/** Corrects a cell where it stands, and brings its row again. */
export async function correctCell(page: Page, wrong: string, right: string): Promise<void> {
  await page.getByRole('gridcell', { name: wrong, exact: true }).dblclick()
  await page.getByRole('textbox').last().fill(right)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Import the corrected row' }).click()
  await expect(page.getByText('Every row is right')).toBeVisible()
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
