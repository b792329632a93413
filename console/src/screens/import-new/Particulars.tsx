import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { Schema } from '@/api/client'
import { profilesQuery } from '@/api/imports'
import { useDownload } from '@/api/useDownload'
import { useReason } from '@/app/useReason'
import { serverLanguage } from '@/i18n/locales'
import { useText, type MessageKey } from '@/i18n/messages'
import { ImportOptions } from '@/import-options/ImportOptions'
import type { StatedOptions } from '@/import-options/options'
import { Bar, Button, Field, Select, Stack } from '@/ui'
import { Context } from './Context'
import css from './NewImport.module.css'
import { Options } from './Options'

/** The settings of an import other than its source. */
export type ImportForm = {
  context: string | null
  mode: string | null
  profile: string
  label: string
  /** The type's own options that are set. */ options: Record<string, string>
  importOptions: StatedOptions
}

/** The initial state. */
export const emptyForm: ImportForm = {
  context: null,
  mode: null,
  profile: '',
  label: '',
  options: {},
  importOptions: {},
}

type ParticularsProps = {
  types: Schema<'ImportType'>[]
  type: Schema<'ImportType'> | undefined
  onType: (name: string) => void
  form: ImportForm
  onForm: (form: ImportForm) => void
  missing: { type?: string; context?: string }
}

/** The settings for the content of the file. Settings that a type does not support are hidden. */
export function Particulars({ types, type, onType, form, onForm, missing }: ParticularsProps) {
  const text = useText()
  const update = (change: Partial<ImportForm>) => onForm({ ...form, ...change })
  return (
    <Stack>
      <Bar fields>
        <Select
          label={text('new.type')}
          placeholder={text('new.type.choose')}
          value={type?.name ?? null}
          onChange={onType}
          choices={types.map(({ name, title }) => ({ id: name, name: title }))}
          error={missing.type}
        />
        {type?.context && (
          <Context
            key={type.name}
            type={type}
            value={form.context}
            onChange={(context) => update({ context })}
            error={missing.context}
          />
        )}
        {type && type.modes.length > 1 && (
          <Select
            label={text('new.mode')}
            value={form.mode ?? type.modes[0] ?? null}
            onChange={(mode) => update({ mode })}
            choices={type.modes.map((id) => ({ id, name: text(`new.mode.${id}` as MessageKey) }))}
          />
        )}
        {type && <ProfileChoice type={type} value={form.profile} onChange={(profile) => update({ profile })} />}
        {type && (
          <Field
            label={text('new.label')}
            placeholder={text('new.label.example')}
            maxLength={100}
            value={form.label}
            onChange={(label) => update({ label })}
          />
        )}
      </Bar>
      {type && type.options.length > 0 && (
        <Options type={type} values={form.options} onValues={(options) => update({ options })} />
      )}
      {type && <ImportOptions stated={form.importOptions} onChange={(importOptions) => update({ importOptions })} />}
      {type && <Template type={type} />}
    </Stack>
  )
}

/** Selects a profile, if there is any. */
function ProfileChoice({
  type,
  value,
  onChange,
}: {
  type: Schema<'ImportType'>
  value: string
  onChange: (name: string) => void
}) {
  const text = useText()
  const reason = useReason()
  const { data: profiles = [], error } = useQuery(profilesQuery(type.name))
  if (profiles.length === 0 && !error) return null
  const choices = [{ id: 'none', name: text('new.profile.none') }, ...profiles.map(({ id, name }) => ({ id, name }))]
  const chosen = profiles.find(({ name }) => name === value)
  return (
    <Select
      label={text('new.profile')}
      value={chosen?.id ?? 'none'}
      onChange={(id) => onChange(profiles.find((profile) => profile.id === id)?.name ?? '')}
      choices={choices}
      error={reason(error)}
    />
  )
}

function Template({ type }: { type: Schema<'ImportType'> }) {
  const text = useText()
  const download = useDownload(`/api/import-types/${type.name}/template.xlsx?lang=${serverLanguage()}`)
  return (
    <div className={css.template}>
      <Button look="quiet" size="small" onPress={download.start} isPending={download.isPending}>
        <Download aria-hidden />
        {text('new.template')}
      </Button>
    </div>
  )
}
