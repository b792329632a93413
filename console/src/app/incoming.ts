/** A file that was dropped or pasted anywhere, until New import takes it. Nothing is uploaded before a person starts the import. */
let waiting: File | null = null
const listeners = new Set<() => void>()

/** Offers a file to New import. */
export function offerFile(file: File): void {
  waiting = file
  for (const changed of listeners) changed()
}

/** Takes the file, if there is one. */
export function takeFile(): File | null {
  const file = waiting
  waiting = null
  return file
}

/** Calls back when a file is offered. */
export function onFile(changed: () => void): () => void {
  listeners.add(changed)
  return () => void listeners.delete(changed)
}

/** Whether pasted text is a table: at least two rows, with the same separator. */
export const isTable = (text: string): boolean => {
  const rows = text.trim().split(/\r?\n/)
  return rows.length > 1 && ['\t', ';', ','].some((mark) => rows.slice(0, 5).every((row) => row.includes(mark)))
}
