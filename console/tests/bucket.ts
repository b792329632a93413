import { askAWS } from './aws'

const bucket = 'loadbay-files-local-000000000000-us-east-1'

/** Stores a file in the bucket of the stack with this AWS endpoint. */
export const store = (aws: string, key: string, content: string): Promise<void> =>
  askAWS(aws, { service: 's3', method: 'PUT', path: `/${bucket}/${key}`, body: content })
