import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useText } from '@/i18n/messages'
import { Button, Field, Select } from '@/ui'
import { isWhole, shows, type RowFilter } from './filter'
import css from './Result.module.css'

const typingPause = 350

/** What the rows are narrowed to, and how many are left. */
export function Filters({ filter, total, onChange }: { filter: RowFilter; total: string; onChange: (filter: RowFilter) => void }) {
  const text = useText()
  const [typed, setTyped] = useState(filter.text)
  const narrow = useEffectEvent((words: string) => onChange({ ...filter, text: words }))
  useEffect(() => setTyped(filter.text), [filter.text])
  useEffect(() => {
    if (typed === filter.text) return
    const timer = setTimeout(() => narrow(typed), typingPause)
    return () => clearTimeout(timer)
  }, [typed, filter.text])
  return (
    <div className={css.filters}>
      <Select label={text('result.show')} labelHidden value={filter.show} choices={shows.map((id) => ({ id, name: text(`result.show.${id}`) }))} onChange={(show) => onChange({ ...filter, show: show as RowFilter['show'] })} />
      <Field label={text('result.search')} labelHidden placeholder={text('result.search')} leading={<Search />} value={typed} onChange={setTyped} maxLength={200} type="search" />
      {!isWhole(filter) && <Button look="quiet" onPress={() => onChange({ show: 'all', field: '', code: '', text: '' })}>{text('imports.reset')}</Button>}
      <p role="status" className={css.total}>{total}</p>
    </div>
  )
}
