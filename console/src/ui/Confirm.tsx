import { useState, type ReactNode } from 'react'
import { Button } from './Button'
import { Dialog } from './Dialog'

type ConfirmProps = {
  /** What the button does, which the dialog's says again. */
  name: string
  title: string
  /** What comes of it. */
  children: ReactNode
  /** The way out. */
  keep: string
  look?: 'danger' | 'secondary'
  isPending?: boolean
  onConfirm: () => void
}

/** A button for what cannot be taken back: it asks before. */
export function Confirm({ name, title, children, keep, look = 'danger', isPending, onConfirm }: ConfirmProps) {
  const [asks, setAsks] = useState(false)
  return (
    <>
      <Button look={look} onPress={() => setAsks(true)} isPending={isPending ?? false}>{name}</Button>
      <Dialog
        title={title} isOpen={asks} onClose={() => setAsks(false)}
        actions={<><Button autoFocus onPress={() => setAsks(false)}>{keep}</Button><Button look={look} onPress={() => { setAsks(false); onConfirm() }}>{name}</Button></>}
      >
        {children}
      </Dialog>
    </>
  )
}
