import { useEffect, useEffectEvent, useId, type ClipboardEvent, type KeyboardEvent, type ReactNode } from 'react'
import css from './Grid.module.css'
import { heightOf, revealing, seenAt } from './scale'
import { useScroll } from './useScroll'

/** A column of a grid. */
export type GridColumn<Row> = {
  id: string
  title: string
  /** Minimum width in pixels. Text columns share the remaining space. */
  width: number
  align?: 'end'
  cell: (row: Row) => ReactNode
  /** `bad` marks a cell with an error, `good` a corrected cell. */
  tone?: (row: Row) => 'bad' | 'good' | undefined
  /** Shown when the pointer rests on a cell, such as the reason of its error. */
  hint?: (row: Row) => string | undefined
}

/** A cell by row and column index, from 0. */
export type Place = { row: number; column: number }

type GridProps<Row> = {
  label: string
  columns: GridColumn<Row>[]
  count: number
  /** The row at an index; undefined while it is loading. */
  rowAt: (row: number) => Row | undefined
  active: Place
  onActive: (place: Place) => void
  /** The number of columns at the start that stay visible when the grid scrolls sideways. */
  frozen?: number
  /** Called on Enter or a double click on a cell; with a text if it was typed on the cell. */
  onOpen?: (place: Place, typed?: string) => void
  /** Called with rows of cells that were pasted at the active cell. */
  onPaste?: (cells: string[][]) => void
  /** Called for the shortcuts of spreadsheets: Ctrl+Z, Ctrl+Y, and Ctrl+D to copy from the cell above. */
  onCommand?: (command: Command) => void
  /** The editor of the active cell, while it is being edited. */
  editor?: ReactNode
  /** Called with the range of visible rows, which have to be fetched; the end is exclusive. */
  onSeen?: (from: number, to: number) => void
}

export type Command = 'undo' | 'redo' | 'fill'

const rowHeight = 36
const headHeight = 36
const scrollBar = 18

/** The height of a grid that shows this many rows (with a minimum), in pixels. */
export const heightWith = (count: number): number => headHeight + Math.max(4, count) * rowHeight + scrollBar

