import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Tooltips } from './Tooltips'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function open() {
  vi.useFakeTimers()
  render(
    <>
      <button aria-label="Ignore City">
        <svg />
      </button>
      <button aria-label="Named">Text</button>
      <Tooltips />
    </>,
  )
  return (name: string) => screen.getByRole('button', { name })
}

test('the name of an icon is shown while the pointer rests on it', async () => {
  const button = open()
  fireEvent.pointerOver(button('Ignore City').querySelector('svg')!, { pointerType: 'mouse' })
  expect(screen.queryByText('Ignore City')).toBeNull()
  await act(() => vi.advanceTimersByTimeAsync(500))
  expect(screen.getByText('Ignore City')).toBeTruthy()
  fireEvent.pointerOver(document.body, { pointerType: 'mouse' })
  expect(screen.queryByText('Ignore City')).toBeNull()
})

test('buttons with visible text have no tooltip', async () => {
  const button = open()
  fireEvent.pointerOver(button('Named'), { pointerType: 'mouse' })
  await act(() => vi.advanceTimersByTimeAsync(500))
  expect(screen.queryByText('Named')).toBeNull()
})

test('Escape hides the name', async () => {
  const button = open()
  fireEvent.pointerOver(button('Ignore City'), { pointerType: 'mouse' })
  await act(() => vi.advanceTimersByTimeAsync(500))
  fireEvent.keyDown(document.body, { key: 'Escape' })
  expect(screen.queryByText('Ignore City')).toBeNull()
})
