import type { FieldSummary } from '@/api/changes'
import type { Fields } from '@/api/fields'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, Panel, Table, type Column } from '@/ui'
import { Values } from './Values'
import { outliersFirst } from './outliers'

type ByFieldProps = {
  fields: FieldSummary[]
  names: Fields
  chosen: string | undefined
  onField: (field: string | undefined) => void
}

/** The number of changes per field, with unusual ones highlighted; nothing if no field changes. */
export function ByField({ fields, names, chosen, onField }: ByFieldProps) {
  const text = useText()
  const { count } = useFormat()
  const columns: Column<FieldSummary>[] = [
    {
      id: 'field',
      width: '22%',
      title: text('changes.field'),
      cell: ({ field }) => <strong>{names.title(field)}</strong>,
    },
    {
      id: 'changed',
      width: '7rem',
      align: 'end',
      title: text('changes.changed'),
      cell: ({ changed }) => count(changed),
    },
    { id: 'outliers', title: text('changes.outliers'), from: 'medium', cell: (field) => <Outliers of={field} /> },
    {
      id: 'example',
      title: text('changes.example'),
      from: 'wide',
      cell: ({ field, examples }) =>
        examples[0] && <Values kind={names.kind(field)} before={examples[0].before} after={examples[0].after} />,
    },
    {
      id: 'only',
      width: '9rem',
      align: 'end',
      title: <span className="visually-hidden">{text('changes.only')}</span>,
      cell: ({ field }) => (
        <Button size="small" look="quiet" onPress={() => onField(chosen === field ? undefined : field)}>
          {text(chosen === field ? 'changes.all' : 'changes.only')}
        </Button>
      ),
    },
  ]
  if (fields.length === 0) return null
  return (
    <Panel title={text('changes.fields')}>
      <Table
        label={text('changes.fields')}
        columns={columns}
        entries={outliersFirst(fields)}
        rowId={({ table, field }) => `${table} ${field}`}
      />
    </Panel>
  )
}

function Outliers({ of }: { of: FieldSummary }) {
  const text = useText()
  const steps = (
    of.rises.length > 0 ? [['changes.rises', of.rises] as const, ['changes.falls', of.falls] as const] : []
  ).flatMap(([name, found]) =>
    found
      .filter(({ moreThanPercent, count }) => moreThanPercent === 50 && count > 0)
      .map(({ count }) => text(name, { count })),
  )
  return (
    <Bar>
      {of.emptied > 0 && <Badge tone="bad">{text('changes.emptied', { count: of.emptied })}</Badge>}
      {steps.map((step) => (
        <Badge key={step} tone="wait">
          {step}
        </Badge>
      ))}
      {of.filled > 0 && <Badge tone="good">{text('changes.filled', { count: of.filled })}</Badge>}
    </Bar>
  )
}
