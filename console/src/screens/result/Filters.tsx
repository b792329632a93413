import { SearchText } from '@/app/SearchText'
import { useText } from '@/i18n/messages'
import { Button, Select } from '@/ui'
import { isWhole, shows, type RowFilter } from './filter'
import css from './Result.module.css'

/** The filters of the rows, and the number of matching rows. */
export function Filters({
  filter,
  total,
  onChange,
}: {
  filter: RowFilter
  total: string
  onChange: (filter: RowFilter) => void
}) {
  const text = useText()
  return (
    <div className={css.filters}>
      <Select
        label={text('result.show')}
        labelHidden
        value={filter.show}
        choices={shows.map((id) => ({ id, name: text(`result.show.${id}`) }))}
        onChange={(show) => onChange({ ...filter, show: show as RowFilter['show'] })}
      />
      <SearchText
        label={text('result.search')}
        asked={filter.text}
        maxLength={200}
        onAsk={(words) => onChange({ ...filter, text: words })}
      />
      {!isWhole(filter) && (
        <Button look="quiet" onPress={() => onChange({ show: 'all', field: '', code: '', text: '' })}>
          {text('imports.reset')}
        </Button>
      )}
      <p role="status" className={css.total}>
        {total}
      </p>
    </div>
  )
}
