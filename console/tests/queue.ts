import { askAWS } from './aws'

/** Sends a message to a queue of the stack whose AWS endpoint that is. */
export const send = (aws: string, queue: string, message: object): Promise<void> => ask(aws, 'SendMessage', { QueueUrl: urlOf(aws, queue), MessageBody: JSON.stringify(message) })

/** Loses all messages of a queue that nobody is at. */
export const lose = (aws: string, queue: string): Promise<void> => ask(aws, 'PurgeQueue', { QueueUrl: urlOf(aws, queue) })

/** Has a queue keep what is sent to it back for so long, in seconds; what is in it already comes when it was to come. */
export const holdBack = (aws: string, queue: string, seconds: number): Promise<void> => ask(aws, 'SetQueueAttributes', { QueueUrl: urlOf(aws, queue), Attributes: { DelaySeconds: String(seconds) } })

const urlOf = (aws: string, queue: string) => `${aws}/000000000000/${queue}`

const ask = (aws: string, action: string, input: object): Promise<void> =>
  askAWS(aws, { service: 'sqs', method: 'POST', path: '/', headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` }, body: JSON.stringify(input) })
