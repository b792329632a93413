import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { typesQuery } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { Field, Select } from '@/ui'
import css from './Imports.module.css'
import { shows, type ListFilter, type Show } from './filter'

const typingPause = 300
const anyType = 'any'

/** What the list is narrowed by. */
export function Filters({ filter, onChange }: { filter: ListFilter; onChange: (filter: Partial<ListFilter>) => void }) {
  const text = useText()
  const { data: types = [] } = useQuery(typesQuery)
  return (
    <div className={css.filters}>
      <SearchText text={filter.text} onChange={(typed) => onChange({ text: typed })} />
      <Select
        label={text('imports.type')} labelHidden value={filter.type || anyType} onChange={(type) => onChange({ type: type === anyType ? '' : type })}
        choices={[{ id: anyType, name: text('imports.type.all') }, ...types.map(({ name, title }) => ({ id: name, name: title }))]}
      />
      <Select label={text('imports.show')} labelHidden value={filter.show} onChange={(show) => onChange({ show: show as Show })} choices={shows.map((id) => ({ id, name: text(`imports.show.${id}`) }))} />
    </div>
  )
}

/** Asks when typing pauses, not at every key. */
function SearchText({ text: asked, onChange }: { text: string; onChange: (text: string) => void }) {
  const text = useText()
  const [typed, setTyped] = useState(asked)
  useEffect(() => setTyped(asked), [asked])
  useEffect(() => {
    if (typed === asked) return
    const timer = setTimeout(() => onChange(typed), typingPause)
    return () => clearTimeout(timer)
  }, [typed, asked, onChange])
  return <Field label={text('imports.search')} labelHidden placeholder={text('imports.search')} leading={<Search />} value={typed} onChange={setTyped} maxLength={255} type="search" />
}
