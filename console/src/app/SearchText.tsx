import { Search } from 'lucide-react'
import { Field } from '@/ui'
import { usePausedText } from './usePausedText'

/** Debounce delay of searches, in milliseconds. */
const typingPause = 300

type SearchTextProps = {
  label: string
  /** The text of the current search. */ asked: string
  maxLength: number
  onAsk: (text: string) => void
}

/** A search field that searches when typing pauses. */
export function SearchText({ label, asked, maxLength, onAsk }: SearchTextProps) {
  const [typed, setTyped] = usePausedText(asked, onAsk, typingPause)
  return (
    <Field
      label={label}
      labelHidden
      placeholder={label}
      leading={<Search />}
      value={typed}
      onChange={setTyped}
      maxLength={maxLength}
      type="search"
    />
  )
}
