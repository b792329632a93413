import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { ImportJob } from '@/api/imports'
import { renderScreen } from '@/test/render'
import { PhaseTracker } from './PhaseTracker'

// The API's client takes fetch when it is loaded, so the stand-in must be there before.
const server = vi.hoisted(() => {
  const server: { sent: Request[] } = { sent: [] }
  globalThis.fetch = (input, init) => {
    server.sent.push(new Request(input, init))
    return Promise.resolve(new Response('{}', { headers: { 'Content-Type': 'application/json' } }))
  }
  return server
})

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())

afterEach(cleanup)

const job = (of: object) =>
  ({
    identifier: 'job-1',
    status: 'CELL_MAPPING',
    phase: 'ASK_VALUES',
    waitingFor: 'CELL_MAPPINGS',
    dryRun: false,
    plan: null,
    options: {},
    detected: { format: 'csv', headerRow: 1, header: ['Name'] },
    ...of,
  }) as unknown as ImportJob

test('the step with the columns is a button while values are matched', async () => {
  renderScreen(<PhaseTracker job={job({})} />)
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  await waitFor(() => expect(server.sent).toHaveLength(1))
  expect(`${server.sent[0]!.method} ${new URL(server.sent[0]!.url).pathname}`).toBe('PATCH /api/imports/job-1/source')
})

test('other steps are no buttons, and a completed import shows no steps', () => {
  renderScreen(<PhaseTracker job={job({ status: 'COLUMN_MAPPING', phase: 'ASK_COLUMNS', waitingFor: null })} />)
  expect(screen.getAllByRole('listitem')).toHaveLength(6)
  expect(screen.queryByRole('button')).toBeNull()
  cleanup()
  renderScreen(<PhaseTracker job={job({ status: 'COMPLETED', phase: 'ENDED', waitingFor: null })} />)
  expect(screen.queryByRole('list')).toBeNull()
})
