import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderScreen } from '@/test/render'
import { useEdits, type Edit } from './useEdits'

const server = await vi.hoisted(async () => (await import('@/test/server')).standIn())

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())

type Patch = { rows: { row: number; cells: Record<string, string | null> }[] }

let sent: string[]

beforeEach(() => {
  sent = []
  server.answer = async (request) => {
    const { pathname, search } = new URL(request.url)
    if (request.method === 'DELETE') {
      sent.push(`DELETE ${pathname}${search}`)
      return new Response(null, { status: 204 })
    }
    const { rows } = (await request.json()) as Patch
    sent.push(JSON.stringify(rows))
    const message = (text: string | null) => (text === 'nowhere' ? 'Not an email address.' : null)
    const answer = rows.map(({ row, cells }) => ({
      rowNumber: row,
      cells: Object.entries(cells).map(([field, text]) => ({ field, message: message(text) })),
    }))
    return new Response(JSON.stringify({ rows: answer }), { headers: { 'Content-Type': 'application/json' } })
  }
})

afterEach(cleanup)

const edit = (row: number, after: string, before: string | null = null): Edit => ({
  row,
  field: 'EMAIL',
  before,
  after,
})

function Editor({ edits, onRefused = vi.fn() }: { edits: Edit[]; onRefused?: (messages: string[]) => void }) {
  const { write, undo, redo, canUndo, canRedo } = useEdits('job-1')
  const save = () => write(edits).then(({ refused }) => onRefused(refused.map(({ message }) => message)))
  return (
    <>
      <button onClick={() => void save()}>Save</button>
      <button onClick={undo} disabled={!canUndo}>
        Undo
      </button>
      <button onClick={redo} disabled={!canRedo}>
        Redo
      </button>
    </>
  )
}

const click = async (name: string) => {
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(false))
  await userEvent.click(screen.getByRole('button', { name }))
}

test('an undone correction is deleted, or replaced by the previous one, and can be redone', async () => {
  renderScreen(<Editor edits={[edit(2, 'ann@example.org'), edit(3, '', 'bob@example.org')]} />)
  await click('Save')
  await click('Undo')
  await click('Redo')
  await waitFor(() => expect(sent).toHaveLength(4))
  const both = JSON.stringify([
    { row: 2, cells: { EMAIL: 'ann@example.org' } },
    { row: 3, cells: { EMAIL: null } },
  ])
  expect(sent).toEqual([
    both,
    'DELETE /api/imports/job-1/rows/corrections?row=2&field=EMAIL',
    JSON.stringify([{ row: 3, cells: { EMAIL: 'bob@example.org' } }]),
    both,
  ])
})

test('a refused correction is returned with its reason, and only the saved one can be undone', async () => {
  const onRefused = vi.fn()
  renderScreen(<Editor edits={[edit(2, 'ann@example.org'), edit(3, 'nowhere')]} onRefused={onRefused} />)
  await click('Save')
  await waitFor(() => expect(onRefused).toHaveBeenCalledExactlyOnceWith(['Not an email address.']))
  await click('Undo')
  await waitFor(() => expect(sent).toHaveLength(2))
  expect(sent[1]).toBe('DELETE /api/imports/job-1/rows/corrections?row=2&field=EMAIL')
})

test('a long column is saved in parts of 200 rows', async () => {
  renderScreen(<Editor edits={Array.from({ length: 250 }, (_, n) => edit(n + 2, `a${n}@example.org`))} />)
  await click('Save')
  await waitFor(() => expect(sent.map((part) => (JSON.parse(part) as unknown[]).length)).toEqual([200, 50]))
})
