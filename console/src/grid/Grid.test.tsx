import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderScreen } from '@/test/render'
import { Grid, type Command, type GridColumn, type Place } from './Grid'

afterEach(cleanup)

type Person = { name: string; city: string }

const columns: GridColumn<Person>[] = [
  { id: 'name', title: 'Name', width: 100, cell: ({ name }) => name },
  {
    id: 'city',
    title: 'City',
    width: 100,
    cell: ({ city }) => city,
    tone: ({ city }) => (city === '' ? 'bad' : undefined),
  },
]

const people: Person[] = Array.from({ length: 50 }, (_, row) => ({
  name: `Person ${row}`,
  city: row === 2 ? '' : `City ${row}`,
}))

type Options = {
  count?: number
  loaded?: number
  onOpen?: (place: Place, typed?: string) => void
  onPaste?: (cells: string[][]) => void
  onCommand?: (command: Command) => void
}

function People({ count = people.length, loaded = count, ...handlers }: Options) {
  const [active, setActive] = useState<Place>({ row: 0, column: 0 })
  return (
    <Grid
      label="People"
      columns={columns}
      count={count}
      rowAt={(row) => (row < loaded ? people[row] : undefined)}
      active={active}
      onActive={setActive}
      {...handlers}
    />
  )
}

/** The text of the cell that a screen reader announces. */
function activeText(): string | null {
  const id = screen.getByRole('grid').getAttribute('aria-activedescendant')
  return document.getElementById(id!)!.textContent
}

async function press(keys: string) {
  screen.getByRole('grid').focus()
  await userEvent.keyboard(keys)
}

test('arrow keys move the active cell and stop at the edges', async () => {
  renderScreen(<People />)
  await press('{ArrowDown}{ArrowRight}')
  expect(activeText()).toBe('City 1')
  await press('{ArrowRight}{ArrowUp}{ArrowUp}')
  expect(activeText()).toBe('City 0')
})

test('Home, End and Control move to the ends of the row and of the grid', async () => {
  renderScreen(<People />)
  await press('{End}')
  expect(activeText()).toBe('City 0')
  await press('{Home}{Control>}{ArrowDown}{/Control}')
  expect(activeText()).toBe('Person 49')
})

test('Page Down reaches rows that were not rendered', async () => {
  renderScreen(<People />)
  expect(screen.queryByText('Person 40')).toBeNull()
  await press('{PageDown}{PageDown}{PageDown}{PageDown}{PageDown}{PageDown}')
  expect(activeText()).toBe('Person 49')
})

test('Enter and a double click open the cell', async () => {
  const onOpen = vi.fn()
  renderScreen(<People onOpen={onOpen} />)
  await press('{ArrowDown}{Enter}')
  expect(onOpen).toHaveBeenLastCalledWith({ row: 1, column: 0 })
  await userEvent.dblClick(screen.getByText('City 3'))
  expect(onOpen).toHaveBeenLastCalledWith({ row: 3, column: 1 })
})

test('an error is marked in its cell only', () => {
  renderScreen(<People />)
  const bad = screen.getAllByRole('gridcell').filter((cell) => cell.dataset.tone === 'bad')
  expect(bad).toHaveLength(1)
  expect(within(bad[0]!.parentElement!).getByText('Person 2')).toBeTruthy()
})

test('a row that is still loading has empty cells in its place', () => {
  renderScreen(<People loaded={1} />)
  expect(screen.getAllByRole('row').length).toBeGreaterThan(3)
  expect(screen.getByText('Person 0')).toBeTruthy()
  expect(screen.queryByText('Person 1')).toBeNull()
})

test('an empty grid shows its header and ignores keys', async () => {
  const onOpen = vi.fn()
  renderScreen(<People count={0} onOpen={onOpen} />)
  expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual(['Name', 'City'])
  expect(screen.queryAllByRole('gridcell')).toHaveLength(0)
  await press('{ArrowDown}{Enter}')
  expect(onOpen).not.toHaveBeenCalled()
})

test('typing on a cell opens it with what was typed, and Delete with nothing', async () => {
  const onOpen = vi.fn()
  renderScreen(<People onOpen={onOpen} />)
  await press('{ArrowDown}x{Delete}')
  expect(onOpen.mock.calls).toEqual([
    [{ row: 1, column: 0 }, 'x'],
    [{ row: 1, column: 0 }, ''],
  ])
})

test('pasted cells are passed on as rows, without the last line break', async () => {
  const onPaste = vi.fn()
  renderScreen(<People onPaste={onPaste} />)
  screen.getByRole('grid').focus()
  await userEvent.paste('Ann\tLyon\r\nBob\t\r\n')
  expect(onPaste).toHaveBeenCalledExactlyOnceWith([
    ['Ann', 'Lyon'],
    ['Bob', ''],
  ])
})

test('the shortcuts of spreadsheets are commands, not typed text', async () => {
  const [onOpen, onCommand] = [vi.fn(), vi.fn()]
  renderScreen(<People onOpen={onOpen} onCommand={onCommand} />)
  await press('{Control>}z{/Control}{Control>}y{/Control}{Control>}d{/Control}{Control>}{Shift>}Z{/Shift}{/Control}')
  expect(onCommand.mock.calls.flat()).toEqual(['undo', 'redo', 'fill', 'redo'])
  expect(onOpen).not.toHaveBeenCalled()
})