/** A virtualised table for millions of rows. It is one tab stop; arrow keys move the active cell. */
export function Grid<Row>({
  label,
  columns,
  count,
  rowAt,
  active,
  onActive,
  frozen = 0,
  onOpen,
  onPaste,
  onCommand,
  editor,
  onSeen,
}: GridProps<Row>) {
  const id = useId()
  const { area, extent, position, go, onScroll } = useScroll(count, rowHeight, headHeight)
  const { from, to } = seenAt(position, extent)
  const tell = useEffectEvent((first: number, last: number) => onSeen?.(first, last))
  useEffect(() => tell(from, to), [from, to])
  const follow = useEffectEvent(({ row, column }: Place) => {
    if (row < from || row >= to) go(revealing(row, position, extent))
    if (!isSeen(area.current!, columns, column)) revealColumn(area.current!, columns, column, frozen)
  })
  useEffect(() => follow({ row: active.row, column: active.column }), [active.row, active.column])
  const move = ({ row, column }: Place) => {
    const next = {
      row: Math.max(0, Math.min(count - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    }
    onActive(next)
    go(revealing(next.row, position, extent))
    revealColumn(area.current!, columns, next.column, frozen)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== area.current || count === 0) return
    const next = moved(event, active, { count, columns: columns.length, page: Math.max(1, to - from - 2) })
    const command = onCommand && commandOf(event)
    if (next) move(next)
    else if (event.key === 'Enter' || event.key === 'F2') onOpen?.(active)
    else if (command) onCommand(command)
    else if (onOpen && isTyped(event)) onOpen(active, event.key === 'Delete' ? '' : event.key)
    else return
    event.preventDefault()
  }
  const isHere = (event: ClipboardEvent) => event.target === area.current && count > 0
  const copy = (event: ClipboardEvent) => {
    if (!isHere(event)) return
    event.clipboardData.setData(
      'text/plain',
      document.getElementById(`${id}-${active.row}-${active.column}`)?.textContent ?? '',
    )
    event.preventDefault()
  }
  const paste = (event: ClipboardEvent) => {
    if (!isHere(event) || !onPaste) return
    onPaste(cellsOf(event.clipboardData.getData('text/plain')))
    event.preventDefault()
  }
  const frozenAt = (place: number) =>
    place < frozen
      ? { insetInlineStart: columns.slice(0, place).reduce((sum, { width }) => sum + width, 0) }
      : undefined
  const template = columns
    .map(({ width, align }) => (align === 'end' ? `${width}px` : `minmax(${width}px, ${width}fr)`))
    .join(' ')
  const width = columns.reduce((sum, column) => sum + column.width, 0)
  return (
    <div
      ref={area}
      className={css.area}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={active.row >= from && active.row < to ? `${id}-${active.row}-${active.column}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onCopy={copy}
      onPaste={paste}
    >
      <div
        role="presentation"
        className={css.canvas}
        style={{ height: headHeight + heightOf(extent), minWidth: width }}
      >
        <div role="row" aria-rowindex={1} className={css.head} style={{ gridTemplateColumns: template }}>
          {columns.map((column, place) => (
            <div
              key={column.id}
              role="columnheader"
              aria-colindex={place + 1}
              className={column.align === 'end' ? css.end : ''}
              title={column.title}
              data-frozen={place < frozen || undefined}
              style={frozenAt(place)}
            >
              {column.title}
            </div>
          ))}
        </div>
        <div role="presentation" className={css.window}>
          {Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset).map((place) => {
            const row = rowAt(place)
            return (
              <div
                key={place}
                role="row"
                aria-rowindex={place + 2}
                className={css.row}
                data-odd={place % 2 === 1 || undefined}
                style={{ gridTemplateColumns: template, transform: `translateY(${(place - position) * rowHeight}px)` }}
              >
                {columns.map((column, at) => {
                  const isActive = place === active.row && at === active.column
                  return (
                    <div
                      key={column.id}
                      id={`${id}-${place}-${at}`}
                      role="gridcell"
                      aria-colindex={at + 1}
                      data-active={isActive || undefined}
                      data-tone={row && column.tone?.(row)}
                      data-frozen={at < frozen || undefined}
                      title={row && column.hint?.(row)}
                      style={frozenAt(at)}
                      className={column.align === 'end' ? css.end : ''}
                      onMouseDown={() => onActive({ row: place, column: at })}
                      onDoubleClick={() => onOpen?.({ row: place, column: at })}
                    >
                      {isActive && editor ? editor : row ? column.cell(row) : <span className={css.coming} />}
                    </div>
                  )
                })}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** The command of a shortcut; null for other keys. */
function commandOf({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): Command | null {
  if (!ctrlKey && !metaKey) return null
  switch (key.toLowerCase()) {
    case 'z':
      return shiftKey ? 'redo' : 'undo'
    case 'y':
      return 'redo'
    case 'd':
      return 'fill'
    default:
      return null
  }
}

/** Whether a key types a character, or clears the cell. */
const isTyped = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !ctrlKey && !metaKey && !altKey && key !== ' ' && (key.length === 1 || key === 'Delete')

/** The cells of a copied range: rows in lines, cells between tabs. */
const cellsOf = (text: string): string[][] =>
  text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\t'))

/** The cell that a key moves to, following the ARIA grid pattern; null for other keys. */
function moved(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  { row, column }: Place,
  { count, columns, page }: { count: number; columns: number; page: number },
): Place | null {
  const far = ctrlKey || metaKey
  const forwards = document.documentElement.dir === 'rtl' ? -1 : 1
  switch (key) {
    case 'ArrowDown':
      return { row: far ? count - 1 : row + 1, column }
    case 'ArrowUp':
      return { row: far ? 0 : row - 1, column }
    case 'ArrowRight':
      return { row, column: column + forwards }
    case 'ArrowLeft':
      return { row, column: column - forwards }
    case 'PageDown':
      return { row: row + page, column }
    case 'PageUp':
      return { row: row - page, column }
    case 'Home':
      return { row: far ? 0 : row, column: 0 }
    case 'End':
      return { row: far ? count - 1 : row, column: columns - 1 }
    default:
      return null
  }
}

/** The left and right edge of a column. */
function extentOf<Row>(columns: GridColumn<Row>[], column: number): { start: number; end: number } {
  const start = columns.slice(0, column).reduce((sum, { width }) => sum + width, 0)
  return { start, end: start + (columns[column]?.width ?? 0) }
}

/** Whether a column is at least partly visible. */
function isSeen<Row>({ scrollLeft, clientWidth }: HTMLElement, columns: GridColumn<Row>[], column: number): boolean {
  const { start, end } = extentOf(columns, column)
  return start < Math.abs(scrollLeft) + clientWidth && end > Math.abs(scrollLeft)
}

/** The width below which no columns are frozen, as in the style sheet. */
const narrow = '(max-width: 759px)'

/** Scrolls horizontally until a column is visible beside the frozen ones. */
function revealColumn<Row>(area: HTMLElement, columns: GridColumn<Row>[], column: number, frozen: number): void {
  const { start, end } = extentOf(columns, column)
  const covered = frozen === 0 || column < frozen || matchMedia(narrow).matches ? 0 : extentOf(columns, frozen).start
  const sign = document.documentElement.dir === 'rtl' ? -1 : 1
  const left = Math.abs(area.scrollLeft)
  if (start < left + covered) area.scrollLeft = sign * (start - covered)
  else if (end > left + area.clientWidth) area.scrollLeft = sign * (end - area.clientWidth)
}
