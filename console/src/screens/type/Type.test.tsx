import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderScreen } from '@/test/render'
import { Component as NewType } from './NewType'
import { Component as Type } from './Type'

const yaml = `loadbay: type/1
name: APP_PRODUCTS
title: Products
target: {table: app.products}
tenant: {none: true}
identity: [id]
keys:
  - {name: sku, fields: [SKU], index: products_sku_key}
fields:
  - {name: SKU, column: sku, title: Sku, required: true}
  # DECIDE: Files refer to app.suppliers by name.
  - {name: SUPPLIER, column: supplier_id, title: Supplier, reference: {table: app.suppliers, by: [[name]]}}
`
const guess = { severity: 'mustDecide', path: 'fields[1]', message: 'Files refer to app.suppliers by name.' }
const type = {
  name: 'APP_PRODUCTS',
  title: 'Products',
  table: 'app.products',
  version: 3,
  savedAt: '2026-01-02T03:04:05Z',
  savedBy: null,
  createdAt: '2026-01-02T03:04:05Z',
  retiredAt: null,
}

const server = await vi.hoisted(async () => (await import('@/test/server')).standIn())

vi.mock('@/app/session', async () => (await import('@/test/server')).signedIn())
vi.mock('react-router', async (original) => ({
  ...(await original<object>()),
  useParams: () => ({ name: 'APP_PRODUCTS' }),
  useSearchParams: () => [new URLSearchParams({ table: 'app.products' })],
  useNavigate: () => (address: string) => requested.push(['navigate', address]),
}))

let scopes: string[]
let requested: string[][]
let refusal: object | null

beforeEach(() => {
  scopes = ['types:read', 'types:write']
  requested = []
  refusal = null
  const json = (body: unknown, status = 200) =>
    new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } })
  server.answer = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/me') return json({ scopes })
    if (pathname === '/api/types/adopt')
      return json({ declaration: { fields: [{ name: 'SKU' }, { name: 'SUPPLIER' }] }, yaml, findings: [guess], grants: ['GRANT SELECT'], optional: [] }) // prettier-ignore
    if (pathname.endsWith('/drift')) return json({ differences: [] })
    if (pathname.endsWith('/versions')) return json([type])
    if (request.method !== 'GET') {
      requested.push([request.method, pathname, request.headers.get('If-Match') ?? '', await request.text()])
      if (refusal) return json(refusal, 422)
      if (pathname.endsWith('/check'))
        return json({ ok: true, findings: [], grants: [], optional: [], rehearsedRows: 3, derived: ['updated_at'] })
      return json({ ...type, version: request.method === 'POST' ? 1 : 4 })
    }
    if (pathname === '/api/types') return json([type])
    return new Response(yaml, { headers: { 'Content-Type': 'application/yaml', ETag: '"3"' } })
  }
})

afterEach(cleanup)

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))

test('a draft is published after all guesses are decided on', async () => {
  renderScreen(<NewType />)
  expect(await screen.findByText('GRANT SELECT')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Publish' }).hasAttribute('disabled')).toBe(true)
  await userEvent.click(screen.getByRole('checkbox', { name: `Decided: ${guess.message}` }))
  await press('Publish')
  expect(requested).toEqual([
    ['POST', '/api/types', '', yaml],
    ['navigate', '/settings/types/APP_PRODUCTS'],
  ])
})

test('the form changes the text of the YAML', async () => {
  renderScreen(<Type />)
  const title = await screen.findByRole('textbox', { name: 'Title' })
  await userEvent.clear(title)
  await userEvent.type(title, 'Goods')
  await press('Edit Supplier')
  await userEvent.click(screen.getByRole('checkbox', { name: 'Personal' }))
  await press('Publish')
  const changed = yaml
    .replace('title: Products', 'title: Goods')
    .replace('by: [[name]]}}', 'by: [[name]]}, personal: true}')
  expect(requested[0]).toEqual(['PUT', '/api/types/APP_PRODUCTS', '"3"', changed])
})

test('errors of the API are shown at their line and column, and at their field of the form', async () => {
  refusal = {
    detail: 'The declaration has 1 error. Correct it and try again.',
    errors: [
      { field: 'fields[1].reference', code: 'DECLARATION_INVALID', message: 'Line 12, column 60: Name a table.' },
    ],
  }
  renderScreen(<Type />)
  await press('Check')
  expect(await screen.findByText('Name a table.')).toBeDefined()
  expect(screen.getByText('The declaration has 1 error. Correct it and try again.')).toBeDefined()
  await press('YAML')
  await press('Line 12, column 60')
  const area = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Declaration' })
  expect(document.activeElement).toBe(area)
  expect(area.value.slice(area.selectionStart, area.selectionEnd)).toMatch(/^reference: /)
  await userEvent.type(area, ' ')
  expect(screen.queryByText('Name a table.')).toBeNull()
})

test('a check shows its result', async () => {
  renderScreen(<Type />)
  await press('Check')
  expect(await screen.findByText('Imports would work')).toBeDefined()
  expect(screen.getByText('3 rows were written and rolled back.')).toBeDefined()
  expect(screen.getByText(/updated_at/)).toBeDefined()
})

test('people without types:write see the declaration, but cannot change it', async () => {
  scopes = ['types:read']
  renderScreen(<Type />)
  expect((await screen.findByRole('textbox', { name: 'Title' })).hasAttribute('readonly')).toBe(true)
  for (const name of ['Check', 'Publish', 'Retire', 'Add key', 'Add field'])
    expect(screen.queryByRole('button', { name })).toBeNull()
  await press('YAML')
  expect(screen.getByRole('textbox', { name: 'Declaration' }).hasAttribute('readonly')).toBe(true)
  expect(within(screen.getByRole('table', { name: 'Versions' })).getByText('In use')).toBeDefined()
})

test('people without types:write cannot draft a type', async () => {
  scopes = ['types:read']
  renderScreen(<NewType />)
  expect(await screen.findByText('Page not found')).toBeDefined()
})

test('people without types:read see nothing of types', async () => {
  scopes = ['types:write']
  renderScreen(<Type />)
  expect(await screen.findByText('Page not found')).toBeDefined()
  expect(screen.queryByText('Products')).toBeNull()
})
