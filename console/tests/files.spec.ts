import { basename } from 'node:path'
import type { Page } from '@playwright/test'
import { accessible, expect, picture } from './console'
import { signIn } from './issuer'
import { misfits } from './looks'
import { kept, makeOrganisation, token } from './organisation'
import { importPreviewed, looked } from './people'
import { correctCell, mapFields, setReading, mapValues } from './screens'
import { test } from './signed-in'
import { sources, type Source } from './sources'

type Type = {
  name: string
  title: string
  modes: string[]
  context: object | null
  fields: { name: string; title: string }[]
}

/** One screen size per file, from a phone to a wall display. */
const sizes = [
  [390, 844],
  [412, 915],
  [1280, 800],
  [768, 1024],
  [1366, 768],
  [1440, 900],
  [360, 740],
  [600, 960],
  [820, 1180],
  [1024, 768],
  [1920, 1080],
  [320, 640],
  [2560, 1440],
  [3840, 2160],
] as const

for (const [place, source] of sources.entries()) {
  const [width, height] = sizes[place % sizes.length]!
  test(`${source.name} is imported from drop to its last row, at ${width} by ${height}`, async ({ page, strict }) => {
    test.setTimeout(300_000)
    await page.setViewportSize({ width, height })
    const organisation = await makeOrganisation(page.request, source)
    const bearer = await token(page.request, `organisation=${organisation}`)
    const types = (await (
      await page.request.get('/api/import-types', { headers: { Authorization: `Bearer ${bearer}` } })
    ).json()) as Type[]
    const type = types.find(({ name }) => name === source.type)!
    const shows = async (screen: string) => {
      expect(await misfits(page), screen).toEqual([])
      await picture(page, `files-${String(place).padStart(2, '0')}-${screen}`)
    }

    await page.goto('/imports/new')
    await signIn(page, { organisation })
    await drop(page, source, type)
    await shows('new')
    await page.getByRole('button', { name: 'Preview changes' }).click()

    const columns = page.getByRole('heading', { name: 'Match columns' })
    const values = page.getByRole('heading', { name: 'Match values' })
    const ended = page.getByText(/Completed/).first()
    const preview = page.getByRole('heading', { name: 'Preview', exact: true })
    await expect(columns.or(values).or(preview).first()).toBeVisible({ timeout: 60_000 })
    if (await columns.isVisible()) {
      if (source.mapping.source) await setReading(page, source.mapping.source, shows)
      await mapFields(page, type.fields, source.mapping)
      await shows('columns')
      await page.getByRole('button', { name: 'Confirm columns' }).click()
      await expect(columns).toBeHidden()
    }
    await expect(values.or(preview).first()).toBeVisible({ timeout: 60_000 })
    if (await values.isVisible()) {
      await mapValues(page, source.values ?? [])
      await shows('values')
      await page.getByRole('button', { name: 'Confirm and preview' }).click()
    }
    await expect(preview).toBeVisible({ timeout: 60_000 })
    await shows('preview')
    await importPreviewed(page)
    await expect(preview).toBeHidden()
    await expect(page.getByText(`${source.rows.length} of ${source.rows.length} rows`)).toBeVisible({ timeout: 60_000 })
    await expect(ended).toBeVisible({ timeout: 60_000 })
    await shows('done')
    await page.getByRole('link', { name: 'Fix 1 row' }).click()
    await correctCell(page, source.wrong, source.right, shows)
    await accessible(page)
    const byKey = (rows: Record<string, string>[]) => new Map(rows.map((row) => [row[source.key], row]))
    expect(byKey(await kept(strict.url, bearer, source.resource, source.other ?? []))).toEqual(byKey(source.rows))
  })
}

/** Fills in the new import screen and selects a file. */
async function drop(page: Page, source: Source, type: Type): Promise<void> {
  await page.getByRole('button', { name: /Choose a type/ }).click()
  await page.getByRole('option', { name: type.title, exact: true }).click()
  if (type.modes.length > 1) {
    await page.getByRole('button', { name: /Existing records/ }).click()
    await page.getByRole('option', { name: 'Update' }).click()
  }
  if (type.context) {
    await page.getByRole('combobox').press('ArrowDown')
    await page.getByRole('option', { name: source.categories ? 'Race' : '2026' }).click()
  }
  await page.locator('input[type=file]').setInputFiles(source.file)
  await expect(page.getByText(basename(source.file))).toBeVisible()
  await looked(page)
  const other = page.getByText('Upload anyway')
  if (await other.count()) await other.click()
}
