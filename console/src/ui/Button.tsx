import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import { Link, type LinkProps } from 'react-router'
import css from './Button.module.css'

type Look = {
  /** `primary` is the one thing to do on a screen; `danger` destroys; `quiet` has no frame. */
  look?: 'primary' | 'secondary' | 'quiet' | 'danger'
  size?: 'small' | 'medium'
}

/** The class of something that looks like a button. */
function looks({ look = 'secondary', size = 'medium' }: Look): string {
  return `${css.button} ${css[look]} ${size === 'small' ? css.small : ''}`
}

/** A button. While `isPending` it cannot be pressed again, and says so to screen readers. */
export function Button({ look, size, ...props }: Omit<AriaButtonProps, 'className'> & Look) {
  return <AriaButton {...props} className={looks({ look, size })} />
}

/** A link that looks like a button: it leads somewhere, and can be opened in a new tab. */
export function ButtonLink({ look, size, ...props }: Omit<LinkProps, 'className'> & Look) {
  return <Link {...props} className={looks({ look, size })} />
}
