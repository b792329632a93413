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
import { againQuery, type Again } from './again'
import { Glance, Refused } from './Glance'
import glance from './Glance.module.css'
import { useGuess, type Guess } from './guess'
import css from './NewImport.module.css'
import { emptyForm, Particulars, type ImportForm } from './Particulars'
import { ProfileNote } from './ProfileNote'
import { Rows } from './Rows'
import { SameFile } from './SameFile'
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
      <NewImport
        key={again.data?.job.identifier}
        types={types.data}
        again={again.data}
        mode={query.get('mode')}
        isSame={query.get('same') === 'true'}
      />
    </>
  )
}

type NewImportProps = {
  types: Schema<'ImportType'>[]
  again: Again | null
  /** How the import that is started again handles existing records, if not as before. */ mode: string | null
  /** Whether its columns are not shown again. */ isSame: boolean
}

function NewImport({ types, again, mode, isSame }: NewImportProps) {
  const text = useText()
  const [chosenType, setChosenType] = useState<string | null>(again?.job.importType ?? null)
  const [form, setForm] = useState(() => (again ? formOf(again.job, types, mode) : emptyForm))
  const [isDirect, setDirect] = useStartsDirectly()
  const [source, setSource] = useState<RowSource | null>(again?.file ? { file: again.file } : null)
  const [tried, setTried] = useState(false)
  const [anyway, setAnyway] = useState(false)
  const { refused, sending, begin } = useBegin()
  const queries = useQueryClient()
  const file = source && 'file' in source ? source.file : null
  const chosen = types.find(({ name }) => name === chosenType)
  const firstGuess = useGuess(file, types, !chosen)
  const type = chosen ?? firstGuess?.type
  const { found, isLooking } = useLook(file, type ?? null)
  const seemsOther = found?.head !== undefined && looksWrong(found.head)
  // The server knows more words for headers than the preview in the browser.
  const isKnown = form.profile !== '' || firstGuess !== null
  const better = useGuess(file, types, chosen !== undefined && seemsOther)
  const choose = (name: string) => {
    setChosenType(name)
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
    if (fault || (head && !isKnown && looksWrong(head) && !anyway)) return
    void begin({
      type,
      source,
      plan: !isDirect,
      ...(type.context && form.context && { contextId: Number(form.context) }),
      ...(form.profile && { profile: form.profile }),
      ...(Object.keys(form.options).length > 0 && { options: form.options }),
      ...(form.label.trim() && { label: form.label.trim() }),
      importOptions: changedOptions(form.importOptions, {}),
      ...(again?.mapping && again.job.importType === type.name && { mapping: again.mapping, isSame }),
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
        {file && <SameFile file={file} isAgain={again !== null} />}
        {firstGuess && <Looks like={firstGuess} />}
        {better && better.type.name !== type?.name && <Looks like={better} onTake={() => choose(better.type.name)} />}
        {type && found?.head && form.profile === '' && (
          <ProfileNote typeName={type.name} head={found.head} onTake={(profile) => setForm({ ...form, profile })} />
        )}
        {found?.fault && <Refused fault={found.fault} />}
        {found?.head && (
          <Glance head={found.head} isRead={isKnown} typeTitle={type?.title} anyway={anyway} onAnyway={setAnyway} />
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

/** The type that a file looks like. It can be taken if another one is chosen. */
function Looks({ like: { type, known, count }, onTake }: { like: Guess; onTake?: () => void }) {
  const text = useText()
  return (
    <div role="status" className={css.guess}>
      <Bar>
        <p>{text('new.guess', { type: type.title, known, count })}</p>
        {onTake && (
          <Button size="small" onPress={onTake}>
            {text('new.guess.take', { type: type.title })}
          </Button>
        )}
      </Bar>
    </div>
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
