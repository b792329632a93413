import { notices } from '@/ui'

/** Does what follows a request, also where what asked for it is not shown any more by then; a refusal becomes a notice, in the API's words. */
export function follow<Answer>(request: Promise<Answer>, done?: (answer: Answer) => void): void {
  request.then(done, (error: unknown) => notices.add({ tone: 'bad', title: error instanceof Error ? error.message : String(error) }))
}
