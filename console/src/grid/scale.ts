/**
 * Where rows are in a scrolled area. Browsers end an area at some 33 million pixels, so that a million rows do not fit: a taller one is
 * scaled, and a position counts in rows, not in pixels.
 */
export type Extent = { count: number; rowHeight: number; /** Of what is seen of the rows, in pixels. */ viewport: number }

/** How tall an area is made at most, in pixels. */
export const tallest = 8_000_000

/** How tall the area of the rows is made. */
export const heightOf = ({ count, rowHeight }: Extent): number => Math.min(count * rowHeight, tallest)

/** Whether the area is smaller than its rows. */
export const isScaled = ({ count, rowHeight }: Extent): boolean => count * rowHeight > tallest

/** The last position there is: with the last row at the end of what is seen. */
export const lastPosition = ({ count, rowHeight, viewport }: Extent): number => Math.max(0, count - viewport / rowHeight)

const room = (extent: Extent): number => Math.max(0, heightOf(extent) - extent.viewport)

/** The row, with a fraction, that is at the top of an area that is scrolled so far. */
export const positionAt = (scrollTop: number, extent: Extent): number => (room(extent) === 0 ? 0 : (Math.min(scrollTop, room(extent)) / room(extent)) * lastPosition(extent))

/** How far an area is scrolled that has that position at its top. */
export const scrollTopOf = (position: number, extent: Extent): number => (lastPosition(extent) === 0 ? 0 : (position / lastPosition(extent)) * room(extent))

/** A position within those there are. */
export const within = (position: number, extent: Extent): number => Math.max(0, Math.min(position, lastPosition(extent)))

/** The position nearest to this one at which a row is seen in full. */
export function revealing(row: number, position: number, extent: Extent): number {
  const seen = extent.viewport / extent.rowHeight
  if (row < position) return row
  return row + 1 > position + seen ? within(row + 1 - seen, extent) : position
}

/** The rows that are seen in part or in full: from the first up to, without, the last. */
export function seenAt(position: number, { count, rowHeight, viewport }: Extent): { from: number; to: number } {
  return { from: Math.floor(position), to: Math.min(count, Math.ceil(position + viewport / rowHeight)) }
}
