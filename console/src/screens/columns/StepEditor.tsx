import { useText } from '@/i18n/messages'
import { Select } from '@/ui'
import css from './Columns.module.css'
import type { Step } from './draft'
import { PausedField } from './PausedField'
import { kinds, newStep } from './steps'
import { Words } from './Words'

const separators = [' ', ',', ';', '/', '-', '@', '.']
const stripped = ['currency', 'unit', 'apostrophe'] as const
const parts = {
  first: { part: 1, rest: false },
  second: { part: 2, rest: false },
  rest: { part: 2, rest: true },
  last: { part: -1, rest: false },
}

type StepEditorProps = {
  step: Step
  /** Sample texts for the transformation. */ seen: string[]
  onChange: (step: Step) => void
}

/** Edits one transformation. */
export function StepEditor({ step, seen, onChange }: StepEditorProps) {
  const text = useText()
  const part =
    Object.entries(parts).find(([, each]) => each.part === step.part && each.rest === (step.rest ?? false))?.[0] ?? null
  return (
    <div className={css.stepFields}>
      <Select
        label={text('columns.step')}
        value={step.op}
        choices={kinds.map((id) => ({ id, name: text(`columns.step.${id}`) }))}
        onChange={(id) => onChange(newStep(id, seen))}
      />
      {step.op === 'split' && (
        <>
          <Select
            label={text('columns.step.at')}
            value={step.separator ?? ' '}
            onChange={(separator) => onChange({ ...step, separator })}
            choices={[...new Set([...separators, step.separator ?? ' '])].map((id) => ({
              id,
              name: id === ' ' ? text('columns.space') : id,
            }))}
          />
          <Select
            label={text('columns.step.part')}
            placeholder={text('columns.step.choose')}
            value={part}
            choices={Object.keys(parts).map((id) => ({ id, name: text(`columns.part.${id as keyof typeof parts}`) }))}
            onChange={(id) => onChange({ ...step, ...parts[id as keyof typeof parts] })}
          />
        </>
      )}
      {step.op === 'strip' && (
        <Select
          label={text('columns.step.what')}
          placeholder={text('columns.step.choose')}
          value={step.what ?? null}
          choices={stripped.map((id) => ({ id, name: text(`columns.strip.${id}`) }))}
          onChange={(id) => onChange({ ...step, what: id as (typeof stripped)[number] })}
        />
      )}
      {step.op === 'replace' && (
        <>
          <PausedField
            label={text('columns.step.old')}
            value={step.old ?? ''}
            onChange={(old) => onChange({ ...step, old })}
          />
          <PausedField
            label={text('columns.step.new')}
            value={step.new ?? ''}
            onChange={(by) => onChange({ ...step, new: by })}
          />
        </>
      )}
      {(step.op === 'extract' || step.op === 'date') && (
        <PausedField
          label={text('columns.step.pattern')}
          value={step.pattern ?? ''}
          onChange={(pattern) => onChange({ ...step, pattern })}
          {...(step.op === 'date' && { placeholder: 'DD.MM.YYYY' })}
        />
      )}
      {step.op === 'default' && (
        <PausedField
          label={text('columns.step.value')}
          value={step.value ?? ''}
          onChange={(value) => onChange({ ...step, value })}
        />
      )}
      {step.op === 'convert' && (
        <PausedField
          label={text('columns.step.unit')}
          value={step.unit ?? ''}
          onChange={(unit) => onChange({ ...step, unit })}
          placeholder="g"
        />
      )}
      {step.op === 'map' && <Words words={step.values ?? {}} onChange={(values) => onChange({ ...step, values })} />}
      {mayMiss.has(step.op) && <Otherwise step={step} onChange={onChange} />}
    </div>
  )
}

/** The transformations that can fail for some texts. */
const mayMiss = new Set<Step['op']>(['split', 'map', 'extract', 'date'])
const misses = ['fails', 'keep', 'empty'] as const

/** Selects how texts are handled that a transformation cannot convert. */
function Otherwise({ step: { otherwise, ...step }, onChange }: { step: Step; onChange: (step: Step) => void }) {
  const text = useText()
  return (
    <Select
      label={text('columns.step.otherwise')}
      value={otherwise ?? 'fails'}
      choices={misses.map((id) => ({ id, name: text(`columns.otherwise.${id}`) }))}
      onChange={(id) => onChange(id === 'fails' ? step : { ...step, otherwise: id as 'keep' | 'empty' })}
    />
  )
}
