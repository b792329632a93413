import { useEffect, useRef, useState } from 'react'

/** Edits a cell in place. Enter saves, Escape cancels. */
export function CellEditor({
  label,
  value,
  typed,
  onKeep,
  onLeave,
}: {
  label: string
  value: string
  /** What was typed on the cell: it replaces the value. */ typed?: string | undefined
  onKeep: (text: string) => void
  onLeave: () => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const isTyped = useRef(typed !== undefined)
  const [written, setWritten] = useState(typed ?? value)
  useEffect(() => {
    const grid = input.current!.closest<HTMLElement>('[role=grid]')
    if (!isTyped.current) input.current!.select()
    input.current!.focus({ preventScroll: true })
    return () => grid?.focus({ preventScroll: true })
  }, [])
  return (
    <input
      ref={input}
      aria-label={label}
      value={written}
      maxLength={32_767}
      onChange={(event) => setWritten(event.target.value)}
      onBlur={onLeave}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onKeep(written)
        else if (event.key === 'Escape') onLeave()
      }}
    />
  )
}
