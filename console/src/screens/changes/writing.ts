import { isTime } from '@/api/fields'
import { momentOf } from '@/i18n/values'

/** Whether a change is only the database's timestamp of the write: no file contains a time after its own import started. */
export const isTimeOfWriting = (
  { field, before, after }: { field: string; before: string | null; after: string | null },
  begun: string,
): boolean => isTime(field) && [before, after].some((value) => value !== null && momentOf(value) >= Date.parse(begun))

/** Whether all examples of a field's changes are such timestamps. */
export const isAboutWriting = (
  { field, examples }: { field: string; examples: { before: string | null; after: string | null }[] },
  begun: string,
): boolean => examples.length > 0 && examples.every((example) => isTimeOfWriting({ field, ...example }, begun))
