import type { Profile } from '@/api/profiles'
import { useText } from '@/i18n/messages'
import { Table } from '@/ui'
import { kindOf, linesOf } from './difference'
import { useLines } from './useLines'

/** The contents of a profile, line by line. */
export function ProfileContents({ profile }: { profile: Profile }) {
  const text = useText()
  const { about, kind } = useLines(profile.importType)
  const lines = linesOf(profile).filter(({ key }) => kindOf(key) !== 'name' && kindOf(key) !== 'auto')
  return (
    <Table
      label={text('profile.contents')}
      entries={lines}
      rowId={({ key }) => key}
      columns={[
        { id: 'about', width: '34%', title: text('profile.line'), cell: about },
        { id: 'kind', width: '11rem', title: text('profile.kind'), from: 'medium', cell: kind },
        { id: 'meaning', title: text('profile.from'), cell: ({ meaning }) => meaning },
      ]}
    />
  )
}
