import { ChevronLeft, TriangleAlert } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Checkbox } from 'react-aria-components'
import { Link } from 'react-router'
import type { Schema } from '@/api/client'
import { contextsQuery, typesQuery } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { useText, type MessageKey } from '@/i18n/messages'
import { Button, ComboBox, ErrorState, PageHeader, Panel, Select, Skeleton } from '@/ui'
import css from './NewImport.module.css'
import { Sending } from './Sending'
import { SourceFile } from './SourceFile'
import { useBegin } from './useBegin'

type Missing = Partial<Record<'type' | 'context' | 'file', string>>

/** Begins an import: what is in the file, and the file. */
export function Component() {
  const text = useText()
  const types = useQuery(typesQuery)
  const head = <PageHeader back={<Link to="/"><ChevronLeft aria-hidden />{text('new.back')}</Link>} title={text('new.title')} about={text('new.about')} />
  if (!types.data) return <>{head}{types.error ? <Failure error={types.error} onRetry={() => void types.refetch()} /> : <Skeleton label={text('face.loading')} />}</>
  return <>{head}<NewImport types={types.data} /></>
}

function NewImport({ types }: { types: Schema<'ImportType'>[] }) {
  const text = useText()
  const [typeName, setTypeName] = useState<string | null>(null)
  const [contextId, setContextId] = useState<string | null>(null)
  const [mode, setMode] = useState<string | null>(null)
  const [dryRun, setDryRun] = useState(false)
  const [file, setFile] = useState<File | null>(null)
  const [tried, setTried] = useState(false)
  const { standing, begin, goOn, pause } = useBegin()
  const type = types.find(({ name }) => name === typeName)

  const missing: Missing = {
    ...(!type && { type: text('new.missing.type') }),
    ...(type?.context && !contextId && { context: text('new.missing.context') }),
    ...(!file && { file: text('new.missing.file') }),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!type || !file || Object.keys(missing).length > 0) return
    void begin({
      importType: type.name, dryRun, file, ...(type.context && contextId && { contextId: Number(contextId) }),
      ...(type.modes.length > 1 && { mode: (mode ?? type.modes[0]) as Schema<'Mode'> }),
    })
  }
  if (file && (standing.is === 'sending' || standing.is === 'paused' || standing.is === 'interrupted')) {
    return <Sending file={file} standing={standing} onPause={pause} onGoOn={() => void goOn()} />
  }
  return (
    <form className={css.form} onSubmit={submit} noValidate>
      <Panel title={text('new.what')}>
        <div className={css.fields}>
          <Select
            label={text('new.type')} placeholder={text('new.type.choose')} value={typeName} onChange={(name) => { setTypeName(name); setContextId(null); setMode(null) }}
            choices={types.map(({ name, title }) => ({ id: name, name: title }))} error={tried ? missing.type : undefined}
          />
          {type?.context && <Context key={type.name} type={type} value={contextId} onChange={setContextId} error={tried ? missing.context : undefined} />}
          {type && type.modes.length > 1 && (
            <Select label={text('new.mode')} value={mode ?? type.modes[0] ?? null} onChange={setMode} choices={type.modes.map((id) => ({ id, name: text(`new.mode.${id}` as MessageKey) }))} />
          )}
        </div>
        {type && <a className={css.template} href={`/api/import-types/${type.name}/template.xlsx`} download>{text('new.template')}</a>}
      </Panel>
      <Panel title={text('new.file')}><SourceFile file={file} onFile={setFile} error={tried ? missing.file : undefined} /></Panel>
      {standing.is === 'refused' && <ErrorState icon={<TriangleAlert />} title={text('new.refused')}>{standing.error.message}</ErrorState>}
      <div className={css.foot}>
        <Checkbox className={css.check ?? ''} isSelected={dryRun} onChange={setDryRun}>
          <span className={css.box} aria-hidden><svg viewBox="0 0 16 16"><path d="m3.5 8.5 3 3 6-7" /></svg></span>{text('new.trial')}
        </Checkbox>
        <Button type="submit" look="primary">{text('new.begin')}</Button>
      </div>
    </form>
  )
}

/** What the rows belong to, found by its name. */
function Context({ type, value, onChange, error }: { type: Schema<'ImportType'>; value: string | null; onChange: (id: string) => void; error?: string }) {
  const text = useText()
  const [typed, setTyped] = useState('')
  const { data: contexts = [] } = useQuery(contextsQuery(type.name, ''))
  const nameOf = (id: string | null) => contexts.find((each) => String(each.id) === id)?.name ?? ''
  // Where the text is that of the choice, all are shown, to choose another.
  const fits = contexts.filter(({ name }) => typed === nameOf(value) || name.toLowerCase().includes(typed.toLowerCase()))
  return (
    <ComboBox
      label={type.context!.title} placeholder={text('new.context.choose')} none={text('new.context.none')} value={value} onChange={(id) => { onChange(id); setTyped(nameOf(id)) }}
      input={typed} onInput={setTyped} choices={fits.map(({ id, name, startsOn }) => ({ id: String(id), name, ...(startsOn && { about: startsOn }) }))} error={error}
    />
  )
}
