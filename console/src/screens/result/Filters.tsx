import { Redo2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { SearchText } from '@/app/SearchText'
import { useText } from '@/i18n/messages'
import { Button, Field, Select } from '@/ui'
import { isWhole, shows, type RowFilter } from './filter'
import css from './Result.module.css'
import type { useEdits } from './useEdits'

/** The filters of the rows, and the number of matching rows. */
export function Filters({
  filter,
  total,
  edits,
  onRow,
  onChange,
}: {
  filter: RowFilter
  total: string
  /** The corrections that can be undone; undefined if no row can be corrected. */
  edits: Pick<ReturnType<typeof useEdits>, 'undo' | 'redo' | 'canUndo' | 'canRedo'> | undefined
  /** Goes to a row by its number; undefined while a filter is set, or if there are few. */
  onRow: ((number: number) => void) | undefined
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
      {onRow && <GoTo onRow={onRow} />}
      {edits && (
        <div className={css.edits}>
          <Button look="quiet" aria-label={text('result.undo')} isDisabled={!edits.canUndo} onPress={edits.undo}>
            <Undo2 aria-hidden />
          </Button>
          <Button look="quiet" aria-label={text('result.redo')} isDisabled={!edits.canRedo} onPress={edits.redo}>
            <Redo2 aria-hidden />
          </Button>
        </div>
      )}
      <p role="status" className={css.total}>
        {total}
      </p>
    </div>
  )
}

/** A field for the number of a row; Enter goes there. */
function GoTo({ onRow }: { onRow: (number: number) => void }) {
  const text = useText()
  const [typed, setTyped] = useState('')
  return (
    <form
      className={css.goTo}
      onSubmit={(event) => {
        event.preventDefault()
        if (Number(typed) > 0) onRow(Number(typed))
      }}
    >
      <Field
        label={text('result.goTo')}
        labelHidden
        placeholder={text('result.goTo')}
        inputMode="numeric"
        value={typed}
        onChange={(written) => setTyped(written.replace(/\D/g, ''))}
        maxLength={9}
      />
    </form>
  )
}
