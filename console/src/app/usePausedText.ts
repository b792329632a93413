import { useEffect, useEffectEvent, useState } from 'react'

/**
 * The text of an input and its setter. The text is reported when typing pauses for `pause` milliseconds.
 * A value that changes elsewhere replaces the text.
 */
export function usePausedText(value: string, onChange: (text: string) => void, pause: number) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    setTyped(value)
  }
  const report = useEffectEvent(onChange)
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => report(typed), pause)
    return () => clearTimeout(timer)
  }, [typed, value, pause])
  return [typed, setTyped] as const
}
