import { ChevronLeft, TriangleAlert } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Schema } from '@/api/client'
import { typesQuery } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { useText } from '@/i18n/messages'
import { changedOptions } from '@/import-options/options'
import { Button, Check, ErrorState, PageHeader, Panel, Skeleton } from '@/ui'
import { Sending } from '@/upload/Sending'
import { looksWrong } from '@/reader/look'
import { Glance, Refused } from './Glance'
import glance from './Glance.module.css'
import css from './NewImport.module.css'
import { emptyForm, Particulars } from './Particulars'
import { Rows } from './Rows'
import { useBegin, type RowSource } from './useBegin'
import { lookQuery, useLook } from './useLook'

type Missing = Partial<Record<'type' | 'context' | 'source', string>>

/** Starts an import: its settings and its file. */
export function Component() {
  const text = useText()
  const types = useQuery(typesQuery)
  const head = (
    <PageHeader
      back={
        <Link to="/">
          <ChevronLeft aria-hidden />
          {text('new.back')}
        </Link>
      }
      title={text('new.title')}
      about={text('new.about')}
    />
  )
  if (!types.data)
    return (
      <>
        {head}
        {types.error ? (
          <Failure error={types.error} onRetry={() => void types.refetch()} />
        ) : (
          <Skeleton label={text('face.loading')} />
        )}
      </>
    )
  return (
    <>
      {head}
      <NewImport types={types.data} />
    </>
  )
}

function NewImport({ types }: { types: Schema<'ImportType'>[] }) {
  const text = useText()
  const [typeName, setTypeName] = useState<string | null>(null)
  const [form, setForm] = useState(emptyForm)
  const [dryRun, setDryRun] = useState(false)
  const [source, setSource] = useState<RowSource | null>(null)
  const [tried, setTried] = useState(false)
  const [anyway, setAnyway] = useState(false)
  const { refused, sending, begin } = useBegin()
  const queries = useQueryClient()
  const type = types.find(({ name }) => name === typeName)
  const file = source && 'file' in source ? source.file : null
  const { found, isLooking } = useLook(file, type ?? null)

  const missing: Missing = {
    ...(!type && { type: text('new.missing.type') }),
    ...(type?.context && !form.context && { context: text('new.missing.context') }),
    ...(!source && { source: text('new.missing.source') }),
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (!type || !source || Object.keys(missing).length > 0) return
    // The file is previewed before it is uploaded, if the browser can do that.
    const { fault, head } = file ? await queries.query({ ...lookQuery(file, type), staleTime: 'static' }) : {}
    if (fault || (head && !form.profile && looksWrong(head) && !anyway)) return
    void begin({
      type,
      source,
      dryRun,
      ...(type.context && form.context && { contextId: Number(form.context) }),
      ...(form.profile && { profile: form.profile }),
      ...(Object.keys(form.options).length > 0 && { options: form.options }),
      ...(form.label.trim() && { label: form.label.trim() }),
      importOptions: changedOptions(form.importOptions, {}),
      ...(type.modes.length > 1 && { mode: (form.mode ?? type.modes[0]) as Schema<'Mode'> }),
    })
  }
  if (file && sending.state.is !== 'idle') {
    return <Sending file={file} state={sending.state} onPause={sending.pause} onGoOn={() => void sending.goOn()} />
  }
  return (
    <form className={css.form} onSubmit={(event) => void submit(event)} noValidate>
      <Panel title={text('new.what')}>
        <Particulars
          types={types}
          type={type}
          onType={(name) => {
            setTypeName(name)
            setAnyway(false)
            setForm({ ...emptyForm, label: form.label })
          }}
          form={form}
          onForm={setForm}
          missing={tried ? missing : {}}
        />
      </Panel>
      <Panel title={text('new.rows')}>
        <Rows
          source={source}
          onSource={(chosen) => {
            setSource(chosen)
            setAnyway(false)
          }}
          error={tried ? missing.source : undefined}
        />
        {isLooking && !found && (
          <p role="status" className={glance.looking}>
            {text('new.look.looking')}
          </p>
        )}
        {found?.fault && <Refused fault={found.fault} />}
        {found?.head && (
          <Glance
            head={found.head}
            isRead={form.profile !== ''}
            typeTitle={type?.title}
            anyway={anyway}
            onAnyway={setAnyway}
          />
        )}
      </Panel>
      {refused && (
        <ErrorState icon={<TriangleAlert />} title={text('new.refused')}>
          {refused.message}
        </ErrorState>
      )}
      <div className={css.foot}>
        <Check isSelected={dryRun} onChange={setDryRun}>
          {text('new.trial')}
        </Check>
        <Button type="submit" look="primary">
          {text('new.begin')}
        </Button>
      </div>
    </form>
  )
}
