import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api, type Schema } from '@/api/client'
import { answered } from '@/api/problem'
import { snakeName, type StatedOptions } from '@/import-options/options'
import { useSending } from '@/upload/useSending'
import { rememberFile } from './again'

/** The source of an import: a local file, or a URL that Loadbay fetches. */
export type RowSource = { file: File } | { address: string }

/** The settings of a new import. */
export type Draft = {
  type: Schema<'ImportType'>
  contextId?: number
  mode?: Schema<'Mode'>
  /** Whether the changes are previewed before they are written. */ plan: boolean
  profile?: string
  label?: string
  options?: Schema<'Options'>
  importOptions: StatedOptions
  /** The decisions of an import that is started again. Its columns are shown again. */ mapping?: Schema<'Mapping'>
  /** Whether they are not shown again. */ isSame?: boolean
  source: RowSource
}

/** Creates an import, uploads its file and opens it. */
export function useBegin() {
  const [refused, setRefused] = useState<Error | null>(null)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const show = async (id: string) => navigate(`/imports/${id}`)
  const sending = useSending(show)

  const begin = async (draft: Draft) => {
    setRefused(null)
    try {
      if ('address' in draft.source) {
        const { job_id: id } = await answered(fetchFrom(draft.source.address, draft))
        await show(id)
        return void queries.invalidateQueries({ queryKey: ['imports'] })
      }
      const { file } = draft.source
      const job = await answered(announce(file, draft))
      rememberFile(job.identifier, file)
      await sending.begin({ id: job.identifier, file, destination: job.upload! })
    } catch (error) {
      setRefused(error as Error)
    }
  }
  return { refused, sending, begin }
}

const once = () => ({ header: { 'Idempotency-Key': crypto.randomUUID() } })

const again = ({ mapping, isSame }: Draft) => mapping && ({ mapping, review: isSame ? 'unsure' : 'always' } as const)

function announce(file: File, draft: Draft) {
  const { type, source: _, importOptions, mapping: _mapping, isSame: _isSame, ...fields } = draft
  return api.POST('/api/imports', {
    params: once(),
    body: {
      ...fields,
      ...importOptions,
      ...again(draft),
      importType: type.name,
      filename: file.name,
      sizeBytes: file.size,
    },
  })
}

function fetchFrom(url: string, draft: Draft) {
  const { type, contextId, mode, plan, profile, label, options, importOptions } = draft
  return api.POST('/v1/imports', {
    params: once(),
    body: {
      url,
      resource_type: type.resource,
      plan,
      review: 'unsure',
      ...again(draft),
      ...(contextId !== undefined && { context_id: contextId }),
      ...(mode && { mode }),
      ...(profile && { profile }),
      ...(label && { label }),
      ...(options && { options }),
      ...Object.fromEntries(Object.entries(importOptions).map(([name, value]) => [snakeName(name), value])),
    },
  })
}
