import { useQuery } from '@tanstack/react-query'
import { Ban, CircleSlash, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, Field } from '@/ui'
import { isPast, standsFor, type Answer } from './answers'
import { candidatesQuery, type Value } from './queries'
import css from './Values.module.css'

type ChooseProps = {
  id: string
  value: Value
  field: (Pick<Schema<'Field'>, 'canCreate' | 'isRequired'> & { kind?: Schema<'Field'>['kind'] }) | undefined
  fieldTitle: string
  isPending: boolean
  onAnswer: (answer: Answer) => void
}

/** Matches one value: with a suggestion, a search result, a new entity, or nothing. */
export function Choose({ id, value, field, fieldTitle, isPending, onAnswer }: ChooseProps) {
  const text = useText()
  const { count, percent } = useFormat()
  const [search, setSearch] = useState('')
  const [isForAll, setForAll] = useState(false)
  const candidates = useQuery(candidatesQuery(id, value.targetField, value.sourceValue, search.trim()))
  const say = (answer: Answer) => {
    const { id: _, ...rest } = answer
    onAnswer(isForAll ? { ...rest, targetField: value.targetField } : { ...answer, id: value.id })
  }
  const isChosen = (candidate: Schema<'Candidate'>) =>
    candidate.value !== undefined ? candidate.value === value.targetValue : candidate.id === value.targetEntityId
  return (
    <section className={css.choose} aria-label={text('values.choose', { value: value.sourceValue })}>
      <h3>{text('values.choose', { value: value.sourceValue })}</h3>
      <p className={css.quiet}>
        {fieldTitle} ·{' '}
        {text('values.rows', { count: value.rowCount, shown: count(value.rowCount), row: value.firstRow })}
      </p>
      {(value.pastAnswer?.empty ?? value.pastAnswer?.ignore) && (
        <p className={css.quiet}>
          {text(value.pastAnswer.empty ? 'values.past.empty' : 'values.past.ignored', {
            count: value.pastAnswer.imports.length,
          })}
        </p>
      )}
      <Field
        label={text('values.search')}
        labelHidden
        placeholder={text('values.search')}
        leading={<Search />}
        value={search}
        onChange={setSearch}
        maxLength={100}
        type="search"
      />
      <Loaded query={candidates} lines={4}>
        {(found) => (
          <ul className={css.candidates}>
            {found.map((candidate) => (
              <li key={candidate.value ?? candidate.id}>
                <Button
                  look={isChosen(candidate) ? 'primary' : 'quiet'}
                  size="small"
                  isDisabled={isPending}
                  onPress={() => say(standsFor(value.id, candidate))}
                >
                  <span className={css.candidate}>{candidate.displayName}</span>
                  {isPast(value, candidate) ? (
                    <span className={css.score}>
                      {text('values.past', { count: value.pastAnswer!.imports.length })}
                    </span>
                  ) : (
                    (candidate.score ?? 0) > 0 && <span className={css.score}>{percent(candidate.score!)}</span>
                  )}
                </Button>
              </li>
            ))}
            {found.length === 0 && <li className={css.quiet}>{text('new.context.none')}</li>}
          </ul>
        )}
      </Loaded>
      <div className={css.others}>
        {field?.canCreate && (
          <Button size="small" isDisabled={isPending} onPress={() => say({ create: true })}>
            <Plus aria-hidden />
            {text('values.create')}
          </Button>
        )}
        {!field?.isRequired && (
          <Button size="small" isDisabled={isPending} onPress={() => say({ empty: true })}>
            <CircleSlash aria-hidden />
            {text('values.empty')}
          </Button>
        )}
        <Button size="small" isDisabled={isPending} onPress={() => say({ ignore: true })}>
          <Ban aria-hidden />
          {text('values.skip')}
        </Button>
      </div>
      {field?.kind === 'reference' && !field.canCreate && (
        <p className={css.quiet}>
          {text('values.elsewhere')}{' '}
          <a href="/imports/new" target="_blank" rel="noreferrer">
            {text('values.elsewhere.link')}
          </a>
        </p>
      )}
      <label className={css.all}>
        <input type="checkbox" checked={isForAll} onChange={(event) => setForAll(event.target.checked)} />
        {text('values.forAll', { field: fieldTitle })}
      </label>
    </section>
  )
}
