import type { Declaration, Fault, Noted, Path } from './declaration'
import css from './Type.module.css'

/** What the parts of the form show and change. */
export type FormProps = {
  declaration: Declaration
  faults: Fault[]
  /** Guesses that the person has not decided on yet. */ guesses: Noted[]
  isReadOnly: boolean
  onEdit: (path: Path, value: unknown) => void
}

/** The first fault of a part of the declaration. */
export const faultAt = (faults: Fault[], path: string): string | undefined =>
  faults.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`) || fault.path.startsWith(`${path}[`))
    ?.message

/** A list without entries is left out. */
export const orNone = (list: string[]): string[] | undefined => (list.length > 0 ? list : undefined)

/** The guesses and errors about a part as a whole. */
export function Notes({ faults, guesses, part }: Pick<FormProps, 'faults' | 'guesses'> & { part: string }) {
  const notes = [
    ...faults.filter(({ path }) => path === part).map(({ message }) => ({ message, isFault: true })),
    ...guesses.filter(({ path, field }) => path === part && !field).map(({ message }) => ({ message, isFault: false })),
  ]
  return notes.map(({ message, isFault }) => (
    <p key={message} className={isFault ? css.refused : css.guess}>
      {message}
    </p>
  ))
}
