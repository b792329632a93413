import { expect } from '@playwright/test'
import { club, send } from './club'
import { bring, keepProfile, settled, type Caller } from './people'

/** The ids of imports in every state that has its own display, and of other entities shown on screens. */
export type Made = {
  /** Waits for the columns. */
  columns: string
  /** Waits for the values. */
  values: string
  /** Completed with errors. */
  faulty: string
  /** The preview of its undo. */
  preview: string
  /** Waits for approval. */
  plan: string
  /** Its file has not been uploaded. */
  awaited: string
  profile: string
  /** The key of a person created by imports. */
  email: string
}

/** The column mapping of the club's list. */
const mapping = {
  fields: [
    { field: 'FIRST_NAME', from: ['Nom complet'], transforms: [{ op: 'split', separator: ' ', part: 1 }] },
    { field: 'LAST_NAME', from: ['Nom complet'], transforms: [{ op: 'split', separator: ' ', part: 2, rest: true }] },
    { field: 'EMAIL', from: ['Courriel'] },
    { field: 'BIRTH_DATE', from: ['Né(e) le'] },
    { field: 'GENDER', from: ['Genre'] },
    { field: 'MEMBERSHIP_TYPE_ID', from: ['Catégorie'] },
    { field: 'JOINED_ON', from: ['Adhésion'] },
  ],
}

/** Confirms the columns of an import of the club through the API. */
export async function answerColumns(caller: Caller, id: string): Promise<void> {
  await settled(caller, id, /COLUMN_MAPPING/)
  await succeeded(caller.request.put(`/api/imports/${id}/mapping`, { data: mapping }))
  await succeeded(caller.request.post(`/api/imports/${id}/column-mappings/confirm`))
  await settled(caller, id, /CELL_MAPPING/)
}

/** Creates all of them through the API. */
export async function make(caller: Caller): Promise<Made> {
  const stamp = Date.now()
  const email = `grace.${stamp}@walk.example`
  const columns = await send(caller, club)
  const values = await send(caller, club)
  await answerColumns(caller, values)
  const faulty = await bring(
    caller,
    [
      'Name,Email',
      `Grace Hopper,${email}`,
      ...Array.from(
        { length: 40 },
        (_, n) => `Somebody with quite a long name ${n},${n}.${stamp}${n % 8 === 0 ? '' : '@walk.example'}`,
      ),
    ].join('\n'),
  )
  const plan = await bring(
    caller,
    ['Name,Email', `Rear Admiral Grace Brewster Murray Hopper,${email}`, `Ada,ada.${stamp}@walk.example`].join('\n'),
    { mode: 'upsert', plan: 'true' },
  )
  const preview = await id(
    succeeded(caller.request.post(`/api/imports/${faulty}/undo?preview=true`, { data: { mode: 'safe' } })),
  )
  const awaited = await id(
    succeeded(
      caller.request.post('/api/imports', {
        data: { importType: 'USER', filename: 'the list that a colleague is sending.csv', sizeBytes: 4_000 },
      }),
    ),
  )
  await settled(caller, columns, /COLUMN_MAPPING/)
  await settled(caller, preview, /COMPLETED/)
  return { columns, values, faulty, preview, plan, awaited, profile: await keepProfile(caller, `Walk ${stamp}`), email }
}

type Answer = ReturnType<Caller['request']['post']>

async function succeeded(answer: Answer): Promise<Awaited<Answer>> {
  expect((await answer).ok(), await (await answer).text()).toBe(true)
  return answer
}

const id = async (answer: Answer): Promise<string> =>
  ((await (await answer).json()) as { identifier: string }).identifier
