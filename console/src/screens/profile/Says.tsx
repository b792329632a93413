import type { Schema } from '@/api/client'
import type { Profile } from '@/api/profiles'
import { useText } from '@/i18n/messages'
import { Table } from '@/ui'
import { linesOf } from './difference'

/** What a profile says of a file, line by line. */
export function Says({ profile, fields }: { profile: Profile; fields: Schema<'Field'>[] }) {
  const text = useText()
  const titles = new Map(fields.map(({ name, title }) => [name, title]))
  const lines = linesOf(profile).filter(({ key }) => !key.startsWith('name:') && !key.startsWith('auto:'))
  return (
    <Table
      label={text('profile.says')} entries={lines} rowId={({ key }) => key}
      columns={[
        { id: 'about', width: '34%', title: text('profile.line'), cell: ({ about, key }) => (key.startsWith('field:') ? (titles.get(about) ?? about) : about) },
        { id: 'kind', width: '11rem', title: text('profile.kind'), from: 'medium', cell: ({ key }) => text(`profile.kind.${kindOf(key)}`) },
        { id: 'says', title: text('profile.from'), cell: ({ says }) => says },
      ]}
    />
  )
}

const kindOf = (key: string) => key.slice(0, key.indexOf(':')) as 'field' | 'value' | 'default' | 'ignore' | 'source' | 'headers'
