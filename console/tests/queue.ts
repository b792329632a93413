import { createHash, createHmac } from 'node:crypto'

const [key, secret, region] = ['local', 'locallocal', 'us-east-1']

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const sign = (by: string | Buffer, text: string) => createHmac('sha256', by).update(text).digest()

/** Sends a message to a queue of the stack whose AWS endpoint that is. */
export const send = (aws: string, queue: string, message: object): Promise<void> => ask(aws, 'SendMessage', { QueueUrl: urlOf(aws, queue), MessageBody: JSON.stringify(message) })

/** Loses all messages of a queue that nobody is at. */
export const lose = (aws: string, queue: string): Promise<void> => ask(aws, 'PurgeQueue', { QueueUrl: urlOf(aws, queue) })

const urlOf = (aws: string, queue: string) => `${aws}/000000000000/${queue}`

/** Asks SQS, signed as AWS wants it (Signature Version 4). */
async function ask(aws: string, action: string, input: object): Promise<void> {
  const body = JSON.stringify(input)
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/sqs/aws4_request`
  const headers: Record<string, string> = { 'content-type': 'application/x-amz-json-1.0', host: new URL(aws).host, 'x-amz-date': time, 'x-amz-target': `AmazonSQS.${action}` }
  const names = Object.keys(headers).join(';')
  const asked = ['POST', '/', '', ...Object.entries(headers).map(([name, value]) => `${name}:${value}`), '', names, hash(body)].join('\n')
  const signing = scope.split('/').reduce<string | Buffer>(sign, `AWS4${secret}`)
  const signature = sign(signing, ['AWS4-HMAC-SHA256', time, scope, hash(asked)].join('\n')).toString('hex')
  const answer = await fetch(aws, { method: 'POST', body, headers: { ...headers, authorization: `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names}, Signature=${signature}` } })
  if (!answer.ok) throw new Error(`${action}: ${answer.status} ${await answer.text()}`)
}
