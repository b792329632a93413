import { useState, type ReactNode } from 'react'
import { Button } from './Button'
import { Dialog } from './Dialog'

type ConfirmProps = {
  /** The action, as the label of both buttons. */
  name: string
  title: string
  /** The consequences. */
  children: ReactNode
  /** The label of the cancel button. */
  keep: string
  look?: 'danger' | 'secondary'
  isPending?: boolean
  onConfirm: () => void
}

/** A button for an irreversible action, which asks for confirmation. */
export function Confirm({ name, title, children, keep, look = 'danger', isPending, onConfirm }: ConfirmProps) {
  const [asks, setAsks] = useState(false)
  return (
    <>
      <Button look={look} onPress={() => setAsks(true)} isPending={isPending ?? false}>
        {name}
      </Button>
      <Dialog
        title={title}
        isOpen={asks}
        onClose={() => setAsks(false)}
        actions={
          <>
            <Button autoFocus onPress={() => setAsks(false)}>
              {keep}
            </Button>
            <Button
              look={look}
              onPress={() => {
                setAsks(false)
                onConfirm()
              }}
            >
              {name}
            </Button>
          </>
        }
      >
        {children}
      </Dialog>
    </>
  )
}
