import { Link } from 'react-router'
import type { DeclaredType } from '@/api/declarations'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Table } from '@/ui'
import css from './Types.module.css'

/** The declared types, including retired ones. */
export function DeclaredTypes({ types }: { types: DeclaredType[] }) {
  const text = useText()
  const { ago, moment } = useFormat()
  if (types.length === 0) return <p>{text('types.none')}</p>
  return (
    <Table
      label={text('types.declared')}
      entries={types}
      rowId={({ name }) => name}
      columns={[
        {
          id: 'type',
          title: text('types.type'),
          cell: ({ name, title }) => (
            <div className={css.name}>
              <Link to={`/settings/types/${name}`}>
                <strong>{title}</strong>
              </Link>
              <code>{name}</code>
            </div>
          ),
        },
        {
          id: 'table',
          title: text('types.table'),
          from: 'medium',
          cell: ({ table }) => <code>{table}</code>,
        },
        {
          id: 'state',
          width: '9rem',
          title: text('types.state'),
          cell: ({ retiredAt }) => (
            <Badge tone={retiredAt ? 'neutral' : 'good'}>{text(retiredAt ? 'types.retired' : 'types.inUse')}</Badge>
          ),
        },
        {
          id: 'version',
          width: '6rem',
          title: text('types.version'),
          align: 'end',
          from: 'wide',
          cell: ({ version }) => version,
        },
        {
          id: 'saved',
          width: '12rem',
          title: text('types.saved'),
          from: 'medium',
          cell: ({ savedAt, savedBy }) => (
            <span title={moment(savedAt)}>{[ago(savedAt), savedBy].filter(Boolean).join(' · ')}</span>
          ),
        },
      ]}
    />
  )
}
