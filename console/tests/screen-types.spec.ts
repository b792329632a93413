import type { Page } from '@playwright/test'
import { accessible, expect, picture, test as base } from './console'
import { inDatabase } from './database'
import { misfits, shown } from './looks'
import { startStack, type Stack } from './stack'

/** Tests on a stack whose database has tables that are not Loadbay's. */
const test = base.extend<object, { shop: Stack }>({
  shop: [
    async ({}, use) => {
      const stack = await startStack()
      inDatabase(stack, tables)
      await use(stack)
      await stack.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ shop }, use) => use(shop.url),
})

const tables = `
  CREATE SCHEMA app;
  CREATE TABLE app.categories (id serial PRIMARY KEY, name text NOT NULL UNIQUE);
  CREATE TABLE app.suppliers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, city text);
  CREATE TABLE app.products (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sku text NOT NULL CONSTRAINT products_sku_key UNIQUE,
    name text NOT NULL,
    category_id integer NOT NULL REFERENCES app.categories,
    supplier_id bigint REFERENCES app.suppliers,
    price numeric(10,2) CHECK (price >= 0),
    updated_at timestamptz NOT NULL DEFAULT '2026-01-01'
  );
  CREATE TABLE app.log (line text);
  CREATE VIEW app.cheap AS SELECT * FROM app.products WHERE price < 10;
  COMMENT ON TABLE app.products IS 'What the shop sells';
  COMMENT ON COLUMN app.products.sku IS 'Article number';
  INSERT INTO app.categories (name) VALUES ('Tools'), ('Ropes'), ('Paint');
  INSERT INTO app.suppliers (name) SELECT 'Supplier ' || i FROM generate_series(1, 20) AS i;
  INSERT INTO app.products (sku, name, category_id, supplier_id, price)
  SELECT 'A-' || lpad(i::text, 4, '0'), 'Anchor ' || i, i % 3 + 1, nullif(i % 21, 0), i * 1.25 FROM generate_series(1, 50) AS i;
  ANALYZE app.products`

const file = `Article number,Product name,Category,Supplier,Price
A-0007,Anchor 7,Tools,Supplier 3,19.95
A-2001,Buoy,Tools,Supplier 5,75.00
`

test.describe.configure({ timeout: 180_000, mode: 'serial' })

const yaml = (page: Page) => page.getByRole('textbox', { name: 'Declaration', exact: true })
const view = (page: Page, name: 'Form' | 'YAML') =>
  page.getByRole('group', { name: 'View' }).getByRole('button', { name, exact: true }).click()

/** Checks the screen with axe and saves pictures of it on a desktop and on a phone. */
async function looksRight(page: Page, name: string): Promise<void> {
  await shown(page)
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    expect(await misfits(page), `${name} at ${width} px`).toEqual([])
    await picture(page, `${name}-${width}`)
  }
  await accessible(page)
}

