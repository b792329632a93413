import { useState } from 'react'
import { Field } from '@/ui'

type EntryProps = {
  label: string
  hint?: string | undefined
  value: string
  error?: string | undefined
  isReadOnly: boolean
  maxLength?: number
  onEdit: (value: string) => void
}

/** A text that is applied when the person leaves it, so that lists can be typed and the declaration is not parsed at each key. */
export function Entry({ value, error, hint, onEdit, ...props }: EntryProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    setTyped(value)
  }
  return (
    <Field
      {...props}
      {...(hint && { hint })}
      {...(error && { error })}
      value={typed}
      onChange={setTyped}
      onBlur={() => typed !== value && onEdit(typed)}
    />
  )
}
