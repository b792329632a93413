import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Source.module.css'

/** The sheets of a workbook with their sizes; one is selected. */
export function Sheets({ sheets, onShow }: { sheets: Schema<'Preview'>['sheets']; onShow: (index: number) => void }) {
  const text = useText()
  const { count } = useFormat()
  return (
    <div role="group" aria-label={text('source.sheets')} className={css.sheets}>
      {sheets.map((sheet) => (
        <Button
          key={sheet.index}
          size="small"
          look={sheet.shown ? 'primary' : 'secondary'}
          aria-pressed={sheet.shown}
          onPress={() => onShow(sheet.index)}
        >
          {sheet.name}
          <span className={css.size}>
            {[
              text('source.sheet.rows', { count: sheet.rows, shown: count(sheet.rows) }),
              sheet.hidden && text('source.sheet.hidden'),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </Button>
      ))}
    </div>
  )
}
