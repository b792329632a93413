import { notices } from '@/ui'

/** Runs a callback after a request, even if the component was unmounted meanwhile. An error is shown as a notice with the message of the API. */
export function follow<Answer>(request: Promise<Answer>, done?: (answer: Answer) => void): void {
  request.then(done, (error: unknown) =>
    notices.add({ tone: 'bad', title: error instanceof Error ? error.message : String(error) }),
  )
}
