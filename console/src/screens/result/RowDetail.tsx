import { PencilLine } from 'lucide-react'
import type { Schema } from '@/api/client'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import type { Row } from './queries'
import css from './Result.module.css'

type RowDetailProps = {
  row: Row | undefined
  fields: Schema<'Field'>[]
  /** The headers of the file. */ headers: string[]
  /** Why the correction of the selected cell was refused. */ refusal: string | undefined
  /** Corrects the selected cell, if it can be corrected. */ onCorrect: (() => void) | undefined
}

/** The selected row: its errors or corrections, and its original cells. */
export function RowDetail({ row, fields, headers, refusal, onCorrect }: RowDetailProps) {
  const text = useText()
  if (!row) return null
  return (
    <section className={css.detail} aria-label={text('result.detail', { row: row.rowNumber })}>
      <div>
        <h3>{text('result.detail', { row: row.rowNumber })}</h3>
        {refusal && (
          <p role="alert" className={css.fault}>
            {refusal}
          </p>
        )}
        <div role="status">
          {row.open
            ? row.faults
                .filter(({ message }) => message !== refusal)
                .map((fault) => (
                  <p key={`${fault.field} ${fault.code}`} className={css.fault}>
                    {fault.message}
                  </p>
                ))
            : row.outcome === 'SKIPPED'
              ? row.faults.map((fault) => <p key={`${fault.field} ${fault.code}`}>{fault.message}</p>)
              : row.outcome === 'ERROR' && isRight(row) && <p className={css.righted}>{text('result.rightNow')}</p>}
          {row.values
            .filter(({ corrected }) => corrected)
            .map(({ field, read }) => (
              <p key={field}>
                {text(read ? 'result.is' : 'result.isEmpty', {
                  field: fields.find(({ name }) => name === field)?.title ?? field,
                  to: read,
                })}
              </p>
            ))}
        </div>
        <p className={css.inFile}>
          <span>{text('result.inFile')}</span>{' '}
          {row.cells.map((cell, place) => (
            <span key={place} className={css.inCell}>
              {headers[place] && <small>{headers[place]}</small>} {cell || '–'}
            </span>
          ))}
        </p>
      </div>
      {onCorrect && (
        <Button size="small" onPress={onCorrect}>
          <PencilLine aria-hidden />
          {text('result.correct')}
        </Button>
      )}
    </section>
  )
}

/** Whether a retry imported a row that had errors. */
const isRight = ({ retry }: Row): boolean => Boolean(retry?.outcome && retry.outcome !== 'ERROR')