test('a table is adopted, checked and published, and a file is imported into it', async ({ page, shop }) => {
  await page.goto('/settings')
  await page.getByRole('link', { name: 'Manage import types' }).click()
  await expect(page.getByText('No types declared yet.')).toBeVisible()
  const tableList = page.getByRole('table', { name: 'Tables of the database' })
  const row = (table: string) => tableList.getByRole('row').filter({ has: page.getByText(table, { exact: true }) })
  await expect(row('app.products').getByText('Usable', { exact: true })).toBeVisible()
  await expect(row('app.log').getByText('Not usable')).toBeVisible()
  await expect(row('app.log')).toContainText('primary key')
  await expect(row('app.cheap')).toContainText('view')
  await expect(row('app.log').getByRole('link')).toHaveCount(0)
  await looksRight(page, 'types-tables')

  await page.getByRole('searchbox', { name: 'Search tables' }).fill('produ')
  await expect(tableList.getByRole('row')).toHaveCount(2)
  await page.getByRole('link', { name: 'Draft type for app.products' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'New type for app.products' })).toBeVisible()
  await looksRight(page, 'type-draft')

  // A guess must be decided on: suppliers have no unique name.
  const publish = page.getByRole('button', { name: 'Publish', exact: true })
  await expect(publish).toBeDisabled()
  const guesses = page.getByRole('checkbox', { name: /^Decided: / })
  for (let at = 0; at < (await guesses.count()); at++) await guesses.nth(at).check({ force: true })
  await expect(publish).toBeEnabled()

  // A check without the owner's grants fails, and shows the statements.
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(page.getByText('Imports would fail')).toBeVisible()
  const grants = page.getByRole('region', { name: 'Permissions in the database', exact: true })
  await expect(grants).toContainText('GRANT SELECT')
  await looksRight(page, 'type-check-fails')
  inDatabase(shop, await grants.innerText())

  // The form and the YAML show the same text.
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Shop products')
  await page.getByRole('button', { name: 'Edit Name' }).click()
  await page.getByRole('textbox', { name: 'Other headers' }).fill('Product name; Label')
  await page.getByRole('textbox', { name: 'Title (Deutsch)' }).fill('Bezeichnung')
  await page.getByRole('textbox', { name: 'Title (Deutsch)' }).blur()
  await looksRight(page, 'type-form')
  await view(page, 'YAML')
  await expect(yaml(page)).toHaveValue(/aliases: \[Product name, Label\]/)
  await expect(yaml(page)).toHaveValue(/titles: \{de: Bezeichnung\}/)
  await expect(yaml(page)).toHaveValue(/# DECIDE/)

  // Errors are shown at their line and column.
  const good = await yaml(page).inputValue()
  await yaml(page).fill(good.replace('title: Shop products', 'title: Shop products\ncolour: red'))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: /^Line 4, column 1$/ }).click()
  await expect(page.getByText(/^Unknown key\. One of /)).toBeVisible()
  expect(
    await yaml(page).evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd)),
  ).toBe('colour: red')
  await looksRight(page, 'type-yaml')
  await yaml(page).fill(`${good}\nfields: [`)
  await expect(page.getByRole('button', { name: /^Line \d+, column \d+$/ }).first()).toBeVisible()
  await expect(publish).toBeDisabled()
  await yaml(page).fill(good)

  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(page.getByText('Imports would work')).toBeVisible()
  await publish.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Shop products' })).toBeVisible()
  await expect(page.getByText('APP_PRODUCTS · app.products · Version 1')).toBeVisible()
  await looksRight(page, 'type-published')

  // A first import.
  await page.getByRole('link', { name: 'Import a file' }).click()
  await page.getByRole('button', { name: /Choose a type/ }).click()
  await page.getByRole('option', { name: 'Shop products' }).click()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  await page.getByRole('checkbox', { name: 'Import without preview' }).check({ force: true })
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByText(/Completed/).first()).toBeVisible({ timeout: 60_000 })
  await picture(page, 'type-imported')
  const stored = `SELECT string_agg(p.name || ' ' || s.name || ' ' || price, ', ' ORDER BY sku)
    FROM app.products AS p JOIN app.suppliers AS s ON s.id = supplier_id WHERE sku IN ('A-0007', 'A-2001')`
  expect(inDatabase(shop, stored)).toBe('Anchor 7 Supplier 3 19.95, Buoy Supplier 5 75.00')
})

test('a type gets another version, and an earlier one is edited again', async ({ page }) => {
  await page.goto('/settings/types/APP_PRODUCTS')
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Goods')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Goods' })).toBeVisible()
  const versions = page.getByRole('table', { name: 'Versions' })
  await expect(versions.getByRole('row')).toHaveCount(3)
  await page.getByRole('button', { name: 'Show version 1' }).click()
  await expect(page.getByRole('textbox', { name: 'Version 1' })).toHaveValue(/title: Shop products/)
  await page.getByRole('button', { name: 'Edit version 1 and publish it again' }).click()
  await expect(page.getByRole('textbox', { name: 'Title', exact: true })).toHaveValue('Shop products')
})
