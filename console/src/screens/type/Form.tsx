import { useText, type MessageKey } from '@/i18n/messages'
import { Bar, Check, Select, Stack } from '@/ui'
import { split, textOf } from './declaration'
import { Entry } from './Entry'
import { Fields } from './Fields'
import { Keys } from './Keys'
import { faultAt, Notes, orNone, type FormProps } from './parts'
import css from './Type.module.css'

export const modes = ['upsert', 'insert', 'update'] as const

/** The parts of a declaration that most types need. Other parts are edited as YAML, and kept here. */
export function Form({ isNew, ...props }: FormProps & { isNew: boolean }) {
  const text = useText()
  return (
    <Stack>
      <General {...props} isNew={isNew} />
      <Part title={text('type.rows')} about="type.rows.about">
        <Rows {...props} />
      </Part>
      <Part title={text('type.modes')} about="type.modes.about">
        <Modes {...props} />
      </Part>
      <Part title={text('type.keys')} about="type.keys.about">
        <Notes {...props} part="keys" />
        <Keys {...props} />
      </Part>
      <Part title={text('type.fields')} about="type.fields.about">
        <Fields {...props} />
      </Part>
      <p className={css.hint}>{text('type.rest')}</p>
    </Stack>
  )
}

function Part({ title, about, children }: { title: string; about: MessageKey; children: React.ReactNode }) {
  const text = useText()
  return (
    <section className={css.part} aria-label={title}>
      <h3>{title}</h3>
      <p className={css.hint}>{text(about)}</p>
      {children}
    </section>
  )
}

function General({ declaration, faults, isNew, isReadOnly, onEdit }: FormProps & { isNew: boolean }) {
  const text = useText()
  const entry = { isReadOnly, maxLength: 300 }
  return (
    <Bar fields>
      <Entry
        {...entry}
        label={text('type.title')}
        hint={text('type.title.hint')}
        value={declaration.title}
        error={faultAt(faults, 'title')}
        onEdit={(value) => onEdit(['title'], value)}
      />
      <Entry
        {...entry}
        label={text('type.name')}
        hint={text(isNew ? 'type.name.hint' : 'type.name.fixed')}
        value={declaration.name}
        error={faultAt(faults, 'name')}
        isReadOnly={isReadOnly || !isNew}
        onEdit={(value) => onEdit(['name'], value.trim())}
      />
      <Entry
        {...entry}
        label={text('type.subjects')}
        hint={text('type.subjects.hint')}
        value={declaration.subjects.join(', ')}
        error={faultAt(faults, 'subjects')}
        onEdit={(value) => onEdit(['subjects'], orNone(split(value)))}
      />
    </Bar>
  )
}

/** Which rows of the table belong to the organisation, how they are identified, and whom they are about. */
function Rows(props: FormProps) {
  const { declaration, faults, isReadOnly, onEdit } = props
  const text = useText()
  const { tenant, deleted, person } = declaration
  const entry = { isReadOnly, maxLength: 300 }
  const hasColumn = tenant.column !== undefined
  return (
    <>
      {['target', 'tenant', 'identity', 'deleted', 'person'].map((part) => (
        <Notes key={part} {...props} part={part} />
      ))}
      <Bar fields>
        <Entry
          {...entry}
          isReadOnly
          label={text('types.table')}
          value={textOf(declaration.target.table)}
          error={faultAt(faults, 'target.table')}
          onEdit={() => undefined}
        />
        <Entry
          {...entry}
          label={text('type.identity')}
          hint={text('type.identity.hint')}
          value={declaration.identity.join(', ')}
          error={faultAt(faults, 'identity')}
          onEdit={(value) => onEdit(['identity'], split(value))}
        />
        {!tenant.session && (
          <Select
            label={text('type.tenant')}
            isDisabled={isReadOnly}
            value={hasColumn ? 'column' : tenant.none ? 'none' : null}
            onChange={(id) =>
              onEdit(['tenant'], id === 'none' ? { none: true } : { column: '', value: 'organisation' })
            }
            choices={(['none', 'column'] as const).map((id) => ({ id, name: text(`type.tenant.${id}`) }))}
          />
        )}
        {hasColumn && (
          <Entry
            {...entry}
            label={text('type.tenant.in')}
            value={textOf(tenant.column)}
            error={faultAt(faults, 'tenant.column')}
            onEdit={(value) => onEdit(['tenant', 'column'], value.trim())}
          />
        )}
        {hasColumn && (
          <Entry
            {...entry}
            label={text('type.tenant.value')}
            hint={text('type.tenant.value.hint')}
            value={textOf(tenant.value)}
            error={faultAt(faults, 'tenant.value')}
            onEdit={(value) => onEdit(['tenant', 'value'], value.trim())}
          />
        )}
        <Entry
          {...entry}
          label={text('type.deleted')}
          hint={text('type.deleted.hint')}
          value={textOf(deleted?.column)}
          error={faultAt(faults, 'deleted.column')}
          onEdit={(value) =>
            onEdit(
              ['deleted'],
              value.trim() ? { column: value.trim(), again: textOf(deleted?.again) || 'revive' } : undefined,
            )
          }
        />
        {deleted && (
          <Select
            label={text('type.again')}
            isDisabled={isReadOnly}
            value={textOf(deleted.again) || null}
            onChange={(id) => onEdit(['deleted', 'again'], id)}
            choices={(['revive', 'error', 'new'] as const).map((id) => ({ id, name: text(`type.again.${id}`) }))}
          />
        )}
        <Select
          label={text('type.person')}
          hint={text('type.person.hint')}
          isDisabled={isReadOnly}
          value={textOf(person?.key) || '-'}
          onChange={(id) => onEdit(['person'], id === '-' ? undefined : { key: id })}
          choices={[
            { id: '-', name: text('type.person.none') },
            ...declaration.fields.map(({ name }) => ({ id: name, name })),
          ]}
        />
      </Bar>
    </>
  )
}

function Modes(props: FormProps) {
  const { declaration, isReadOnly, onEdit } = props
  const text = useText()
  const chosen = declaration.modes.length > 0 ? declaration.modes : [...modes]
  return (
    <>
      <Notes {...props} part="modes" />
      <Bar>
        {modes.map((mode) => (
          <Check
            key={mode}
            isSelected={chosen.includes(mode)}
            isDisabled={isReadOnly || (chosen.length === 1 && chosen.includes(mode))}
            onChange={(isOn) => onEdit(['modes'], isOn ? [...chosen, mode] : chosen.filter((each) => each !== mode))}
          >
            {text(`type.mode.${mode}`)}
          </Check>
        ))}
      </Bar>
      <Bar fields>
        <Select
          label={text('type.mode.default')}
          isDisabled={isReadOnly}
          value={chosen[0] ?? null}
          onChange={(id) => onEdit(['modes'], [id, ...chosen.filter((each) => each !== id)])}
          choices={modes.filter((mode) => chosen.includes(mode)).map((id) => ({ id, name: text(`type.mode.${id}`) }))}
        />
        <Select
          label={text('type.capture')}
          hint={text('type.capture.hint')}
          isDisabled={isReadOnly}
          value={declaration.capture || 'returning'}
          onChange={(id) => onEdit(['capture'], id)}
          choices={[...new Set(['returning', 'off', declaration.capture || 'returning'])].map((id) => ({
            id,
            name: text(`type.capture.${id as 'off'}`),
          }))}
        />
      </Bar>
    </>
  )
}
