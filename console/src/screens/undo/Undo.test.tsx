import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderScreen } from '@/test/render'
import { Component as Undo } from './Undo'

const retries = { included: false, count: 2, changes: 3, identifiers: ['retry-2', 'retry-1'] }

const server = await vi.hoisted(async () => Object.assign((await import('@/test/server')).standIn(), { job: {} }))

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())
vi.mock('@/screens/import/Frame', () => ({ useImport: () => server.job }))

let requested: unknown[]

beforeEach(() => {
  requested = []
  server.job = { identifier: 'job-1', undoable: true, undoRetries: retries }
  server.answer = async (request) => {
    const { pathname, search } = new URL(request.url)
    let body: object = []
    if (request.method === 'POST') {
      const options = (await request.json()) as { retries: boolean }
      requested.push([search, options])
      body = { identifier: options.retries ? 'with' : 'without' }
    } else if (!pathname.endsWith('/results')) {
      const included = pathname.endsWith('/with')
      body = { status: 'COMPLETED', undoMode: 'safe', undoRetries: { ...retries, included } }
    }
    return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json', 'X-Total-Count': '4' } })
  }
})

afterEach(cleanup)

test('an undo includes the retries if the check box is selected', async () => {
  renderScreen(<Undo />)
  await userEvent.click(screen.getByRole('checkbox', { name: 'Also undo 2 retries (3 changes)' }))
  await userEvent.click(screen.getByRole('button', { name: 'Preview' }))
  await screen.findByText('This includes 2 retries (3 changes).')
  await userEvent.click(screen.getByRole('button', { name: 'Undo these changes' }))
  expect(requested).toEqual([
    ['?preview=true', { mode: 'safe', retries: true }],
    ['?preview=false', { mode: 'safe', retries: true }],
  ])
})

test('a preview without the retries shows that they keep their changes', async () => {
  renderScreen(<Undo />)
  await userEvent.click(screen.getByRole('button', { name: 'Preview' }))
  await screen.findByText('2 retries keep their changes (3 changes).')
  expect(requested).toEqual([['?preview=true', { mode: 'safe', retries: false }]])
})

test('an import without retries offers none', () => {
  server.job = { identifier: 'job-1', undoable: true, undoRetries: null }
  renderScreen(<Undo />)
  expect(screen.queryByRole('checkbox')).toBeNull()
})
