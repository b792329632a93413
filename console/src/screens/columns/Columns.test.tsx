import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ImportJob } from '@/api/imports'
import { renderScreen } from '@/test/render'
import Columns from './Columns'

const server = await vi.hoisted(async () => (await import('@/test/server')).standIn())

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())

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

test('a change is undone with the button, and with the keyboard', async () => {
  renderScreen(<Columns job={job} />)
  await openChoices('E-mail')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(draftsSent()).toHaveLength(1))
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(draftsSent()).toHaveLength(2))
  expect(draftsSent()[1]).toMatchObject({ fields: [] })
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Undo' }).disabled).toBe(true)
  await openChoices('E-mail')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(draftsSent()).toHaveLength(3))
  screen.getByRole('button', { name: 'Confirm columns' }).focus()
  await userEvent.keyboard('{Control>}z{/Control}')
  await waitFor(() => expect(draftsSent()).toHaveLength(4))
  expect(draftsSent()[3]).toMatchObject({ fields: [] })
})

test('a column that a field uses is marked, and offered after the others', async () => {
  renderScreen(<Columns job={job} />)
  await openChoices('E-mail')
  await userEvent.keyboard('{Enter}') // Contact
  await waitFor(() => expect(draftsSent()).toHaveLength(1))
  const options = within(await openChoices('Name')).getAllByRole('option')
  expect(options.map((option) => option.textContent)).toEqual([
    expect.stringMatching(/^Person(?!.*Already used)/),
    expect.stringMatching(/^Contact.*Already used/),
    expect.stringContaining('Fixed value'),
  ])
})

test('the reason of a suggestion is not shown for a column that a person chose', async () => {
  const contact = (matchedBy: string) => ({
    ...column(0, 'Contact', ['ann@example.org']),
    matchedBy,
    candidates: [{ field: 'EMAIL', score: 0.64, reason: 'similar' }],
  })
  answers['GET /api/imports/job-1/mapping'] = { body: { fields: [{ field: 'EMAIL', from: ['Contact'] }] } }
  answers['GET /api/imports/job-1/column-mappings'] = { body: [contact('person')] }
  renderScreen(<Columns job={job} />)
  await screen.findByRole('button', { name: 'Remove Contact from E-mail' })
  expect(screen.queryByText(/Similar name/)).toBeNull()
  cleanup()
  answers['GET /api/imports/job-1/column-mappings'] = { body: [contact('similar')] }
  renderScreen(<Columns job={job} />)
  expect(await screen.findByText('Similar name (64%)')).toBeTruthy()
})

test('a new transformation changes nothing until it is complete', async () => {
  answers['GET /api/imports/job-1/mapping'] = { body: { fields: [{ field: 'NAME', from: ['Person'] }] } }
  renderScreen(<Columns job={job} />)
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Name' }))
  await userEvent.click(screen.getByRole('button', { name: /Add transformation/ }))
  await userEvent.click(await screen.findByRole('option', { name: 'Find and replace' }))
  expect(await screen.findByText(/Complete Name/)).toBeTruthy()
  expect(draftsSent()).toEqual([])
  await userEvent.click(screen.getByRole('textbox', { name: 'Find' }))
  await userEvent.paste('Dr. ')
  await waitFor(() => expect(draftsSent()).toHaveLength(1))
  expect(draftsSent()[0]).toMatchObject({ fields: [{ field: 'NAME', transforms: [{ op: 'replace', old: 'Dr. ' }] }] })
})

test('values that fail or change are previewed before others, and a fitting step is offered', async () => {
  const value = (cell: string, after = cell) => ({
    field: 'NAME',
    cells: [cell],
    text: cell,
    value: after,
    fault: null,
  })
  answers['GET /api/imports/job-1/mapping'] = { body: { fields: [{ field: 'NAME', from: ['Person'] }] } }
  answers['POST /api/imports/job-1/mapping/preview'] = {
    body: {
      fields: [{ field: 'NAME', faults: 0 }],
      rows: [...Array.from({ length: 20 }, (_, n) => value(`Ann ${n}`)), value('Dr. Eve', 'Dr Eve')].map(
        (each, row) => ({
          row,
          values: [each],
        }),
      ),
    },
  }
  renderScreen(<Columns job={job} />)
  expect(await screen.findByText('Dr Eve')).toBeTruthy()
  expect(screen.queryByText('Ann 0')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Remove “Dr.”' }))
  await waitFor(() =>
    expect(draftsSent()[0]).toMatchObject({
      fields: [{ field: 'NAME', transforms: [{ op: 'replace', old: 'Dr. ', new: '' }] }],
    }),
  )
})

test('many columns can be searched, and narrowed to the unmatched ones', async () => {
  answers['GET /api/imports/job-1/column-mappings'] = {
    body: Array.from({ length: 20 }, (_, n) => column(n, `Column ${n}`, [])),
  }
  answers['GET /api/imports/job-1/mapping'] = { body: { fields: [{ field: 'EMAIL', from: ['Column 7'] }] } }
  renderScreen(<Columns job={job} />)
  const names = () => screen.queryAllByText(/^Column \d+$/, { selector: 'li strong' }).map((each) => each.textContent)
  await userEvent.type(await screen.findByRole('searchbox', { name: 'Search columns' }), '7')
  expect(names()).toEqual(['Column 7', 'Column 17'])
  await userEvent.click(screen.getByRole('checkbox', { name: 'Unmatched only (19)' }))
  expect(names()).toEqual(['Column 17'])
})
