import { useQuery } from '@tanstack/react-query'
import { Scissors, TableProperties, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { typesQuery, type ImportJob } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { useText } from '@/i18n/messages'
import { Bar, Button, ButtonLink, notices, Skeleton } from '@/ui'
import css from './Columns.module.css'
import {
  inOrder,
  joined,
  joinedNames,
  missingFields,
  named,
  splitNames,
  unfinished,
  type Draft,
  type NamedColumn,
} from './draft'
import { FileColumns } from './FileColumns'
import { Footer } from './Footer'
import { OtherSheets } from './OtherSheets'
import { columnsQuery, previewQuery, useDraft } from './queries'
import { SaveProfile } from './SaveProfile'
import { Target, type Shown } from './Target'
import { useAgreement } from './useAgreement'

/** Matches the columns of the file to fields. Changes are saved with the import. */
export default function Columns({ job }: { job: ImportJob }) {
  const text = useText()
  const id = job.identifier
  const { data: columns, error, refetch } = useQuery({ ...columnsQuery(id), select: named })
  const { data: types, error: untyped, refetch: askTypes } = useQuery(typesQuery)
  const fields = types?.find((type) => type.name === job.importType)?.fields ?? []
  const titleOf = (name: string) => fields.find((field) => field.name === name)?.title ?? name
  const announce = (over: string[]) =>
    notices.add(
      over.length > 0
        ? { tone: 'wait', title: text('columns.over', { fields: over.map(titleOf).join(', ') }) }
        : { title: text('columns.merged') },
    )
  const { draft, failure, refusal, isSaved, change: save, refetch: again } = useDraft(id, announce)
  const [past, setPast] = useState<Draft[]>([])
  const { data: preview, error: unshown } = useQuery(previewQuery(id, draft ?? {}))
  const agreement = useAgreement(id, { isSaved, refusal })
  if (!columns || !types || !draft) {
    const missing = error ?? failure ?? untyped
    return missing ? (
      <Failure
        error={missing}
        onRetry={() => {
          void refetch()
          void again()
          void askTypes()
        }}
      />
    ) : (
      <Skeleton label={text('face.loading')} lines={12} />
    )
  }
  const change = (next: Draft) => {
    setPast([...past, draft])
    save(next)
  }
  const undo = () => {
    const last = past.at(-1)
    if (!last) return
    setPast(past.slice(0, -1))
    save(last)
  }
  const incomplete = unfinished(draft)
  const shownOf = (field: string): Shown | undefined => {
    const faults = preview?.fields.find((each) => each.field === field)?.faults
    return faults === undefined
      ? undefined
      : { faults, samples: preview!.rows.flatMap((row) => row.values.filter((value) => value.field === field)) }
  }
  const { used, others } = inOrder(draft, fields)
  const missing = missingFields(draft, fields)
  const targets = (list: typeof fields) => (
    <ul className={css.targets}>
      {list.map((field) => (
        <Target
          key={field.name}
          field={field}
          draft={draft}
          columns={columns}
          shown={shownOf(field.name)}
          onChange={change}
        />
      ))}
    </ul>
  )
  return (
    <section
      className={css.screen}
      aria-labelledby="columns-title"
      onKeyDown={(event) => {
        const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z'
        if (!isUndo || event.target instanceof HTMLInputElement) return
        event.preventDefault()
        undo()
      }}
    >
      <header className={css.head}>
        <div>
          <h2 id="columns-title">{text('import.waits.columns')}</h2>
          <p>{text('columns.about')}</p>
        </div>
        <Bar>
          <Button look="quiet" isDisabled={past.length === 0} onPress={undo}>
            <Undo2 aria-hidden />
            {text('columns.undo')}
          </Button>
          <ButtonLink to={`/imports/${id}/source`}>
            <TableProperties aria-hidden />
            {text('columns.source')}
          </ButtonLink>
        </Bar>
      </header>
      <OtherSheets job={job} />
      <Footer job={job} />
      <JoinedNames column={joinedNames(draft, columns, fields)} draft={draft} onChange={change} />
      {(refusal ?? unshown) && (
        <p role="alert" className={css.refusal}>
          {(refusal ?? unshown)!.message}
        </p>
      )}
      <div className={css.sides}>
        <FileColumns columns={columns} draft={draft} titleOf={titleOf} onChange={change} />
        <section aria-labelledby="columns-fields" className={css.fields}>
          <h3 id="columns-fields">{text('columns.fields')}</h3>
          {targets(used)}
          {others.length > 0 && (
            <>
              <h3>{text('columns.others')}</h3>
              {targets(others)}
            </>
          )}
        </section>
      </div>
      <footer className={css.foot}>
        {incomplete ? (
          <p className={css.missing}>{text('columns.incomplete', { field: titleOf(incomplete) })}</p>
        ) : missing.length > 0 ? (
          <p className={css.missing}>
            {text('import.missing', { fields: missing.map((field) => field.title).join(', ') })}
          </p>
        ) : (
          <p className={css.kept} role="status">
            {text(isSaved ? 'columns.kept' : 'columns.keeping')}
          </p>
        )}
        <SaveProfile id={id} />
        <Button
          look="primary"
          isPending={agreement.isPending}
          isDisabled={incomplete !== undefined}
          onPress={agreement.agree}
        >
          {text('import.agree.columns')}
        </Button>
      </footer>
    </section>
  )
}

/** Offers to split a column that probably contains first and last names. */
function JoinedNames({
  column,
  draft,
  onChange,
}: {
  column: NamedColumn | undefined
  draft: Draft
  onChange: (draft: Draft) => void
}) {
  const text = useText()
  if (!column) return null
  return (
    <div className={css.offer}>
      <Scissors aria-hidden />
      <p>{text('columns.joined', { column: column.name, sample: joined(column)[0] })}</p>
      <Button look="primary" size="small" onPress={() => onChange(splitNames(draft, column))}>
        {text('columns.joined.split')}
      </Button>
    </div>
  )
}
