import { useMutation } from '@tanstack/react-query'
import { session } from '@/app/session'
import { errorOf } from '@/api/problem'
import { serverLanguage } from '@/i18n/locales'
import { notices } from '@/ui'

/** Fetches a file with the session's token and saves it as a download. */
export function useDownload(path: string) {
  const download = useMutation({
    mutationFn: async () => {
      const token = await session.token()
      const headers = { 'Accept-Language': serverLanguage(), ...(token && { Authorization: `Bearer ${token}` }) }
      const response = await fetch(path, { headers })
      if (!response.ok) throw await errorOf(response)
      save(await response.blob(), fileName(response) ?? path.split(/[/?]/).find((part) => part.includes('.')) ?? 'file')
    },
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
  })
  return { start: () => download.mutate(), isPending: download.isPending }
}

function save(content: Blob, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(content), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const fileName = (response: Response): string | undefined =>
  /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1]
