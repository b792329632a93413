import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { typesQuery } from '@/api/imports'
import { useDownload } from '@/api/useDownload'
import { Loaded } from '@/app/Loaded'
import { serverLanguage } from '@/i18n/locales'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, PageHeader, Panel, Select, Stack, Table } from '@/ui'

/** The columns of each type, and template workbooks. */
export function Component() {
  const text = useText()
  const [name, setName] = useState<string | null>(null)
  return (
    <>
      <PageHeader title={text('templates.title')} about={text('templates.about')} />
      <Loaded query={useQuery(typesQuery)}>
        {(types) => {
          const type = types.find((each) => each.name === name) ?? types[0]!
          return (
            <Stack>
              <Bar>
                <Select
                  label={text('templates.type')}
                  value={type.name}
                  onChange={setName}
                  choices={types.map((each) => ({ id: each.name, name: each.title }))}
                />
                <Workbook key={type.name} type={type} />
              </Bar>
              <Panel title={text('templates.columns', { type: type.title })}>
                <Fields type={type} />
              </Panel>
            </Stack>
          )
        }}
      </Loaded>
    </>
  )
}

function Workbook({ type }: { type: Schema<'ImportType'> }) {
  const text = useText()
  const download = useDownload(`/api/import-types/${type.name}/template.xlsx?lang=${serverLanguage()}`)
  return (
    <Button look="primary" onPress={download.start} isPending={download.isPending}>
      <Download aria-hidden />
      {text('templates.download')}
    </Button>
  )
}

function Fields({ type }: { type: Schema<'ImportType'> }) {
  const text = useText()
  return (
    <Table
      label={text('templates.columns', { type: type.title })}
      entries={type.fields}
      rowId={({ name }) => name}
      columns={[
        {
          id: 'title',
          width: '30%',
          title: text('templates.column'),
          cell: ({ title, isRequired }) => (
            <Bar>
              <strong>{title}</strong>
              {isRequired && <Badge tone="wait">{text('templates.needed')}</Badge>}
            </Bar>
          ),
        },
        {
          id: 'kind',
          width: '10rem',
          title: text('templates.kind'),
          cell: ({ kind }) => text(`templates.kind.${kind}`),
        },
        {
          id: 'values',
          title: text('templates.values'),
          from: 'medium',
          cell: ({ values, maxLength }) =>
            values?.join(', ') ?? (maxLength ? text('templates.length', { count: maxLength }) : ''),
        },
        {
          id: 'aliases',
          title: text('templates.aliases'),
          from: 'wide',
          cell: ({ aliases }) => [...new Set(aliases)].slice(0, 4).join(', '),
        },
      ]}
    />
  )
}
