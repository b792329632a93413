import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Schema } from '@/api/client'
import { useCreateExport, type ExportOrder } from '@/api/exports'
import { typesQuery } from '@/api/imports'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { Context } from '@/screens/import-new/Context'
import { Bar, Button, ErrorState, PageHeader, Panel, Select, Stack } from '@/ui'
import { Count } from './Count'
import { Fields } from './Fields'
import { Filters } from './Filters'
import { toFilters, type FilterRow } from './filters'

/** Creates an export: the columns, the rows and the format. */
export function Component() {
  const text = useText()
  const [name, setName] = useState<string | null>(null)
  return (
    <>
      <PageHeader
        back={
          <Link to="/exports">
            <ChevronLeft aria-hidden />
            {text('exports.title')}
          </Link>
        }
        title={text('exports.new')}
        about={text('export.about')}
      />
      <Loaded query={useQuery(typesQuery)}>
        {(types) => {
          const type = types.find((each) => each.name === name)
          return (
            <Stack>
              <Panel title={text('export.what')}>
                <Bar fields>
                  <Select
                    label={text('export.type')}
                    placeholder={text('export.type.choose')}
                    value={name}
                    onChange={setName}
                    choices={types.map((each) => ({ id: each.name, name: each.title }))}
                  />
                </Bar>
              </Panel>
              {type && <Order key={type.name} type={type} />}
            </Stack>
          )
        }}
      </Loaded>
    </>
  )
}

const formats: Schema<'ExportFormat'>[] = ['csv', 'xlsx', 'ndjson']

function Order({ type }: { type: Schema<'ImportType'> }) {
  const text = useText()
  const leave = useNavigate()
  const [format, setFormat] = useState<Schema<'ExportFormat'>>('csv')
  const [columns, setColumns] = useState(() => type.fields.map(({ column }) => column))
  const [rows, setRows] = useState<FilterRow[]>([])
  const [context, setContext] = useState<string | null>(null)
  const create = useCreateExport()
  const filters = toFilters(rows, type.fields, context)
  const order: ExportOrder = { importType: type.name, format, fields: columns, filters }
  return (
    <>
      <Panel title={text('export.rows')}>
        <Stack>
          {type.context && (
            <Bar fields>
              <Context type={type} value={context} onChange={setContext} />
            </Bar>
          )}
          <Filters type={type} rows={rows} onRows={setRows} />
          <Count type={type.name} filters={filters} />
        </Stack>
      </Panel>
      <Panel title={text('export.columns')}>
        <Fields fields={type.fields} chosen={columns} onChosen={setColumns} />
      </Panel>
      {create.error && (
        <ErrorState icon={<TriangleAlert />} title={text('export.refused')}>
          {create.error.message}
        </ErrorState>
      )}
      <Bar end>
        <Select
          label={text('export.format')}
          labelHidden
          value={format}
          onChange={(id) => setFormat(id as typeof format)}
          choices={formats.map((id) => ({ id, name: text(`export.format.${id}`) }))}
        />
        <Button
          look="primary"
          isDisabled={columns.length === 0}
          isPending={create.isPending}
          onPress={() => create.mutate(order, { onSuccess: () => void leave('/exports') })}
        >
          {text('export.begin')}
        </Button>
      </Bar>
    </>
  )
}
