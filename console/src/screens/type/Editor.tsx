import { useMemo, useState } from 'react'
import type { Schema } from '@/api/client'
import { useCheckType, usePublishType } from '@/api/declarations'
import { ApiError } from '@/api/problem'
import { useText } from '@/i18n/messages'
import { Bar, Button, notices, Panel, Stack } from '@/ui'
import { change, faultsOf, noted, pathIn, read, type Fault, type Noted, type Path } from './declaration'
import { Findings } from './Findings'
import { Form } from './Form'
import { Grants } from './Grants'
import { Report } from './Report'
import { YamlEditor } from './YamlEditor'
import css from './Type.module.css'

/** The name of a type in a path. A declaration whose name is invalid is refused with its place. */
const nameInPath = (name: string | undefined): string => (/^[A-Z][A-Z0-9_]{0,62}$/.test(name ?? '') ? name! : 'NEW')

type EditorProps = {
  source: string
  draft?: Schema<'TypeDraft'>
  /** The version in use; null for a new type. */ version: number | null
  /** The name of the type, which cannot change; absent for a new type. */ name?: string
  mayWrite: boolean
  isRetired?: boolean
  onPublished: (type: Schema<'DeclaredType'>) => void
}

/** A declaration as a form and as YAML, which show the same text; checks it and publishes it. */
export function Editor({ source: start, draft, version, name, mayWrite, isRetired = false, onPublished }: EditorProps) {
  const text = useText()
  const [source, setSource] = useState(start)
  const [isYaml, setYaml] = useState(false)
  const [refusal, setRefusal] = useState<{ source: string; error: Error } | null>(null)
  const [checked, setChecked] = useState<{ source: string; check: Schema<'TypeCheck'>; findings: Noted[] } | null>(null)
  const guesses = useMemo(() => noted(draft?.findings ?? [], draft?.declaration ?? null), [draft])
  const [decided, setDecided] = useState<ReadonlySet<Noted>>(new Set())
  const check = useCheckType()
  const publish = usePublishType()
  const { declaration, faults: syntax, placeOf } = useMemo(() => read(source), [source])

  const refused = refusal?.source === source ? refusal.error : null
  const report = checked?.source === source ? checked : null
  const located = (found: Noted[]): Fault[] =>
    found
      .filter(({ severity }) => severity === 'error')
      .map((finding) => {
        const path = pathIn(declaration, finding)
        return { ...placeOf(path), path, message: finding.message }
      })
  const faults = [
    ...syntax,
    ...(refused instanceof ApiError ? faultsOf(refused.fields) : []),
    ...(report ? located(report.findings) : []),
  ]
  const open = guesses.filter((finding) => finding.severity === 'mustDecide' && !decided.has(finding)).length
  const edit = (path: Path, value: unknown) => setSource((before) => change(before, path, value))
  const refuse = (error: unknown) => setRefusal({ source, error: error as Error })
  const path = name ?? nameInPath(declaration?.name)
  const ask = () =>
    void check.mutateAsync({ name: path, source }).then((answer) => {
      setRefusal(null)
      setChecked({ source, check: answer, findings: noted(answer.findings, declaration) })
    }, refuse)
  // A promise, because the editor of the version before is replaced before the answer is here.
  const save = () =>
    void publish.mutateAsync({ name: path, version, source }).then((type) => {
      const isSame = type.version === version && !isRetired
      notices.add({ title: text(isSame ? 'type.unchanged' : 'type.published', { version: type.version }) })
      onPublished(type)
    }, refuse)
  const grants = report?.check ?? draft
  return (
    <Stack>
      {guesses.length > 0 && (
        <Panel title={text('type.findings')}>
          <Findings
            findings={guesses}
            decided={decided}
            onDecide={(finding, isDecided) => {
              const next = new Set(decided)
              if (isDecided) next.add(finding)
              else next.delete(finding)
              setDecided(next)
            }}
          />
        </Panel>
      )}
      {grants && (
        <Panel title={text('type.grants')}>
          <Grants grants={grants.grants} optional={grants.optional} />
        </Panel>
      )}
      <Panel
        title={text('type.declaration')}
        actions={
          <div role="group" aria-label={text('type.view')} className={css.views}>
            {[false, true].map((yaml) => (
              <button key={String(yaml)} type="button" aria-pressed={isYaml === yaml} onClick={() => setYaml(yaml)}>
                {text(yaml ? 'type.view.yaml' : 'type.view.form')}
              </button>
            ))}
          </div>
        }
      >
        <Stack>
          {isYaml || !declaration ? (
            <>
              {!isYaml && <p>{text('type.view.none')}</p>}
              <YamlEditor
                label={text('type.declaration')}
                source={source}
                faults={faults}
                onChange={mayWrite ? setSource : undefined}
              />
            </>
          ) : (
            <Form
              declaration={declaration}
              faults={faults}
              guesses={guesses.filter((finding) => finding.severity === 'mustDecide' && !decided.has(finding))}
              isNew={!name}
              isReadOnly={!mayWrite}
              onEdit={edit}
            />
          )}
          {refused && (
            <p role="alert" className={css.refused}>
              {refused.message}
            </p>
          )}
          {mayWrite && (
            <Bar>
              <Button onPress={ask} isPending={check.isPending}>
                {text('type.check')}
              </Button>
              <Button
                look="primary"
                onPress={save}
                isPending={publish.isPending}
                isDisabled={open > 0 || syntax.length > 0}
              >
                {text(isRetired ? 'type.publish.again' : 'type.publish')}
              </Button>
              {open > 0 && <span className={css.hint}>{text('type.open', { count: open })}</span>}
            </Bar>
          )}
          {report && <Report check={report.check} findings={report.findings} />}
        </Stack>
      </Panel>
    </Stack>
  )
}
