import { expect, type Locator, type Page } from '@playwright/test'

/** A transformation in a mapping. */
type Step = {
  op: string
  old?: string
  new?: string
  pattern?: string
  value?: string
  what?: string
  values?: Record<string, string>
  otherwise?: string
}

/** The mapping of a field. */
export type MappedField = {
  field: string
  from?: string[]
  constant?: string
  separator?: string
  transforms?: Step[]
  dateOrder?: string
  decimalMark?: string
}

/** The match of a value. */
export type MappedValue = { field: string; value: string; to?: string; then?: string }

/** The reading options in a mapping. */
export type Reading = { sheetName?: string; headerRow?: number; headerRows?: number; skipFooterRows?: number }

/** Called to check a screen, with a name for it. */
export type Shows = (screen: string) => Promise<void>

const orders: Record<string, string> = { dmy: 'Day, month, year', mdy: 'Month, day, year', ymd: 'Year, month, day' }
const stripped: Record<string, string> = { currency: 'Currency symbols', unit: 'Units', apostrophe: 'Apostrophes' }
const otherwise: Record<string, string> = { fails: 'Report an error', keep: 'Keep the value', empty: 'Leave empty' }
const steps: Record<string, string> = {
  lower: 'lowercase',
  replace: 'Find and replace',
  extract: 'Extract by pattern',
  strip: 'Remove characters',
  default: 'Fill empty cells',
  map: 'Replace values',
}

/** Selects an option of a list that a button opens. */
async function pick(page: Page, button: Locator, option: string | RegExp): Promise<void> {
  await button.click()
  await page
    .getByRole('option', { name: option, exact: typeof option === 'string' })
    .first()
    .click()
  await expect(page.getByRole('listbox')).toHaveCount(0)
}

/** Sets the reading options on the file settings screen and returns to the columns. */
export async function setReading(
  page: Page,
  { sheetName, headerRow, headerRows = 1, skipFooterRows = 0 }: Reading,
  shows: Shows,
): Promise<void> {
  await page.getByRole('link', { name: 'File settings' }).click()
  const rows = page.getByRole('region', { name: 'Preview' })
  const part = (name: string) => rows.locator(`tr[data-part=${name}]`)
  if (sheetName) {
    const take = page.getByRole('button', { name: 'Import this sheet' })
    await page
      .getByRole('group', { name: 'Sheets' })
      .getByRole('button', { name: new RegExp(`^${sheetName}`) })
      .click()
    await take.click()
    await expect(take).toBeHidden()
  }
  if (headerRow) {
    await rows.getByRole('button', { name: `Row ${headerRow} is the header row`, exact: true }).click()
    await expect(part('HEADER').last().getByRole('rowheader')).toHaveText(String(headerRow))
  }
  if (headerRows > 1) {
    await pick(page, page.getByRole('button', { name: /Header rows/ }), String(headerRows))
    await expect(part('HEADER')).toHaveCount(headerRows)
  }
  if (skipFooterRows > 0) {
    await rows
      .getByRole('button', { name: /^Data ends before row/ })
      .nth(-skipFooterRows)
      .click()
    await expect(part('FOOTER')).toHaveCount(skipFooterRows)
  }
  await shows('source')
  await page.getByRole('link', { name: 'Continue to columns' }).click()
}

/** Maps fields on the columns screen and waits until the mapping is saved. */
export async function mapFields(
  page: Page,
  fields: { name: string; title: string }[],
  { fields: all, values = [] }: { fields: MappedField[]; values?: MappedValue[] },
): Promise<void> {
  for (const mapping of all) {
    const empty = values
      .filter(({ field, then }) => field === mapping.field && then === 'empty')
      .map(({ value }) => [value, ''])
    const words: Step[] =
      empty.length > 0
        ? [{ op: 'map', values: Object.fromEntries(empty) as Record<string, string>, otherwise: 'keep' }]
        : []
    await mapField(page, fields.find(({ name }) => name === mapping.field)!.title, {
      ...mapping,
      transforms: [...(mapping.transforms ?? []), ...words],
    })
  }
  await expect(page.getByText('All changes saved')).toBeVisible()
}

