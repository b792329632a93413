import type { ReactNode } from 'react'
import { FieldError, Input, Label, Text, TextArea, TextField, type TextFieldProps } from 'react-aria-components'
import css from './Field.module.css'

type FieldProps = Omit<TextFieldProps, 'className' | 'children'> & {
  label: string
  /** Hides the label visually, but not from screen readers. */
  labelHidden?: boolean
  hint?: ReactNode
  error?: string
  placeholder?: string
  /** Shown at the start of the input, such as an icon. */
  leading?: ReactNode
  /** A multi-line text. */
  lines?: number
}

/** A labelled text input with a hint and an error message. */
export function Field({ label, labelHidden, hint, error, placeholder, leading, lines, ...props }: FieldProps) {
  return (
    <TextField {...props} data-field isInvalid={error !== undefined || props.isInvalid} className={css.field ?? ''}>
      <Label className={labelHidden ? 'visually-hidden' : css.label}>{label}</Label>
      <div className={css.below}>
        {lines ? (
          <TextArea className={`${css.input} ${css.area}`} rows={lines} placeholder={placeholder} />
        ) : (
          <div className={css.frame}>
            {leading && <span className={css.leading}>{leading}</span>}
            <Input className={`${css.input} ${leading ? css.led : ''}`} placeholder={placeholder} />
          </div>
        )}
        {hint && (
          <Text slot="description" className={css.hint}>
            {hint}
          </Text>
        )}
        <FieldError className={css.error ?? ''}>{error}</FieldError>
      </div>
    </TextField>
  )
}
