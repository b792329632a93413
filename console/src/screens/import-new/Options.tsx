import { useQuery } from '@tanstack/react-query'
import { useIntl } from 'react-intl'
import type { Schema } from '@/api/client'
import { calculatorsQuery } from '@/api/imports'
import { useReason } from '@/app/useReason'
import { useText, type MessageKey } from '@/i18n/messages'
import { Bar, Select, type Choice } from '@/ui'
import css from './NewImport.module.css'

type Option = Schema<'ImportType'>['options'][number]
type OptionsProps = {
  type: Schema<'ImportType'>
  values: Record<string, string>
  onValues: (values: Record<string, string>) => void
}

/** The options of a type. Options that are not set keep the type's default. */
export function Options({ type, values, onValues }: OptionsProps) {
  const text = useText()
  return (
    <fieldset className={css.options}>
      <legend>{text('new.options')}</legend>
      <Bar fields>
        {type.options.map((option) => (
          <OptionChoice
            key={option.name}
            option={option}
            value={values[option.name] ?? option.values[0]!}
            onChange={(value) => onValues({ ...values, [option.name]: value })}
          />
        ))}
      </Bar>
    </fieldset>
  )
}

/** One option with its translated texts, or those of the API. */
function OptionChoice({
  option,
  value,
  onChange,
}: {
  option: Option
  value: string
  onChange: (value: string) => void
}) {
  const text = useText()
  const { messages } = useIntl()
  const reason = useReason()
  const { own, error } = useOwnChoices(option)
  const group = option.name.replace(/\d+$/, '')
  const words = (...keys: string[]) => {
    const key = keys.find((each) => each in messages)
    return key && text(key as MessageKey)
  }
  const name = (choice: string) => words(`new.option.${group}.${choice}`, `new.option.${choice}`) ?? choice
  const about = words(`new.option.${group}.about`)
  return (
    <Select
      label={words(`new.option.${option.name}`) ?? option.title}
      value={value}
      onChange={onChange}
      {...(about && { hint: about })}
      error={reason(error)}
      choices={[...option.values.map((id) => ({ id, name: name(id) })), ...own]}
    />
  )
}

/** Values that the organisation adds to an option. */
function useOwnChoices({ name, values }: Option): { own: Choice[]; error: Error | null } {
  const { data, error } = useQuery({ ...calculatorsQuery, enabled: name === 'pointsCalculator' })
  return {
    own: (data?.calculators ?? [])
      .filter(({ code }) => !values.includes(code))
      .map(({ code, about }) => ({ id: code, name: code, ...(about && { about }) })),
    error,
  }
}
