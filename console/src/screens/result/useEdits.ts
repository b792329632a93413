import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import { answered } from '@/api/problem'
import { notices } from '@/ui'

/** A corrected cell. `before` is its previous correction; null if the cell had the value of the file. */
export type Edit = { row: number; field: string; before: string | null; after: string }

/** An edit that the API rejects, with its reason. */
type Refused = Edit & { message: string }

/** The most rows of one request. */
const most = 200

/** Corrects cells of an import. What was saved here can be undone and redone. */
export function useEdits(id: string) {
  const queries = useQueryClient()
  const [past, setPast] = useState<Edit[][]>([])
  const [undone, setUndone] = useState<Edit[][]>([])
  const onSettled = () => queries.invalidateQueries({ queryKey: ['import', id] })
  const write = useMutation({
    mutationFn: (edits: Edit[]) => save(id, edits),
    onSuccess: ({ saved }) => {
      if (saved.length === 0) return
      setPast([...past, saved])
      setUndone([])
    },
    onSettled,
  })
  const move = useMutation({
    mutationFn: ({ edits, isBack }: { edits: Edit[]; isBack: boolean }) =>
      isBack ? restore(id, edits) : save(id, edits).then(() => undefined),
    onMutate: ({ isBack }) => {
      setPast(isBack ? past.slice(0, -1) : [...past, undone.at(-1)!])
      setUndone(isBack ? [...undone, past.at(-1)!] : undone.slice(0, -1))
    },
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled,
  })
  const go = (isBack: boolean) => {
    const edits = (isBack ? past : undone).at(-1)
    if (edits && !move.isPending) move.mutate({ edits, isBack })
  }
  return {
    write: write.mutateAsync,
    undo: () => go(true),
    redo: () => go(false),
    canUndo: past.length > 0,
    canRedo: undone.length > 0,
  }
}

/** Saves the valid edits and returns the others with their reasons. */
async function save(id: string, edits: Edit[]): Promise<{ saved: Edit[]; refused: Refused[] }> {
  const messages = new Map<string, string>()
  const rows = [...byRow(edits)]
  for (let at = 0; at < rows.length; at += most) {
    const { rows: answers } = await answered(
      api.PATCH('/api/imports/{importId}/rows', {
        params: { path: { importId: id } },
        body: { rows: rows.slice(at, at + most).map(([row, cells]) => ({ row, cells })) },
      }),
    )
    for (const { rowNumber, cells } of answers)
      for (const { field, message } of cells) if (message) messages.set(`${rowNumber} ${field}`, message)
  }
  const messageOf = ({ row, field }: Edit) => messages.get(`${row} ${field}`)
  return {
    saved: edits.filter((edit) => !messageOf(edit)),
    refused: edits.flatMap((edit) => ({ ...edit, message: messageOf(edit) ?? '' })).filter(({ message }) => message),
  }
}

/** Restores the previous corrections of cells, or their values in the file. */
async function restore(id: string, edits: Edit[]): Promise<void> {
  for (const { row, field, before } of edits)
    if (before === null)
      await answered(
        api.DELETE('/api/imports/{importId}/rows/corrections', {
          params: { path: { importId: id }, query: { row, field } },
        }),
      )
  const corrected = edits.flatMap((edit) => (edit.before === null ? [] : { ...edit, after: edit.before }))
  if (corrected.length > 0) await save(id, corrected)
}

/** The cells of each row; an empty text clears the field. */
function byRow(edits: Edit[]): Map<number, Record<string, string | null>> {
  const rows = new Map<number, Record<string, string | null>>()
  for (const { row, field, after } of edits) rows.set(row, { ...rows.get(row), [field]: after === '' ? null : after })
  return rows
}
