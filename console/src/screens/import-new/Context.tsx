import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { Schema } from '@/api/client'
import { contextsQuery } from '@/api/imports'
import { useReason } from '@/app/useReason'
import { useText } from '@/i18n/messages'
import { ComboBox } from '@/ui'

type ContextProps = { type: Schema<'ImportType'>; value: string | null; onChange: (id: string) => void; error?: string }

/** Selects the context of the rows by name. */
export function Context({ type, value, onChange, error }: ContextProps) {
  const text = useText()
  const reason = useReason()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState('')
  // If the text is that of the selection, all options are shown, so that another one can be selected.
  const {
    data: contexts = [],
    error: fault,
    isPending,
  } = useQuery(contextsQuery(type.name, useDeferredValue(typed === chosen ? '' : typed)))
  const choose = (id: string) => {
    const name = contexts.find((each) => String(each.id) === id)?.name ?? ''
    setChosen(name)
    setTyped(name)
    onChange(id)
  }
  // Until the response to the current text arrives, the previous one is filtered here.
  const fits = contexts.filter(({ name }) => typed === chosen || name.toLowerCase().includes(typed.toLowerCase()))
  return (
    <ComboBox
      label={type.context!.title}
      placeholder={text('new.context.choose')}
      none={text(isPending ? 'face.loading' : 'new.context.none')}
      value={value}
      onChange={choose}
      input={typed}
      onInput={setTyped}
      choices={fits.map(({ id, name, startsOn }) => ({ id: String(id), name, ...(startsOn && { about: startsOn }) }))}
      error={error ?? reason(fault)}
    />
  )
}
