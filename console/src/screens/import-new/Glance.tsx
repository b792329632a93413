import { FileWarning, TriangleAlert } from 'lucide-react'
import { useText } from '@/i18n/messages'
import { Check } from '@/ui'
import { looksWrong, type Fault, type Head } from '@/reader/look'
import css from './Glance.module.css'

type GlanceProps = {
  head: Head
  /** Whether a profile maps the columns, or the server has recognised them. */ isRead: boolean
  typeTitle: string | undefined
  anyway: boolean
  onAnyway: (anyway: boolean) => void
}

/** A preview of the file before the upload: reading options, first rows and recognised columns. */
export function Glance({ head, isRead, typeTitle, anyway, onAnyway }: GlanceProps) {
  const text = useText()
  const { columns, missing } = head
  const known = columns.filter(({ targetField }) => targetField).length
  const isWrong = !isRead && looksWrong(head)
  return (
    <div className={css.glance}>
      {missing && isWrong && (
        <div className={css.wrong} role="alert">
          <TriangleAlert aria-hidden />
          <div>
            <strong>{text('new.look.other', { type: typeTitle ?? '' })}</strong>
            <p>
              {missing.message} <code>{missing.code}</code>
            </p>
            <Check isSelected={anyway} onChange={onAnyway}>
              {text('new.look.anyway')}
            </Check>
          </div>
        </div>
      )}
      <p className={css.facts}>{useFacts(head).join(' · ')}</p>
      <Rows head={head} />
      {typeTitle && !isWrong && !isRead && (
        <p className={css.known}>
          {text('new.look.known', { known, count: columns.length })}
          {missing && ` ${missing.message} ${text('new.look.later')}`}
        </p>
      )}
    </div>
  )
}

/** Why a file cannot be imported. */
export function Refused({ fault }: { fault: Fault }) {
  const text = useText()
  return (
    <div className={css.wrong} data-bad role="alert">
      <FileWarning aria-hidden />
      <div>
        <strong>{text('new.look.refused')}</strong>
        <p>
          {fault.message} <code>{fault.code}</code>
        </p>
      </div>
    </div>
  )
}

const delimiters: Record<string, 'semicolon' | 'comma' | 'tab' | 'bar'> = {
  ';': 'semicolon',
  ',': 'comma',
  '\t': 'tab',
  '|': 'bar',
}

/** How the file is read, in a few words. */
function useFacts({ detected, sheets }: Head): string[] {
  const text = useText()
  const { format, encoding, delimiter, sheetName, headerRow } = detected
  const named = delimiter && delimiters[delimiter]
  return [
    format.toUpperCase(),
    encoding?.toUpperCase(),
    named ? text(`source.delimiter.${named}`) : delimiter,
    sheetName &&
      (sheets.length > 1
        ? text('new.look.sheetOf', { name: sheetName, count: sheets.length })
        : text('new.look.sheet', { name: sheetName })),
    headerRow ? text('new.look.header', { row: headerRow }) : null,
  ].filter((fact): fact is string => Boolean(fact))
}

/** The first rows. The header marks the recognised columns. */
function Rows({ head: { rows, columns, moreRows } }: { head: Head }) {
  const text = useText()
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  return (
    <div className={css.frame} tabIndex={0} role="region" aria-label={text('source.rows')}>
      <table className={css.rows}>
        <caption className="visually-hidden">{text('source.rows')}</caption>
        <tbody>
          {rows.map((row) => (
            <tr key={row.number} data-part={row.part}>
              <th scope="row">{row.number}</th>
              {Array.from({ length: width }, (_, place) => {
                const cell = row.cells[place]
                return (
                  <td key={place} data-known={row.part === 'HEADER' && Boolean(columns[place]?.targetField)}>
                    {cell?.text}
                    {cell?.cut && '…'}
                  </td>
                )
              })}
            </tr>
          ))}
          {moreRows && (
            <tr>
              <th scope="row">⋯</th>
              <td colSpan={width} />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
