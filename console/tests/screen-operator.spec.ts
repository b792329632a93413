import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { accessible, expect, picture } from './console'
import { signIn } from './issuer'
import { test } from './operated'
import { token } from './organisation'
import { people } from './people'
import { lose, send } from './queue'
import type { Stack } from './stack'

test.describe.configure({ timeout: 180_000 })

/** Starts an import whose messages are lost when its first rows are written. Each row is a chunk here. */
async function strand(page: Page, { url, aws }: Stack, name: string): Promise<string> {
  const headers = { Authorization: `Bearer ${await token(page.request, 'organisation=1')}` }
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(people(400)) }
  const made = await page.request.post(`${url}/api/imports`, {
    headers,
    multipart: { file, importType: 'USER', autoStart: 'true' },
  })
  expect(made.ok(), await made.text()).toBe(true)
  const { identifier } = (await made.json()) as { identifier: string }
  await expect
    .poll(
      async () =>
        (
          (await (await page.request.get(`${url}/api/imports/${identifier}`, { headers })).json()) as {
            totalRows: number
          }
        ).totalRows,
      { intervals: [20], timeout: 60_000 },
    )
    .toBe(400)
  await lose(aws, 'loadbay-rows-local')
  return identifier
}

async function showAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Show$/ }).click()
  await page.getByRole('option', { name: 'All', exact: true }).click()
}

test('a person without the operator role sees no operator screen', async ({ page }) => {
  await page.goto('/operator')
  await signIn(page, { name: 'olga' })
  await expect(page.getByRole('heading', { name: 'Only operators can view this page' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Operations' })).toBeHidden()
  await accessible(page)
  await picture(page, 'operator-refused')
})

test('stuck work is listed and requeued', async ({ page, strict }) => {
  const id = await strand(page, strict, 'lost.csv')
  await page.goto('/')
  await signIn(page, { name: 'olga', operates: true })
  await page.getByRole('link', { name: 'Operations' }).click()
  const row = page.getByRole('table', { name: 'Imports of all organisations' }).getByRole('row').filter({ hasText: id })
  await expect(row.getByText('No progress')).toBeVisible()
  await expect(page.getByText(/^No progress for 2 secs?$/)).toBeVisible()
  await accessible(page)
  await picture(page, 'operator')
  await row.getByRole('button', { name: 'Requeue' }).click()
  await expect(page.getByText(/chunks? requeued/)).toBeVisible()
  await showAll(page)
  await expect(row.getByText('Completed')).toBeVisible({ timeout: 120_000 })
  await expect(row.getByText('400 of 400')).toBeVisible()
})

test('running work is cancelled', async ({ page, strict: { url } }) => {
  const headers = { Authorization: `Bearer ${await token(page.request, 'organisation=1')}` }
  const file = {
    name: 'asks.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Voornaam;Bijzonderheden\nAnneke;speelt graag\n'),
  }
  const { identifier } = (await (
    await page.request.post(`${url}/api/imports`, { headers, multipart: { file, importType: 'USER' } })
  ).json()) as { identifier: string }
  await page.goto('/operator?show=open')
  await signIn(page, { name: 'olga', operates: true })
  const row = page
    .getByRole('table', { name: 'Imports of all organisations' })
    .getByRole('row')
    .filter({ hasText: identifier })
  await row.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(row).toBeHidden()
  await showAll(page)
  await expect(row.getByText('Cancelled')).toBeVisible()
})

test('dead letters are viewed, redriven and discarded', async ({ page, strict }) => {
  const [event, other] = [randomUUID(), randomUUID()]
  for (const eventId of [event, other])
    await send(strict.aws, 'loadbay-webhooks-dlq-local', { source: 'loadbay', detail: { eventId, organisationId: 1 } })
  await page.goto('/operator')
  await signIn(page, { name: 'olga', operates: true })
  await page
    .getByRole('table', { name: 'Queues' })
    .getByRole('row', { name: /Webhooks/ })
    .getByRole('button', { name: 'Open' })
    .click()
  const letters = page.getByRole('table', { name: 'Dead letters: Webhooks' })
  await expect(letters.getByText(event)).toBeVisible()
  await accessible(page)
  await picture(page, 'operator-dead')
  await letters.getByRole('row').filter({ hasText: event }).getByRole('button', { name: 'Requeue' }).click()
  await expect(letters.getByText(event)).toBeHidden()
  await letters.getByRole('row').filter({ hasText: other }).getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByText('No messages, or they are being processed.')).toBeVisible()
})

test('messages about dropped files show why they cannot be redriven, and are discarded', async ({ page, strict }) => {
  const key = `drop/1/USER/-/${randomUUID()}.csv`
  await send(strict.aws, 'loadbay-events-dlq-local', {
    requestPayload: { source: 'aws.s3', detail: { object: { key } } },
  })
  await page.goto('/operator')
  await signIn(page, { name: 'olga', operates: true })
  await page
    .getByRole('table', { name: 'Queues' })
    .getByRole('row', { name: /Received files/ })
    .getByRole('button', { name: 'Open' })
    .click()
  const letter = page
    .getByRole('table', { name: 'Dead letters: Received files' })
    .getByRole('row')
    .filter({ hasText: key })
  await expect(letter).toBeVisible()
  await expect(page.getByText(/These messages cannot be requeued/)).toBeVisible()
  await expect(letter.getByRole('button', { name: 'Requeue' })).toHaveCount(0)
  await accessible(page)
  await letter.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await expect(letter).toHaveCount(0)
})

test('an organisation gets its own quotas', async ({ page }) => {
  await page.goto('/operator')
  await signIn(page, { name: 'olga', operates: true })
  await page.getByRole('table', { name: 'Organisations' }).getByRole('button').first().click()
  await page.getByRole('textbox', { name: 'Concurrent imports' }).fill('7')
  await page.getByRole('button', { name: 'Save quotas' }).click()
  await expect(page.getByText('Quotas saved')).toBeVisible()
  await accessible(page)
  await picture(page, 'operator-organisation')
  await page.goto('/settings')
  await expect(page.getByText('0 of 7')).toBeVisible()
})
