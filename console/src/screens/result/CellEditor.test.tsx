import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { renderScreen } from '@/test/render'
import { CellEditor } from './CellEditor'

afterEach(cleanup)

function edit(value = 'Anna', typed?: string) {
  const onKeep = vi.fn()
  const onLeave = vi.fn()
  const shown = renderScreen(
    <div role="grid" tabIndex={0} aria-label="Rows">
      <CellEditor label="Name" value={value} typed={typed} onKeep={onKeep} onLeave={onLeave} />
    </div>,
  )
  return { onKeep, onLeave, input: screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }), ...shown }
}

test('typing replaces the selected value, and Enter saves it', async () => {
  const { onKeep, onLeave, input } = edit()
  expect(document.activeElement).toBe(input)
  await userEvent.keyboard('Berta{Enter}')
  expect(onKeep).toHaveBeenCalledExactlyOnceWith('Berta')
  expect(onLeave).not.toHaveBeenCalled()
})

test('Escape leaves the value unchanged', async () => {
  const { onKeep, onLeave } = edit()
  await userEvent.keyboard('Berta{Escape}')
  expect(onLeave).toHaveBeenCalledOnce()
  expect(onKeep).not.toHaveBeenCalled()
})

test('a pasted text replaces the value', async () => {
  const { onKeep } = edit()
  await userEvent.paste('Clara von Berg')
  await userEvent.keyboard('{Enter}')
  expect(onKeep).toHaveBeenCalledExactlyOnceWith('Clara von Berg')
})

test('an empty cell is edited, and an empty value saved', async () => {
  const empty = edit('')
  expect(empty.input.value).toBe('')
  await userEvent.keyboard('{Enter}')
  expect(empty.onKeep).toHaveBeenCalledExactlyOnceWith('')
})

test('a text longer than a cell of a workbook is cut off', async () => {
  const { input } = edit('')
  await userEvent.paste('x'.repeat(32_768))
  expect(input.value).toHaveLength(32_767)
})

test('leaving the field cancels, and closing the editor returns the focus to the grid', async () => {
  const { onLeave, input, rerender } = edit()
  input.blur()
  expect(onLeave).toHaveBeenCalledOnce()
  rerender(<div role="grid" tabIndex={0} aria-label="Rows" />)
})

test('what was typed on the cell replaces its value, and typing continues', async () => {
  const { onKeep, input } = edit('Anna', 'B')
  expect(input.value).toBe('B')
  await userEvent.keyboard('erta{Enter}')
  expect(onKeep).toHaveBeenCalledExactlyOnceWith('Berta')
})
