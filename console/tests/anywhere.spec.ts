import type { Page } from '@playwright/test'
import { send } from './club'
import { accessible, expect, picture, test } from './console'
import { bring } from './people'

const rows = (stamp: number, count = 4) =>
  [
    'Name,Email',
    ...Array.from({ length: count }, (_, n) => `Ada ${n},d${n}.${stamp}${n === 2 ? '' : '@drop.example'}`),
  ].join('\n')

/** Drags a file over the main part of a screen and drops it there. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([called, text]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], called, { type: 'text/csv' }))
      return transfer
    },
    [name, content] as const,
  )
  await page.dispatchEvent('main', 'dragover', { dataTransfer })
  await expect(page.getByText('Drop the file to start a new import')).toBeVisible()
  await page.dispatchEvent('main', 'drop', { dataTransfer })
}

test('a file dropped on any screen opens a new import with it, whose type is guessed, and no file is sent', async ({
  page,
}) => {
  const stamp = Date.now()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })
  await page.goto('/settings')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await drop(page, 'dropped.csv', rows(stamp))
  await expect(page.getByRole('heading', { name: 'New import' })).toBeVisible()
  await expect(page.getByText('dropped.csv')).toBeVisible()
  await expect(page.getByText('Looks like Users: 2 of 2 columns recognised.')).toBeVisible()
  await accessible(page)
  await picture(page, 'new-guessed')
  expect(sent.map((url) => new URL(url).pathname)).toEqual(['/api/import-types/guess']) // no file

  // A discarded preview is started again with the same file, settings and columns.
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: 'Discard preview' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard preview' }).click()
  await page.getByRole('link', { name: 'Start again' }).click()
  await expect(page.getByText('dropped.csv')).toBeVisible()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: 'Confirm columns' }).click()
  await page.getByRole('button', { name: 'Import 3 rows' }).click()

  // A correction that is refused keeps what was written; the corrected row of a planned import is written.
  await page.getByRole('link', { name: 'Fix 1 row' }).click()
  await page.getByRole('gridcell', { name: `d2.${stamp}` }).dblclick()
  const cell = page.getByRole('textbox', { name: /^Email/ })
  await cell.fill('still wrong')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('not an e-mail address')
  await expect(cell).toHaveValue('still wrong')
  await cell.fill(`d2.${stamp}@drop.example`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Import 1 corrected row' }).click()
  await expect(page.getByText('All rows imported')).toBeVisible({ timeout: 90_000 })
})

test('a table pasted outside of fields opens a new import with it', async ({ page }) => {
  await page.goto('/profiles')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
  }, rows(Date.now()))
  await expect(page.getByRole('heading', { name: 'New import' })).toBeVisible()
  await expect(page.getByText('pasted rows.csv')).toBeVisible()
})

test('from the values a person returns to the columns', async ({ page }) => {
  const id = await send(page, 'First name;Last name;Email;Membership type\nAda;Lovelace;ada@back.example;Adulte\n')
  await page.goto(`/imports/${id}`)
  await expect(page.getByRole('heading', { name: 'Match values' })).toBeVisible()
  await page.getByRole('button', { name: 'Back to columns' }).click()
  await expect(page.getByRole('heading', { name: 'Match columns' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove First name from First name' })).toBeVisible()
})

test('a server that does not respond is announced', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
  await page.route('**/api/**', (route) => route.abort('internetdisconnected'))
  await expect(page.getByText(/^Loadbay is not responding/)).toBeVisible()
  await page.unroute('**/api/**')
  await expect(page.getByText(/^Loadbay is not responding/)).toBeHidden()
})

test('a file that was imported before is recognised, with a link to that import and to its settings', async ({
  page,
}) => {
  const content = rows(Date.now())
  const before = await bring(page, content, { label: 'weekly' })
  await page.goto('/settings')
  await drop(page, 'copy.csv', content)
  const note = page.getByRole('status').filter({ hasText: 'uploaded this file before' })
  await expect(note).toContainText('Completed')
  await expect(note.getByRole('link', { name: 'Open that import' })).toHaveAttribute('href', `/imports/${before}`)
  await accessible(page)
  await picture(page, 'new-same-file')
  await note.getByRole('link', { name: 'Import again with the same settings' }).click()
  await expect(page.getByRole('textbox', { name: /^Label/ })).toHaveValue('weekly')
  await expect(page.getByText('people.csv', { exact: true })).toBeVisible() // the stored file
})
