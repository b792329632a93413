import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { declarationQuery, declaredTypesQuery, useRetireType, type DeclaredType } from '@/api/declarations'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { BackToTypes, Permitted } from '@/screens/types/Permitted'
import { Badge, ButtonLink, Confirm, notices, PageHeader, Panel, Stack } from '@/ui'
import { Drift } from './Drift'
import { Editor } from './Editor'
import { Versions } from './Versions'

/** A declared type: its declaration, versions, and differences of its table. */
export function Component() {
  const { name = '' } = useParams()
  return <Permitted>{(mayWrite) => <Known key={name} name={name} mayWrite={mayWrite} />}</Permitted>
}

function Known({ name, mayWrite }: { name: string; mayWrite: boolean }) {
  const types = useQuery(declaredTypesQuery)
  return (
    <Loaded query={useQuery(declarationQuery(name))}>
      {({ source, version }) => (
        <Whole
          name={name}
          type={types.data?.find((type) => type.name === name)}
          source={source}
          version={version}
          mayWrite={mayWrite}
        />
      )}
    </Loaded>
  )
}

type WholeProps = { name: string; type: DeclaredType | undefined; source: string; version: number; mayWrite: boolean }

function Whole({ name, type, source, version, mayWrite }: WholeProps) {
  const text = useText()
  const [earlier, setEarlier] = useState<string | null>(null)
  const isRetired = Boolean(type?.retiredAt)
  return (
    <>
      <PageHeader
        back={<BackToTypes />}
        title={type?.title ?? name}
        badge={
          type && (
            <Badge tone={isRetired ? 'neutral' : 'good'}>{text(isRetired ? 'types.retired' : 'types.inUse')}</Badge>
          )
        }
        about={[name, type?.table, text('type.version', { version })].filter(Boolean).join(' · ')}
        actions={
          <>
            {mayWrite && type && !isRetired && <Retire type={type} />}
            {!isRetired && (
              <ButtonLink to="/imports/new" look="primary">
                {text('type.import')}
              </ButtonLink>
            )}
          </>
        }
      />
      <Stack>
        <Drift name={name} />
        <Editor
          key={`${version} ${earlier}`}
          source={earlier ?? source}
          version={version}
          name={name}
          mayWrite={mayWrite}
          isRetired={isRetired}
          onPublished={() => setEarlier(null)}
        />
        <Panel title={text('type.versions')}>
          <Versions name={name} inUse={version} onEdit={mayWrite ? setEarlier : undefined} />
        </Panel>
      </Stack>
    </>
  )
}

function Retire({ type: { name, title } }: { type: DeclaredType }) {
  const text = useText()
  const retire = useRetireType(name)
  return (
    <Confirm
      name={text('type.retire')}
      title={text('type.retire.title', { title })}
      keep={text('type.retire.keep')}
      isPending={retire.isPending}
      onConfirm={() => follow(retire.mutateAsync(), () => notices.add({ title: text('type.retire.done', { title }) }))}
    >
      {text('type.retire.about')}
    </Confirm>
  )
}
