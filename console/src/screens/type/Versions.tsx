import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { typeVersionsQuery, versionSource, versionsPage } from '@/api/declarations'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Button, Stack, Table } from '@/ui'
import { YamlEditor } from './YamlEditor'

type VersionsProps = {
  name: string
  inUse: number
  /** Opens the declaration of an earlier version in the editor. */ onEdit: ((source: string) => void) | undefined
}

/** The versions of a type, newest first, with their declarations. */
export function Versions({ name, inUse, onEdit }: VersionsProps) {
  const text = useText()
  const { ago, moment } = useFormat()
  const [page, setPage] = useState(0)
  const [shown, setShown] = useState<{ version: number; source: string } | null>(null)
  const load = useMutation({
    mutationFn: async (version: number) => ({ version, source: await versionSource(name, version) }),
  })
  return (
    <Loaded query={useQuery(typeVersionsQuery(name, page))} lines={2}>
      {({ versions, total }) => (
        <Stack>
          <Table
            label={text('type.versions')}
            entries={versions}
            rowId={({ version }) => String(version)}
            columns={[
              {
                id: 'version',
                width: '13rem',
                title: text('types.version'),
                cell: ({ version }) => (
                  <>
                    {version} {version === inUse && <Badge tone="good">{text('types.inUse')}</Badge>}
                  </>
                ),
              },
              {
                id: 'saved',
                title: text('types.saved'),
                cell: ({ savedAt, savedBy }) => (
                  <span title={moment(savedAt)}>{[ago(savedAt), savedBy].filter(Boolean).join(' · ')}</span>
                ),
              },
              {
                id: 'do',
                width: '10rem',
                align: 'end',
                title: <span className="visually-hidden">{text('types.do')}</span>,
                cell: ({ version }) => (
                  <Button
                    size="small"
                    isPending={load.isPending && load.variables === version}
                    aria-label={text('type.versions.show', { version })}
                    onPress={() => follow(load.mutateAsync(version), setShown)}
                  >
                    {text('type.show')}
                  </Button>
                ),
              },
            ]}
          />
          {total > versionsPage && (
            <Pages
              page={page}
              size={versionsPage}
              total={total}
              label={text('type.versions.total', { count: total })}
              onPage={setPage}
            />
          )}
          {shown && (
            <>
              <YamlEditor
                key={shown.version}
                label={text('type.version', { version: shown.version })}
                source={shown.source}
                faults={[]}
              />
              {onEdit && shown.version !== inUse && (
                <Button onPress={() => onEdit(shown.source)}>
                  {text('type.versions.edit', { version: shown.version })}
                </Button>
              )}
            </>
          )}
        </Stack>
      )}
    </Loaded>
  )
}
