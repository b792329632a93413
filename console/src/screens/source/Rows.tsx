import type { Schema } from '@/api/client'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import { shownRows, widthOf } from './change'
import css from './Source.module.css'

type RowsProps = {
  preview: Schema<'Preview'>
  canSay: boolean
  onHeader: (row: number) => void
  /** Null for none. */ onFooter: (row: number | null) => void
}

/** The first and last rows as they are read. One of the first can be selected as the header, one of the last as the end of the data. */
export function Rows({ preview, canSay, onHeader, onFooter }: RowsProps) {
  const text = useText()
  const { head, tail } = shownRows(preview)
  const width = widthOf([...head, ...tail])
  const isChoosable = canSay && preview.detected?.format !== 'ndjson'
  const footer = preview.lastRows?.find(({ part }) => part === 'FOOTER')?.number
  const line = (row: Schema<'PreviewRow'>, action: { name: string; onPress: () => void } | null) => (
    <tr key={row.number} data-part={row.part}>
      <th scope="row">
        {isChoosable && action ? (
          <Button size="small" look="quiet" aria-label={action.name} onPress={action.onPress}>
            {row.number}
          </Button>
        ) : (
          row.number
        )}
      </th>
      <td className={css.part}>{row.part !== 'DATA' && text(`source.part.${row.part}`)}</td>
      {Array.from({ length: width }, (_, place) => {
        const cell = row.cells[place]
        return (
          <td key={place} data-kind={cell?.kind}>
            {cell?.text}
            {cell?.cut && '…'}
          </td>
        )
      })}
    </tr>
  )
  const lastSix = new Set(preview.lastRows?.map(({ number }) => number))
  const asFooter = (row: Schema<'PreviewRow'>) =>
    row.number === footer
      ? { name: `${row.number}: ${text('source.keepAll')}`, onPress: () => onFooter(null) }
      : { name: text('source.endsBefore', { row: row.number }), onPress: () => onFooter(row.number) }
  return (
    <>
      {isChoosable && <p className={css.hint}>{text('source.choose')}</p>}
      <div className={css.frame} tabIndex={0} role="region" aria-label={text('source.rows')}>
        <table className={css.rows}>
          <caption className="visually-hidden">{text('source.rows')}</caption>
          <tbody>
            {head.map((row) =>
              line(
                row,
                lastSix.has(row.number) && row.part !== 'HEADER' && row.number > (preview.detected?.headerRow ?? 0) + 1
                  ? asFooter(row)
                  : { name: text('source.isHeader', { row: row.number }), onPress: () => onHeader(row.number) },
              ),
            )}
            {tail.length > 0 && (
              <tr className={css.gap}>
                <td colSpan={width + 2}>⋯</td>
              </tr>
            )}
            {tail.map((row) => line(row, asFooter(row)))}
          </tbody>
        </table>
      </div>
    </>
  )
}
