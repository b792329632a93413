import { useMutation } from '@tanstack/react-query'
import { BookmarkPlus } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/api/client'
import { answered } from '@/api/problem'
import { useText } from '@/i18n/messages'
import { Button, Check, Dialog, Field, notices } from '@/ui'

type SaveProfileProps = {
  id: string
  /** Whether the profile is applied by itself, unless the person changes that. */ isAuto?: boolean
}

/** Saves the decisions of an import as a named profile for later files from the same source. */
export function SaveProfile({ id, isAuto = false }: SaveProfileProps) {
  const text = useText()
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [auto, setAuto] = useState(isAuto)
  const save = useMutation({
    mutationFn: () => answered(api.POST('/api/profiles', { body: { name: name.trim(), fromImport: id, auto } })),
    onSuccess: () => {
      setOpen(false)
      notices.add({ title: text('columns.profile.kept', { name: name.trim() }) })
    },
  })
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <BookmarkPlus aria-hidden />
        {text('columns.profile')}
      </Button>
      <Dialog
        title={text('columns.profile')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actions={
          <>
            <Button onPress={() => setOpen(false)}>{text('result.alike.leave')}</Button>
            <Button
              look="primary"
              isDisabled={name.trim() === ''}
              isPending={save.isPending}
              onPress={() => save.mutate()}
            >
              {text('columns.profile.keep')}
            </Button>
          </>
        }
      >
        <p>{text('columns.profile.about')}</p>
        <Field
          label={text('columns.profile.name')}
          value={name}
          onChange={setName}
          maxLength={100}
          autoFocus
          {...(save.error && { error: save.error.message })}
        />
        <Check isSelected={auto} onChange={setAuto}>
          {text('columns.profile.auto')}
        </Check>
      </Dialog>
    </>
  )
}
