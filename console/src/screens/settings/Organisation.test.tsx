import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Deletion } from '@/api/deletion'
import { renderScreen } from '@/test/render'
import { Organisation } from './Organisation'

const server = await vi.hoisted(async () => (await import('@/test/server')).standIn())

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())

const path = '/api/organisation/deletion'
const requested: Deletion = {
  status: 'REQUESTED',
  organisationId: 1,
  name: 'Harbour Athletics',
  requestedAt: '2026-06-01T09:20:36Z',
  requestedBy: 'ada@example.org',
  needsOtherPerson: true,
  expiresAt: '2999-06-08T09:20:36Z',
  confirmedAt: null,
  completedAt: null,
  deletedRows: {},
  deletedFiles: 0,
}

let deletion: Deletion | null
let sent: { to: string; body: unknown }[]

beforeEach(() => {
  deletion = null
  sent = []
  server.answer = async (request) => {
    const to = `${request.method} ${new URL(request.url).pathname}`
    const text = await request.text()
    if (to === `GET ${path}`)
      return deletion
        ? Response.json(deletion)
        : Response.json({ code: 'NOT_FOUND', detail: 'No deletion.' }, { status: 404 })
    sent.push({ to, body: text ? JSON.parse(text) : null })
    if (to === `POST ${path}`) deletion = requested
    if (to === `DELETE ${path}`) {
      deletion = null
      return new Response(null, { status: 204 })
    }
    if (to === `POST ${path}/confirm`)
      deletion = {
        ...requested,
        status: 'CONFIRMED',
        confirmedAt: '2026-06-02T09:20:36Z',
        deletedRows: { 'sample.users': 40, 'sample.persons': 2 },
        deletedFiles: 3,
      }
    return Response.json(deletion ?? {})
  }
})
afterEach(cleanup)

test('requests, withdraws and confirms a deletion', async () => {
  const user = userEvent.setup()
  renderScreen(<Organisation />)
  await user.click(await screen.findByRole('button', { name: 'Delete the organisation' }))
  const dialog = await screen.findByRole('dialog')
  await user.click(within(dialog).getByRole('button', { name: 'Delete the organisation' }))
  await user.click(await screen.findByRole('button', { name: 'Withdraw the request' }))
  await screen.findByRole('button', { name: 'Delete the organisation' })
  expect(sent.map(({ to }) => to)).toEqual([`POST ${path}`, `DELETE ${path}`])
})

test('confirms only with the exact name', async () => {
  deletion = requested
  const user = userEvent.setup()
  renderScreen(<Organisation />)
  expect(await screen.findByText(/Another person has to confirm it/)).toBeDefined()
  const confirm = screen.getByRole('button', { name: 'Delete for good' })
  const name = screen.getByLabelText('Name of the organisation')
  await user.type(name, 'Harbour')
  expect(confirm.hasAttribute('disabled')).toBe(true)
  await user.type(name, ' Athletics')
  await user.click(confirm)
  await waitFor(() => expect(sent).toEqual([{ to: `POST ${path}/confirm`, body: { name: 'Harbour Athletics' } }]))
  expect((await screen.findByRole('status')).textContent).toContain('Nothing can be changed any more.')
  expect(screen.getByText('42')).toBeDefined()
})

test('requests the archive', async () => {
  const user = userEvent.setup()
  renderScreen(<Organisation />)
  await user.click(await screen.findByRole('button', { name: 'Export everything' }))
  await waitFor(() => expect(sent.map(({ to }) => to)).toEqual(['POST /api/organisation/export']))
})
