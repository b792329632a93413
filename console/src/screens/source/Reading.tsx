import type { Schema } from '@/api/client'
import { useText, type MessageKey } from '@/i18n/messages'
import { Select } from '@/ui'
import type { SourceChange } from './change'
import css from './Source.module.css'

const found = 'found out'
const encodings = [
  'utf-8',
  'windows-1252',
  'iso-8859-15',
  'windows-1250',
  'windows-1251',
  'utf-16le',
  'utf-16be',
  'macintosh',
  'shift_jis',
  'gb18030',
]
const delimiters = { ';': 'semicolon', ',': 'comma', '\t': 'tab', '|': 'bar' } as const
const orders = ['dmy', 'mdy', 'ymd'] as const
const marks = ['.', ','] as const

/** The reading options. Options that are not set are detected, and the detected value is shown. */
export function Reading({
  preview,
  canSay,
  onSay,
}: {
  preview: Schema<'Preview'>
  canSay: boolean
  onSay: (change: SourceChange) => void
}) {
  const text = useText()
  const { options, detected } = preview
  const isText = detected?.format === 'csv'
  const isFound = (what: string | undefined) => ({
    id: found,
    name: what ? text('source.found.as', { what }) : text('source.found'),
  })
  const delimiterName = (mark: string | undefined) =>
    mark && mark in delimiters ? text(`source.delimiter.${delimiters[mark as keyof typeof delimiters]}`) : mark
  const select = (
    label: MessageKey,
    value: string | undefined,
    choices: { id: string; name: string }[],
    say: (id: string | null) => SourceChange,
  ) => (
    <Select
      label={text(label)}
      value={value ?? found}
      choices={choices}
      isDisabled={!canSay}
      onChange={(id) => onSay(say(id === found ? null : id))}
    />
  )
  const listed = [...new Set([...encodings, ...(options.encoding ? [options.encoding] : [])])]
  return (
    <div className={css.reading}>
      {isText &&
        select(
          'import.encoding',
          options.encoding,
          [isFound(detected.encoding), ...listed.map((id) => ({ id, name: id }))],
          (encoding) => ({ encoding }),
        )}
      {isText &&
        select(
          'source.delimiter',
          options.delimiter,
          [
            isFound(delimiterName(detected.delimiter)),
            ...Object.keys(delimiters).map((id) => ({ id, name: delimiterName(id)! })),
          ],
          (delimiter) => ({ delimiter }),
        )}
      {select(
        'columns.dateOrder',
        options.dateOrder,
        [
          { id: found, name: text('columns.byCells') },
          ...orders.map((id) => ({ id, name: text(`columns.dateOrder.${id}`) })),
        ],
        (order) => ({ dateOrder: order as (typeof orders)[number] | null }),
      )}
      {select(
        'source.decimalMark',
        options.decimalMark,
        [{ id: found, name: text('columns.byCells') }, ...marks.map((id) => ({ id, name: `1${id}5` }))],
        (mark) => ({ decimalMark: mark as (typeof marks)[number] | null }),
      )}
      {detected?.format !== 'ndjson' &&
        select(
          'source.headerRows',
          String(detected?.headerRows ?? 1),
          ['1', '2', '3'].filter((n) => Number(n) <= (detected?.headerRow ?? 1)).map((id) => ({ id, name: id })),
          (rows) => ({ headerRow: detected?.headerRow ?? 1, headerRows: Number(rows ?? 1) }),
        )}
    </div>
  )
}
