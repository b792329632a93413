import { askAWS } from './aws'

/** Sends a message to a queue of the stack with this AWS endpoint. */
export const send = (aws: string, queue: string, message: object): Promise<void> =>
  ask(aws, 'SendMessage', { QueueUrl: urlOf(aws, queue), MessageBody: JSON.stringify(message) })

/** Deletes all visible messages of a queue. */
export const lose = (aws: string, queue: string): Promise<void> =>
  ask(aws, 'PurgeQueue', { QueueUrl: urlOf(aws, queue) })

/** Sets the delivery delay of a queue in seconds. Messages already in it are not affected. */
export const holdBack = (aws: string, queue: string, seconds: number): Promise<void> =>
  ask(aws, 'SetQueueAttributes', { QueueUrl: urlOf(aws, queue), Attributes: { DelaySeconds: String(seconds) } })

const urlOf = (aws: string, queue: string) => `${aws}/000000000000/${queue}`

const ask = (aws: string, action: string, input: object): Promise<void> =>
  askAWS(aws, {
    service: 'sqs',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    body: JSON.stringify(input),
  })
