import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ApiKey } from '@/api/keys'
import { renderScreen } from '@/test/render'
import { ApiKeys } from './ApiKeys'

const server = await vi.hoisted(async () => (await import('@/test/server')).standIn())

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())

const list = '/api/settings/api-keys'
const id = '0193b2a4-6f1e-7c3a-9d53-1c2b3a4d5e6f'
const nightly: ApiKey = {
  id,
  name: 'nightly',
  scopes: ['imports:read', 'reports:read'],
  createdBy: 'ann@example.org',
  createdAt: '2026-11-20T12:00:00Z',
  rotatedAt: null,
  previousUntil: null,
  expiresAt: '2999-01-01T00:00:00Z',
  lastUsedAt: null,
  revokedAt: null,
  revokedBy: null,
}

let keys: ApiKey[]
let sent: { to: string; body: unknown }[]
let refusal: object | null

beforeEach(() => {
  keys = [nightly]
  sent = []
  refusal = null
  server.answer = async (request) => {
    const to = `${request.method} ${new URL(request.url).pathname}`
    const text = await request.text()
    if (to === `GET ${list}`) return Response.json(keys)
    sent.push({ to, body: text ? JSON.parse(text) : null })
    if (refusal)
      return new Response(JSON.stringify(refusal), {
        status: 400,
        headers: { 'Content-Type': 'application/problem+json' },
      })
    if (request.method === 'DELETE') {
      keys = [{ ...nightly, revokedAt: '2026-11-21T12:00:00Z', revokedBy: 'ann@example.org' }]
      return new Response(null, { status: 204 })
    }
    return Response.json({ ...nightly, key: 'lbk_1_new' }, { status: to === `POST ${list}` ? 201 : 200 })
  }
})

afterEach(cleanup)

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const confirm = async (name: string) =>
  userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name }))

test('a key is created with the chosen scopes and lifetime, and shown once', async () => {
  keys = []
  renderScreen(<ApiKeys scopes={['imports:read', 'imports:write', 'admin']} />)
  expect(await screen.findByText('No API keys yet.')).toBeTruthy()
  await press('New API key')
  expect(screen.getAllByRole('checkbox')).toHaveLength(2) // the operator's scope cannot be granted
  expect(screen.getByRole('button', { name: 'Create key' })).toHaveProperty('disabled', true)
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'nightly')
  await userEvent.click(screen.getByRole('checkbox', { name: 'Create and change imports' }))
  await press('Create key')
  expect(await screen.findByText('lbk_1_new')).toBeTruthy()
  expect(sent).toEqual([
    { to: `POST ${list}`, body: { name: 'nightly', scopes: ['imports:write'], expiresInDays: 90 } },
  ])
})

test('a refused name is explained at its field, and the dialog stays', async () => {
  refusal = {
    code: 'PARAMETER_INVALID',
    detail: 'Some values are not allowed.',
    errors: [{ field: 'name', code: 'PARAMETER_INVALID', message: 'Use letters and digits.' }],
  }
  renderScreen(<ApiKeys scopes={['imports:read']} />)
  await press('New API key')
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), '!')
  await userEvent.click(screen.getByRole('checkbox', { name: 'View imports' }))
  await press('Create key')
  expect(await screen.findByText('Use letters and digits.')).toBeTruthy()
  expect(screen.getByRole('dialog')).toBeTruthy()
})

test('a rotated key is shown once', async () => {
  renderScreen(<ApiKeys scopes={['imports:read']} />)
  expect(await screen.findByText('View imports, reports:read')).toBeTruthy() // an unknown scope keeps its name
  await press('Rotate')
  await confirm('Rotate')
  expect(await screen.findByText('lbk_1_new')).toBeTruthy()
  expect(sent.map(({ to }) => to)).toEqual([`POST ${list}/${id}/rotate`])
})

test('a revoked key has no actions', async () => {
  renderScreen(<ApiKeys scopes={['imports:read']} />)
  await press('Revoke')
  await confirm('Keep')
  expect(sent).toEqual([])
  await press('Revoke')
  await confirm('Revoke')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Revoke' })).toBeNull())
  expect(screen.getByText('Revoked')).toBeTruthy()
})
