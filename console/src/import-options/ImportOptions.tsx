import { useText, type MessageKey } from '@/i18n/messages'
import { Bar, Select } from '@/ui'
import { choicesOf, importOptions, type StatedOptions } from './options'

const open = 'open'

type ImportOptionsProps = {
  stated: StatedOptions
  onChange: (stated: StatedOptions) => void
}

/** The options that every import has. An option that is not set has the default of the profile or the organisation. */
export function ImportOptions({ stated, onChange }: ImportOptionsProps) {
  const text = useText()
  return (
    <Bar fields>
      {importOptions.map((option) => (
        <Select
          key={option.name}
          label={text(`option.${option.name}` as MessageKey)}
          hint={text(`option.${option.name}.about` as MessageKey)}
          value={String(stated[option.name] ?? open)}
          onChange={(id) => onChange({ ...stated, [option.name]: id === open ? null : parse(id) })}
          choices={[
            { id: open, name: text('settings.open') },
            ...choicesOf(option).map((id) => ({ id, name: text(`new.option.${id}` as MessageKey) })),
          ]}
        />
      ))}
    </Bar>
  )
}

const parse = (id: string): string | boolean => (id === 'true' || id === 'false' ? id === 'true' : id)
