import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderScreen } from '@/test/render'
import { CorrectAlike } from './CorrectAlike'

const server = await vi.hoisted(async () => (await import('@/test/server')).standIn())

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())

/** The cells with the error. */
let cells: string[]
let sent: { preview: string | null; body: unknown }[]

beforeEach(() => {
  sent = []
  server.answer = async (request) => {
    let body: object = {
      rows: cells.map((read, n) => ({ rowNumber: n + 2, values: [{ field: 'EMAIL', read }] })),
      complete: true,
      cursor: null,
    }
    if (request.method === 'PATCH') {
      sent.push({ preview: new URL(request.url).searchParams.get('preview'), body: await request.json() })
      body = { matched: cells.length, corrected: cells.length, rows: [], complete: true, cursor: null }
    }
    return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
  }
})

afterEach(cleanup)

/** A busy machine needs more than the default of a second. */
const patience = { timeout: 15_000 }

const open = (code: string, kind = 'email') =>
  renderScreen(
    <CorrectAlike id="job-1" title="E-mail" field="EMAIL" kind={kind} code={code} rows={2} onClose={vi.fn()} />,
  )

test('a correction that the values suggest is tried at once, and applied to all of them', async () => {
  cells = ['ann(at)example.org', 'bob(at)example.org']
  open('CELL_EMAIL')
  expect(await screen.findByText('This fixes 2 of 2 cells.', {}, patience)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Apply to 2 rows' }))
  await waitFor(() => expect(sent.length).toBeGreaterThan(1), patience)
  const body = {
    where: { field: 'EMAIL', code: 'CELL_EMAIL' },
    transform: [{ op: 'replace', old: '(at)', new: '@' }],
  }
  expect(sent.slice(0, 2)).toEqual([
    { preview: 'true', body },
    { preview: 'false', body },
  ])
})

test('without a suggestion the values are shown, and nothing is tried before the fields are filled in', async () => {
  cells = ['', '']
  open('CELL_REQUIRED')
  expect(await screen.findByText('Choose how to fix these 2 cells.', {}, patience)).toBeTruthy()
  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Fill with' }, patience)).value).toBe('')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Apply' }).disabled).toBe(true)
  expect(sent).toEqual([])
  await userEvent.click(screen.getByRole('textbox', { name: 'Fill with' }))
  await userEvent.paste('unknown@example.org')
  await waitFor(
    () => expect(sent.at(-1)?.body).toMatchObject({ transform: [{ op: 'default', value: 'unknown@example.org' }] }),
    patience,
  )
})

test('another suggestion replaces the one that was tried', async () => {
  cells = ['ann(at)example.org', 'bob [at] example.org']
  open('CELL_EMAIL')
  await userEvent.click(await screen.findByRole('button', { name: 'Replace “[at]” with “@”' }, patience))
  await waitFor(() => expect(sent.at(-1)?.body).toMatchObject({ transform: [{ old: ' [at] ', new: '@' }] }), patience)
})
