import { createHash, createHmac } from 'node:crypto'

const [key, secret, region] = ['local', 'locallocal', 'us-east-1']

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const sign = (by: string | Buffer, text: string) => createHmac('sha256', by).update(text).digest()

type Request = {
  service: 'sqs' | 's3'
  method: 'POST' | 'PUT'
  path: string
  headers?: Record<string, string>
  body: string
}

/** Sends a request to the stack's AWS endpoint, signed with Signature Version 4. */
export async function askAWS(aws: string, { service, method, path, headers: own = {}, body }: Request): Promise<void> {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`
  const headers: Record<string, string> = Object.fromEntries(
    Object.entries({ ...own, host: new URL(aws).host, 'x-amz-content-sha256': hash(body), 'x-amz-date': time }).sort(
      ([a], [b]) => (a < b ? -1 : 1),
    ),
  )
  const names = Object.keys(headers).join(';')
  const asked = [
    method,
    path,
    '',
    ...Object.entries(headers).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hash(body),
  ].join('\n')
  const signing = scope.split('/').reduce<string | Buffer>(sign, `AWS4${secret}`)
  const signature = sign(signing, ['AWS4-HMAC-SHA256', time, scope, hash(asked)].join('\n')).toString('hex')
  const answer = await fetch(`${aws}${path}`, {
    method,
    body,
    headers: {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
}
