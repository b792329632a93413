/**
 * The position of rows in a scrolled area. Browsers limit an area to about 33 million pixels, so a million rows do not fit: a taller area is
 * scaled, and positions are in rows, not in pixels.
 */
export type Extent = { count: number; rowHeight: number; /** Height of the viewport, in pixels. */ viewport: number }

/** Maximum height of the scroll area, in pixels. */
export const tallest = 8_000_000

/** Height of the scroll area. */
export const heightOf = ({ count, rowHeight }: Extent): number => Math.min(count * rowHeight, tallest)

/** Whether the scroll area is smaller than its rows. */
export const isScaled = ({ count, rowHeight }: Extent): boolean => count * rowHeight > tallest

/** The maximum position, with the last row at the bottom of the viewport. */
export const lastPosition = ({ count, rowHeight, viewport }: Extent): number =>
  Math.max(0, count - viewport / rowHeight)

const room = (extent: Extent): number => Math.max(0, heightOf(extent) - extent.viewport)

/** The row, with a fraction, at the top of the viewport for a scroll offset. */
export const positionAt = (scrollTop: number, extent: Extent): number =>
  room(extent) === 0 ? 0 : (Math.min(scrollTop, room(extent)) / room(extent)) * lastPosition(extent)

/** The scroll offset for a position. */
export const scrollTopOf = (position: number, extent: Extent): number =>
  lastPosition(extent) === 0 ? 0 : (position / lastPosition(extent)) * room(extent)

/** Clamps a position to the valid range. */
export const within = (position: number, extent: Extent): number =>
  Math.max(0, Math.min(position, lastPosition(extent)))

/** The nearest position at which a row is fully visible. */
export function revealing(row: number, position: number, extent: Extent): number {
  const seen = extent.viewport / extent.rowHeight
  if (row < position) return row
  return row + 1 > position + seen ? within(row + 1 - seen, extent) : position
}

/** The range of rows that are at least partly visible; the end is exclusive. */
export function seenAt(position: number, { count, rowHeight, viewport }: Extent): { from: number; to: number } {
  return { from: Math.floor(position), to: Math.min(count, Math.ceil(position + viewport / rowHeight)) }
}
