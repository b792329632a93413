export { etags } from './etags.js'
export { ApiError, answered, withResponse } from './problem.js'
export { exportFile, streamExport } from './exports.js'
export { ended, importFile, needsInput, waitForImport, type ImportOptions } from './imports.js'
export { pages, type PageStart } from './pages.js'
export { resumeUpload, upload, type UploadOptions } from './uploads.js'
export { verifyWebhook, WebhookError } from './webhooks.js'
export { loadbay, type Loadbay, type Options } from './client.js'
export type { components, paths } from './schema.js'

import type { components } from './schema.js'

/** A schema of the API's description, by its name there. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
