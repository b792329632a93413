import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { isScaled, positionAt, scrollTopOf, within, type Extent } from './scale'

/** Scrolling of the rows: natively by the scroll bar, row by row with the wheel even if the area is scaled, and to a position. */
export function useScroll(count: number, rowHeight: number, headHeight: number) {
  const area = useRef<HTMLDivElement>(null)
  const [viewport, setViewport] = useState(400)
  const [position, setPosition] = useState(0)
  const written = useRef(-1)
  const extent: Extent = { count, rowHeight, viewport }
  useLayoutEffect(() => {
    const measure = () => setViewport(Math.max(rowHeight, area.current!.clientHeight - headHeight))
    const observer = new ResizeObserver(measure)
    observer.observe(area.current!)
    measure()
    return () => observer.disconnect()
  }, [rowHeight, headHeight])
  const go = (wanted: number) => {
    const next = within(wanted, extent)
    setPosition(next)
    area.current!.scrollTop = scrollTopOf(next, extent)
    written.current = area.current!.scrollTop
  }
  const onScroll = () => {
    const { scrollTop } = area.current!
    if (Math.abs(scrollTop - written.current) < 1) return
    written.current = -1
    setPosition(positionAt(scrollTop, extent))
  }
  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (!isScaled(extent) || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return
    event.preventDefault()
    go(position + (event.deltaMode === 0 ? event.deltaY / rowHeight : event.deltaY))
  })
  useEffect(() => {
    const target = area.current!
    const turn = (event: WheelEvent) => onWheel(event)
    target.addEventListener('wheel', turn, { passive: false })
    return () => target.removeEventListener('wheel', turn)
  }, [])
  return { area, extent, position: within(position, extent), go, onScroll }
}
