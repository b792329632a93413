import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ImportJob } from '@/api/imports'
import { renderScreen } from '@/test/render'
import Columns from './Columns'

// The API's client takes fetch when it is loaded, so the stand-in must be there before.
const server = vi.hoisted(() => {
  const server: { answer: (request: Request) => Promise<Response> } = {
    answer: () => Promise.reject(new Error('no answer')),
  }
  globalThis.fetch = (input, init) => server.answer(new Request(input, init))
  return server
})

vi.mock('@/app/session', () => ({
  session: { token: () => Promise.resolve('token'), expire: vi.fn(), state: () => 'active', subscribe: () => vi.fn() },
}))

const job = { identifier: 'job-1', importType: 'USER', warnings: [] } as unknown as ImportJob

const types = [
  {
    name: 'USER',
    fields: [
      { name: 'EMAIL', title: 'E-mail', isRequired: true, kind: 'text', aliases: [] },
      { name: 'NAME', title: 'Name', isRequired: false, kind: 'text', aliases: [] },
    ],
  },
]

const column = (columnIndex: number, sourceHeader: string, samples: string[]) => ({
  columnIndex,
  sourceHeader,
  samples,
  candidates: [],
  warnings: [],
  kind: 'text',
  kindShare: 1,
  fillRate: 1,
})

type Answer = { status?: number; body: unknown }

/** The API: the answer to each request, by method and path. */
let answers: Record<string, Answer>
let sent: { to: string; body: unknown }[]

beforeEach(() => {
  sent = []
  answers = {
    'GET /api/import-types': { body: types },
    'GET /api/imports/job-1/column-mappings': {
      body: [column(0, 'Contact', ['ann@example.org']), column(1, 'Person', ['Ann'])],
    },
    'GET /api/imports/job-1/mapping': { body: {} },
    'PUT /api/imports/job-1/mapping': { status: 406, body: { code: 'MAPPING_INCOMPLETE', detail: 'Match E-mail.' } },
    'POST /api/imports/job-1/mapping/preview': { body: { fields: [], rows: [] } },
    'POST /api/imports/job-1/column-mappings/confirm': { body: {} },
  }
  server.answer = async (request) => {
    const to = `${request.method} ${new URL(request.url).pathname}`
    const text = await request.text()
    if (request.method !== 'GET') sent.push({ to, body: text ? JSON.parse(text) : null })
    const { status = 200, body } = answers[to] ?? { status: 404, body: { detail: `no answer to ${to}` } }
    const type = status < 400 ? 'application/json' : 'application/problem+json'
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': type, ETag: '"1"' } })
  }
})

afterEach(cleanup)

const draftsSent = () => sent.filter(({ to }) => to === 'PUT /api/imports/job-1/mapping').map(({ body }) => body)

/** Opens the list of columns of a field with the keyboard. */
async function openChoices(field: string) {
  const button = await screen.findByRole('button', { name: new RegExp(field), expanded: false })
  button.focus()
  await userEvent.keyboard('{Enter}')
  return screen.findByRole('listbox')
}

test('a column is matched with the keyboard and saved with the import', async () => {
  renderScreen(<Columns job={job} />)
  const choices = await openChoices('E-mail')
  expect(within(choices).getAllByRole('option')).toHaveLength(3) // two columns, and a fixed value
  await userEvent.keyboard('{ArrowDown}{Enter}')
  await waitFor(() => expect(draftsSent()).toHaveLength(1))
  expect(draftsSent()[0]).toMatchObject({ fields: [{ field: 'EMAIL', from: ['Person'] }] })
})

test('a pasted fixed value is saved', async () => {
  renderScreen(<Columns job={job} />)
  const choices = await openChoices('Name')
  await userEvent.click(within(choices).getAllByRole('option').at(-1)!)
  const input = await screen.findByRole('textbox')
  await userEvent.click(input)
  await userEvent.paste('Unknown')
  await waitFor(() => expect(draftsSent().at(-1)).toMatchObject({ fields: [{ field: 'NAME', constant: 'Unknown' }] }))
})

test('required fields without a column are named', async () => {
  renderScreen(<Columns job={job} />)
  expect(await screen.findByText(/E-mail/, { selector: 'footer p' })).toBeTruthy()
})

test('a file without columns still shows the fields', async () => {
  answers['GET /api/imports/job-1/column-mappings'] = { body: [] }
  renderScreen(<Columns job={job} />)
  expect(await screen.findByText('E-mail', { selector: 'strong' })).toBeTruthy()
  const choices = await openChoices('E-mail')
  expect(within(choices).getAllByRole('option')).toHaveLength(1) // only the fixed value
})

test('a failure is shown, and a retry loads the board', async () => {
  const columns = answers['GET /api/imports/job-1/column-mappings']!
  answers['GET /api/imports/job-1/column-mappings'] = {
    status: 503,
    body: { code: 'UNAVAILABLE', detail: 'The database does not answer.' },
  }
  renderScreen(<Columns job={job} />)
  expect(await screen.findByText('The database does not answer.')).toBeTruthy()
  answers['GET /api/imports/job-1/column-mappings'] = columns
  await userEvent.click(screen.getByRole('button'))
  expect(await screen.findByText('ann@example.org')).toBeTruthy()
})

test('a rejected change is explained and not confirmed', async () => {
  answers['PUT /api/imports/job-1/mapping'] = {
    status: 422,
    body: { code: 'MAPPING_INVALID', detail: 'This column does not exist.' },
  }
  renderScreen(<Columns job={job} />)
  await openChoices('E-mail')
  await userEvent.keyboard('{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('This column does not exist.')
})
