import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Field } from '@/ui'

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
  const [typed, setTyped] = useState(asked)
  const ask = useEffectEvent(onAsk)
  useEffect(() => setTyped(asked), [asked])
  useEffect(() => {
    if (typed === asked) return
    const timer = setTimeout(() => ask(typed), typingPause)
    return () => clearTimeout(timer)
  }, [typed, asked])
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
