import { CheckboxButton, CheckboxField, type CheckboxFieldProps } from 'react-aria-components'
import type { ReactNode } from 'react'
import css from './Check.module.css'

/** A checkbox. */
export function Check({
  children,
  ...props
}: Omit<CheckboxFieldProps, 'className' | 'children'> & { children: ReactNode }) {
  return (
    <CheckboxField {...props}>
      <CheckboxButton className={css.check ?? ''}>
        <span className={css.box} aria-hidden>
          <svg viewBox="0 0 16 16">
            <path d="m3.5 8.5 3 3 6-7" />
          </svg>
        </span>
        {children}
      </CheckboxButton>
    </CheckboxField>
  )
}
