import { expect, test } from 'vitest'
import { change, faultsOf, noted, pathIn, read } from './declaration'

const source = `loadbay: type/1
name: APP_PRODUCTS
title: Products
target: {table: app.products, catalogue: 'sha256:00'}
# DECIDE: Column org_id seems to hold the organisation.
tenant: {column: org_id, value: organisation}
identity: [id]
keys:
  - {name: sku, fields: [SKU], index: products_sku_key}
modes: [upsert, insert, update]
fields:
  - {name: SKU, column: sku, title: Sku, required: true, aliases: [Article number]}
  # DECIDE: Files refer to app.suppliers by name.
  - {name: SUPPLIER, column: supplier_id, title: Supplier, reference: {table: app.suppliers, by: [[name]]}}
`

test('a change keeps comments and all other lines', () => {
  const changed = change(source, ['fields', 1, 'title'], 'Vendor')
  expect(changed).toBe(source.replace('title: Supplier', 'title: Vendor'))
  expect(change(changed, ['fields', 1, 'title'], 'Supplier')).toBe(source)
})

test('members are added, replaced and removed in the style of their neighbours', () => {
  expect(change(source, ['fields', 0, 'titles'], { de: 'Artikel' })).toContain('titles: {de: Artikel}}')
  expect(change(source, ['fields', 0, 'aliases'], ['A', 'B'])).toContain('aliases: [A, B]')
  expect(change(source, ['fields', 0, 'required'], undefined)).not.toContain('required')
  expect(change(source, ['tenant'], { none: true })).toContain('organisation.\ntenant: {none: true}')
  const keys = [
    { name: 'a', fields: ['SKU'], index: 'none' },
    { name: 'b', fields: ['SKU'], index: 'i' },
  ]
  expect(change(source, ['keys'], keys)).toContain(
    'keys:\n  - {name: a, fields: [SKU], index: none}\n  - {name: b, fields: [SKU], index: i}\n',
  )
  expect(change(source, ['fields', 0], undefined)).not.toContain('SKU, column')
})

test('texts that look like other values stay texts', () => {
  const changed = change(change(source, ['fields', 0, 'default'], '007'), ['title'], 'yes: no')
  expect(read(changed).declaration).toMatchObject({ title: 'yes: no', fields: [{ default: '007' }, {}] })
})

test('a syntax error has its line and column, and no form', () => {
  const { declaration, faults } = read('name: A\ntitle: "open\n')
  expect(declaration).toBeNull()
  expect(faults[0]).toMatchObject({ line: 3, column: 1 })
})

test('a source that is no declaration, or has aliases, has no form', () => {
  expect(read('- 1').declaration).toBeNull()
  expect(read('name: &a X\ntitle: *a\nfields: []\n').declaration).toBeNull()
  expect(read('fields: [1]').declaration).toBeNull()
})

test('members of another shape are left to the YAML', () => {
  expect(read('name: [A]\nkeys: 1\nfields: []').declaration).toMatchObject({ name: '', keys: [], fields: [] })
})

test('a part has its place, or that of the part around it', () => {
  const { placeOf } = read(source)
  expect(placeOf('tenant')).toEqual({ line: 6, column: 1 })
  expect(placeOf('fields[1]')).toEqual({ line: 14, column: 5 })
  expect(placeOf('fields[1].reference.by')).toEqual({ line: 14, column: source.split('\n')[13]!.indexOf('by:') + 1 })
  expect(placeOf('fields[1].unit')).toEqual({ line: 14, column: 5 })
  expect(placeOf('person.key')).toEqual({ line: 1, column: 1 })
})

test('errors of the API have the place in their message', () => {
  expect(
    faultsOf([
      { field: 'fields[0].colum', message: 'Line 3, column 14: Unknown key. Write it column.' },
      { field: 'name', message: 'Taken.' },
    ]),
  ).toEqual([
    { line: 3, column: 14, path: 'fields[0].colum', message: 'Unknown key. Write it column.' },
    { line: 1, column: 1, path: 'name', message: 'Taken.' },
  ])
})

test('a finding follows its field', () => {
  const [finding] = noted(
    [{ severity: 'mustDecide', path: 'fields[1]', message: 'A guess.' }],
    read(source).declaration,
  )
  const after = read(change(source, ['fields', 0], undefined)).declaration
  expect(pathIn(after, finding!)).toBe('fields[0]')
  expect(pathIn(read(change(source, ['fields', 1], undefined)).declaration, finding!)).toBe('fields')
})