/** Maps a field where its mapping differs. */
async function mapField(
  page: Page,
  title: string,
  { from = [], constant, separator, transforms = [], dateOrder, decimalMark }: MappedField,
): Promise<void> {
  const target = page
    .getByRole('region', { name: 'Fields' })
    .getByRole('listitem')
    .filter({ has: page.locator('strong', { hasText: new RegExp(`^${escaped(title)}$`) }) })
  const change = target.getByRole('button', { name: `Edit ${title}` })
  const choose = (option: string) =>
    pick(page, target.getByRole('button', { name: new RegExp(`Column for ${escaped(title)}`) }), option)
  const open = async () => {
    if ((await change.getAttribute('aria-expanded')) === 'false') await change.click()
  }
  const takenOut = (column: string) => `Remove ${column} from ${title}`
  await expect(target).toBeVisible()

  const taken = await target
    .getByRole('button', { name: /^Remove .* from / })
    .evaluateAll((found) => found.map((each) => each.getAttribute('aria-label')!))
  const isBegun = taken.every((label, place) => label === takenOut(from[place] ?? ''))
  if (!isBegun) for (const label of taken) await target.getByRole('button', { name: label, exact: true }).click()
  for (const column of from.slice(isBegun ? taken.length : 0)) {
    if (await change.count()) await open()
    await choose(column)
    await expect(target.getByRole('button', { name: takenOut(column), exact: true })).toBeVisible()
  }
  if (constant !== undefined) {
    await choose('Fixed value…')
    await write(target, 'Value for every row', constant)
    await expect(target.getByText(`= ${constant}`)).toBeVisible()
  }
  if (!dateOrder && !decimalMark && transforms.length === 0 && (separator ?? ' ') === ' ') return
  await open()
  if (separator && separator !== ' ') await write(target, 'Separator', separator)
  if (dateOrder) await pick(page, target.getByRole('button', { name: /Date format/ }), orders[dateOrder]!)
  if (decimalMark) await pick(page, target.getByRole('button', { name: /Decimal separator/ }), `1${decimalMark}5`)
  for (const step of transforms) await addStep(page, target, step)
  await change.click()
}

/** Fills in a field and leaves it, which saves the value. */
async function write(target: Locator, label: string, text: string): Promise<void> {
  const box = target.getByRole('textbox', { name: label, exact: true }).last()
  await box.fill(text)
  await box.blur()
}

/** Adds a transformation, using the labels on screen. */
async function addStep(page: Page, target: Locator, step: Step): Promise<void> {
  await pick(page, target.getByRole('button', { name: /Add transformation/ }), steps[step.op]!)
  if (step.op === 'replace') {
    await write(target, 'Find', step.old!)
    await write(target, 'Replace with', step.new ?? '')
  }
  if (step.op === 'extract') await write(target, 'Pattern', step.pattern!)
  if (step.op === 'default') await write(target, 'Fill with', step.value!)
  if (step.op === 'strip')
    await pick(page, target.getByRole('button', { name: /Characters$/ }).last(), stripped[step.what!]!)
  if (step.op === 'map') {
    for (const [word, becomes] of Object.entries(step.values!)) await mapWord(target, word, becomes)
    await pick(
      page,
      target.getByRole('button', { name: /If a value does not match$/ }).last(),
      otherwise[step.otherwise ?? 'fails']!,
    )
  }
}

/** Sets the replacement of a value, which is added if it is not among the samples. */
async function mapWord(target: Locator, word: string, becomes: string): Promise<void> {
  const box = target.getByRole('textbox', { name: `Replace “${word}” with`, exact: true })
  if ((await box.count()) === 0) {
    await target.getByRole('textbox', { name: 'Another value' }).fill(word)
    await target.getByRole('button', { name: 'Add', exact: true }).click()
  }
  await write(target, `Replace “${word}” with`, becomes)
}

const answers: Record<string, { button: string; is: string }> = {
  create: { button: 'Create new', is: 'Will be created' },
  empty: { button: 'Leave empty', is: 'Left empty' },
  skip: { button: 'Skip these rows', is: 'Rows skipped' },
}

/** Matches values on the values screen. */
export async function mapValues(page: Page, values: MappedValue[]): Promise<void> {
  for (const { value, to, then } of values) {
    const cell = page.getByRole('gridcell', { name: value, exact: true })
    const row = page.getByRole('row').filter({ has: cell })
    const { button, is } = then ? answers[then]! : { button: new RegExp(`^${escaped(to!)}`), is: to! }
    await reveal(page.getByRole('grid'), cell)
    await cell.click()
    await page
      .getByRole('region', { name: `Match “${value}” with` })
      .getByRole('button', { name: button })
      .first()
      .click()
    await expect(row.getByRole('gridcell').nth(1)).toHaveText(is)
  }
}

/** Scrolls a grid until a cell is visible, because only visible rows are rendered. */
async function reveal(grid: Locator, cell: Locator): Promise<void> {
  await expect(async () => {
    if (await cell.count()) return
    await grid.evaluate((area) => {
      area.scrollTop =
        area.scrollTop + area.clientHeight < area.scrollHeight - 1 ? area.scrollTop + area.clientHeight / 2 : 0
    })
    await expect(cell).toBeVisible({ timeout: 1_000 })
  }).toPass({ timeout: 60_000 })
}

/** Corrects a cell in place and retries its row. */
export async function correctCell(page: Page, wrong: string, right: string, shows: Shows): Promise<void> {
  const cell = page.getByRole('gridcell', { name: wrong, exact: true })
  await expect(cell).toBeVisible()
  await shows('wrong')
  await cell.dblclick()
  await page.getByRole('grid').getByRole('textbox').fill(right)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Import 1 corrected row' }).click()
  await expect(page.getByText('All rows imported')).toBeVisible()
  await shows('right')
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
