import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRestoreProfile, versionQuery, versionsQuery, type Profile } from '@/api/profiles'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, notices, Select, Stack, Table } from '@/ui'
import { differences, linesOf } from './difference'
import { useLines } from './useLines'

/** The versions of a profile: compares an earlier version with the current one and restores it. */
export function Versions({ profile }: { profile: Profile }) {
  const text = useText()
  const { moment } = useFormat()
  const [chosen, setChosen] = useState<number | null>(null)
  const restore = useRestoreProfile(profile.id)
  const goBack = (version: number) =>
    follow(restore.mutateAsync(version), (made) => {
      setChosen(null)
      notices.add({ title: text('profile.kept', { version: made.version }) })
    })
  return (
    <Loaded query={useQuery(versionsQuery(profile.id))} lines={2}>
      {(versions) => {
        const earlier = versions.filter(({ version }) => version !== profile.version)
        if (earlier.length === 0) return <p>{text('profile.versions.one')}</p>
        const version = chosen ?? earlier[0]!.version
        return (
          <Stack>
            <Bar>
              <Select
                label={text('profile.compare')}
                value={String(version)}
                onChange={(id) => setChosen(Number(id))}
                choices={earlier.map((each) => ({
                  id: String(each.version),
                  name: text('profile.version', { version: each.version }),
                  about: [moment(each.savedAt), each.savedBy].filter(Boolean).join(' · '),
                }))}
              />
              <Button onPress={() => goBack(version)} isPending={restore.isPending}>
                {text('profile.restore', { version })}
              </Button>
            </Bar>
            <Comparison profile={profile} version={version} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

function Comparison({ profile, version }: { profile: Profile; version: number }) {
  const text = useText()
  const { about, value } = useLines(profile.importType)
  return (
    <Loaded query={useQuery(versionQuery(profile.id, version))} lines={2}>
      {(earlier) => {
        const found = differences(linesOf(earlier), linesOf(profile))
        if (found.length === 0) return <p>{text('profile.same')}</p>
        return (
          <Table
            label={text('profile.differences', { version })}
            entries={found}
            rowId={({ key }) => key}
            columns={[
              { id: 'about', title: text('profile.line'), cell: about },
              { id: 'before', title: text('profile.version', { version }), cell: (line) => value(line, line.before) },
              { id: 'after', title: text('profile.now'), cell: (line) => value(line, line.after) },
            ]}
          />
        )
      }}
    </Loaded>
  )
}
