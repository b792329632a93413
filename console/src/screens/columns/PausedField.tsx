import { useEffect, useEffectEvent, useState } from 'react'
import { Field } from '@/ui'

const typingPause = 400

/** A text field that reports its value when typing pauses or ends. */
export function PausedField({
  label,
  value,
  placeholder,
  onChange,
}: {
  label: string
  value: string
  placeholder?: string
  onChange: (value: string) => void
}) {
  const [typed, setTyped] = useState(value)
  const take = useEffectEvent(onChange)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => take(typed), typingPause)
    return () => clearTimeout(timer)
  }, [typed, value])
  return (
    <Field
      label={label}
      value={typed}
      onChange={setTyped}
      onBlur={() => {
        if (typed !== value) onChange(typed)
      }}
      maxLength={300}
      {...(placeholder !== undefined && { placeholder })}
    />
  )
}
