import { ChevronDown } from 'lucide-react'
import {
  Button,
  ComboBox as AriaComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from 'react-aria-components'
import css from './Field.module.css'

/** An option. `about` is shown on a second line. */
export type Choice = { id: string; name: string; about?: string }

type SelectProps = {
  label: string
  labelHidden?: boolean
  hint?: string
  error?: string
  placeholder?: string
  choices: Choice[]
  value: string | null
  onChange: (id: string) => void
  isDisabled?: boolean
}

/** A select with few, fixed options. */
export function Select({
  label,
  labelHidden,
  hint,
  error,
  placeholder,
  choices,
  value,
  onChange,
  isDisabled = false,
}: SelectProps) {
  return (
    <AriaSelect
      data-field
      className={css.field ?? ''}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      placeholder={placeholder}
      value={value}
      onChange={(key) => key !== null && onChange(String(key))}
    >
      <Label className={labelHidden ? 'visually-hidden' : css.label}>{label}</Label>
      <div className={css.below}>
        <Button className={css.select ?? ''}>
          <SelectValue className={css.value ?? ''} />
          <ChevronDown aria-hidden />
        </Button>
        {hint && (
          <Text slot="description" className={css.hint}>
            {hint}
          </Text>
        )}
        <FieldError className={css.error ?? ''}>{error}</FieldError>
      </div>
      <Choices choices={choices} />
    </AriaSelect>
  )
}

type ComboBoxProps = SelectProps & {
  /** The search text, if the options depend on it. */
  input?: string
  onInput?: (text: string) => void
  /** The text for no results. */
  none: string
}

/** A searchable select for many options. */
export function ComboBox({
  label,
  hint,
  error,
  placeholder,
  choices,
  value,
  onChange,
  input,
  onInput,
  none,
}: ComboBoxProps) {
  return (
    <AriaComboBox
      data-field
      className={css.field ?? ''}
      isInvalid={error !== undefined}
      items={choices}
      value={value}
      menuTrigger="focus"
      allowsEmptyCollection
      onChange={(key) => key !== null && onChange(String(key))}
      {...(onInput ? { inputValue: input ?? '', onInputChange: onInput } : {})}
    >
      <Label className={css.label}>{label}</Label>
      <div className={css.below}>
        <Input className={css.input} placeholder={placeholder} />
        {hint && (
          <Text slot="description" className={css.hint}>
            {hint}
          </Text>
        )}
        <FieldError className={css.error ?? ''}>{error}</FieldError>
      </div>
      <Choices choices={choices} none={none} />
    </AriaComboBox>
  )
}

function Choices({ choices, none }: { choices: Choice[]; none?: string }) {
  return (
    <Popover className={css.popover ?? ''} offset={4}>
      <ListBox className={css.list ?? ''} items={choices} renderEmptyState={() => <p className={css.none}>{none}</p>}>
        {(choice) => (
          <ListBoxItem className={css.item ?? ''} textValue={choice.name}>
            <Text slot="label">{choice.name}</Text>
            {choice.about && (
              <Text slot="description" className={css.about}>
                {choice.about}
              </Text>
            )}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  )
}
