import { usePausedText } from '@/app/usePausedText'
import { Field } from '@/ui'

/** Debounce delay, in milliseconds. */
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
  const [typed, setTyped] = usePausedText(value, onChange, typingPause)
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
