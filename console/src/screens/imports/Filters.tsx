import { useQuery } from '@tanstack/react-query'
import { typesQuery } from '@/api/imports'
import { SearchText } from '@/app/SearchText'
import { useReason } from '@/app/useReason'
import { useText } from '@/i18n/messages'
import { Select } from '@/ui'
import css from './Imports.module.css'
import { shows, type ListFilter, type Show } from './filter'

const anyType = 'any'

/** The filters of the list. */
export function Filters({ filter, onChange }: { filter: ListFilter; onChange: (filter: Partial<ListFilter>) => void }) {
  const text = useText()
  const reason = useReason()
  const { data: types = [], error } = useQuery(typesQuery)
  return (
    <div className={css.filters}>
      <SearchText
        label={text('imports.search')}
        asked={filter.text}
        maxLength={255}
        onAsk={(typed) => onChange({ text: typed })}
      />
      <Select
        label={text('imports.type')}
        labelHidden
        value={filter.type || anyType}
        onChange={(type) => onChange({ type: type === anyType ? '' : type })}
        choices={[
          { id: anyType, name: text('imports.type.all') },
          ...types.map(({ name, title }) => ({ id: name, name: title })),
        ]}
        error={reason(error)}
      />
      <Select
        label={text('imports.show')}
        labelHidden
        value={filter.show}
        onChange={(show) => onChange({ show: show as Show })}
        choices={shows.map((id) => ({ id, name: text(`imports.show.${id}`) }))}
      />
    </div>
  )
}
