import { ChevronLeft, TriangleAlert } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import type { Schema } from '@/api/client'
import { typesQuery } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { useText } from '@/i18n/messages'
import { changedOptions } from '@/import-options/options'
import { Bar, Button, Check, ErrorState, PageHeader, Panel, Skeleton } from '@/ui'
import { Sending } from '@/upload/Sending'
import { looksWrong } from '@/reader/look'
import { againQuery, fileOf, type Again } from './again'
import { Glance, Refused } from './Glance'
import glance from './Glance.module.css'
import { useGuess } from './guess'
import css from './NewImport.module.css'
import { emptyForm, Particulars, type ImportForm } from './Particulars'
import { ProfileNote } from './ProfileNote'
import { Rows } from './Rows'
import { useBegin, type RowSource } from './useBegin'
import { lookQuery, useLook } from './useLook'
import { useStartsDirectly } from './useStartsDirectly'

type Missing = Partial<Record<'type' | 'context' | 'source', string>>

/** Starts an import: its settings and its file. */
export function Component() {
  const text = useText()
  const types = useQuery(typesQuery)
  const query = useSearchParams()[0]
  const again = useQuery(againQuery(query.get('again')))
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
  const error = types.error ?? again.error
  if (!types.data || again.data === undefined)
    return (
      <>
        {head}
        {error ? (
          <Failure error={error} onRetry={() => void Promise.all([types.refetch(), again.refetch()])} />
        ) : (
          <Skeleton label={text('face.loading')} />
        )}
      </>
    )
  return (
    <>
      {head}
      <NewImport key={again.data?.job.identifier} types={types.data} again={again.data} mode={query.get('mode')} />
    </>
  )
}

type NewImportProps = {
  types: Schema<'ImportType'>[]
  again: Again | null
  /** How the import that is started again handles existing records, if not as before. */ mode: string | null
}

function NewImport({ types, again, mode }: NewImportProps) {
  const text = useText()
  const [typeName, setTypeName] = useState<string | null>(again?.job.importType ?? null)
  const [form, setForm] = useState(() => (again ? formOf(again.job, types, mode) : emptyForm))
  const [isDirect, setDirect] = useStartsDirectly()
  const [source, setSource] = useState<RowSource | null>(() => {
    const file = again && fileOf(again.job.identifier)
    return file && { file }
  })
  const [tried, setTried] = useState(false)
  const [anyway, setAnyway] = useState(false)
  const { refused, sending, begin } = useBegin()
  const queries = useQueryClient()
  const type = types.find(({ name }) => name === typeName)
  const file = source && 'file' in source ? source.file : null
  const { found, isLooking } = useLook(file, type ?? null)
  const seemsOther = found?.head !== undefined && looksWrong(found.head)
  const guess = useGuess(file, types, !type || seemsOther)
  const choose = (name: string) => {
    setTypeName(name)
    setAnyway(false)
    setForm({ ...emptyForm, label: form.label })
  }

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
      plan: !isDirect,
      ...(type.context && form.context && { contextId: Number(form.context) }),
      ...(form.profile && { profile: form.profile }),
      ...(Object.keys(form.options).length > 0 && { options: form.options }),
      ...(form.label.trim() && { label: form.label.trim() }),
      importOptions: changedOptions(form.importOptions, {}),
      ...(again?.mapping && again.job.importType === type.name && { mapping: again.mapping }),
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
          onType={choose}
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
        {again && !source && (
          <p className={glance.looking}>{text('new.again', { file: again.job.originalFilename })}</p>
        )}
        {guess && guess.type.name !== type?.name && (
          <div role="status" className={css.guess}>
            <Bar>
              <p>{text('new.guess', { type: guess.type.title, known: guess.known, count: guess.count })}</p>
              <Button size="small" onPress={() => choose(guess.type.name)}>
                {text('new.guess.take', { type: guess.type.title })}
              </Button>
            </Bar>
          </div>
        )}
        {type && found?.head && form.profile === '' && (
          <ProfileNote typeName={type.name} head={found.head} onTake={(profile) => setForm({ ...form, profile })} />
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
        <Check isSelected={isDirect} onChange={setDirect}>
          {text('new.trial')}
        </Check>
        <p className={css.promise}>{!isDirect && text('new.preview.about')}</p>
        <Button type="submit" look="primary">
          {text(isDirect ? 'new.begin' : 'new.preview')}
        </Button>
      </div>
    </form>
  )
}

/** The settings of an import that is started again. */
function formOf(job: Again['job'], types: Schema<'ImportType'>[], mode: string | null): ImportForm {
  const type = types.find(({ name }) => name === job.importType)
  const names = type?.options.map(({ name }) => name) ?? []
  return {
    ...emptyForm,
    context: job.contextId === null ? null : String(job.contextId),
    mode: type?.modes.find((each) => each === mode) ?? job.mode,
    label: job.label ?? '',
    options: Object.fromEntries(
      Object.entries(job.options).flatMap(([name, value]) =>
        names.includes(name) && typeof value === 'string' ? [[name, value]] : [],
      ),
    ),
  }
}
