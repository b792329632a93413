import { accessible, expect, picture, test } from './console'
import { choosePeople } from './people'

test('problems of a file are shown before the upload, and nothing is sent', async ({ page }) => {
  const sent: string[] = []
  page.on('request', (request) => {
    // The headers and first rows are sent to guess the type, not the file.
    if (request.method() !== 'GET' && !request.url().endsWith('/import-types/guess'))
      sent.push(`${request.method()} ${request.url()}`)
  })
  await page.goto('/imports/new')
  await choosePeople(page)
  const choose = (name: string, content: string) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })

  await choose('contract.csv', '%PDF-1.7 and the rest')
  await expect(page.getByRole('alert')).toContainText(
    'This is a PDF file, not a spreadsheet. Upload CSV, NDJSON, XLSX or XLS. UNSUPPORTED_FORMAT',
  )
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await accessible(page)
  await picture(page, 'new-refused')

  await choose('stock.csv', 'Part;Price\nBolt;1\nNut;2\n')
  await expect(page.getByRole('alert')).toContainText(
    'The file has no column for: Email, Name. REQUIRED_COLUMN_MISSING',
  )
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByRole('row', { name: /Bolt/ })).toBeVisible()
  await accessible(page)
  await picture(page, 'new-other')
  await expect(page).toHaveURL(/\/imports\/new$/)
  expect(sent).toEqual([])

  await page.getByText('Upload anyway').click()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByRole('heading', { name: 'Match columns' })).toBeVisible()
})

test('the reading of a file is shown before the upload', async ({ page }) => {
  await page.goto('/imports/new')
  await choosePeople(page)
  const text = Buffer.from(
    `Liste\n\nNom complet;Courriel;Service\nZo\xe9 No\xebl;zoe.${Date.now()}@head.example;R\xe9seaux\n`,
    'latin1',
  )
  await page.locator('input[type=file]').setInputFiles({ name: 'liste.csv', mimeType: 'text/csv', buffer: text })
  await expect(page.getByText(/CSV · WINDOWS-1252 · Semicolon .* · header in row 3/)).toBeVisible()
  await expect(page.getByRole('row', { name: /Zoé Noël/ })).toBeVisible()
  await expect(page.getByText('2 of 3 columns recognised.')).toBeVisible()
  await accessible(page)
  await picture(page, 'new-head')
})

test('if the reader cannot be loaded, the file is uploaded anyway', async ({ page }) => {
  await page.route('**/assets/reader*', (route) =>
    route.fulfill({ status: 200, contentType: 'application/gzip', body: 'not a program' }),
  )
  await page.goto('/imports/new')
  await choosePeople(page)
  await page.locator('input[type=file]').setInputFiles({
    name: 'alone.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`Name,Email\nAda,alone.${Date.now()}@head.example\n`),
  })
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByText('1 of 1 rows')).toBeVisible()
})
