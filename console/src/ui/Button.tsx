import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import { Link, type LinkProps } from 'react-router'
import css from './Button.module.css'

type Look = {
  /** `primary` is the main action of a screen, `danger` a destructive one, `quiet` has no frame. */
  look?: 'primary' | 'secondary' | 'quiet' | 'danger'
  size?: 'small' | 'medium'
}

/** The class of an element that looks like a button. */
function looks({ look = 'secondary', size = 'medium' }: Look): string {
  return `${css.button} ${css[look]} ${size === 'small' ? css.small : ''}`
}

/** A button. While `isPending` it cannot be pressed, and screen readers are informed. */
export function Button({ look, size, ...props }: Omit<AriaButtonProps, 'className'> & Look) {
  return <AriaButton {...props} className={looks({ look, size })} />
}

/** A link styled as a button. It can be opened in a new tab. */
export function ButtonLink({ look, size, ...props }: Omit<LinkProps, 'className'> & Look) {
  return <Link {...props} className={looks({ look, size })} />
}
